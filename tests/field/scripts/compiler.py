"""A compiler asks how to tile its products: a workload made in the program, an accelerator of a package, loops of the answer."""

import importlib.resources
import pickle

import yaml

from zigzag.api import get_hardware_performance_zigzag
from zigzag.cost_model.cost_model import CostModelEvaluation
from zigzag.datatypes import UnrollFactor
from zigzag.mapping.temporal_mapping import TemporalMappingType
from zigzag.mapping.utils import get_spatial_loops, get_temporal_loops
from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.workload_parser import WorkloadParserStage
from zigzag.stages.results.reduce_stages import MinimalLatencyStage, SumStage
from zigzag.stages.workload_iterator import WorkloadStage


def workload_of(name, sizes):
    return [{"id": 0, "name": name, "operator_type": "Gemm", "equation": "O[a][b]+=I[a][c]*W[c][b]",
             "dimension_relations": [], "loop_dims": ["A", "B", "C"], "loop_sizes": sizes,
             "operand_precision": {"W": 8, "I": 8, "O": 32, "O_final": 32}, "operand_source": {"I": 0, "W": 0}}]


hardware = importlib.resources.files("zigzag.inputs.hardware") / "chip.yaml"
mapping = [{"name": "default", "spatial_mapping": {"D1": ["B, 2"], "D2": ["C, 2"]},
            "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}]
for sizes in ([16, 16, 16], [104, 8, 24]):
    with open("workload.yaml", "w") as file:
        yaml.dump(workload_of("matmul", sizes), file, sort_keys=False)
    with open("mapping.yaml", "w") as file:
        yaml.dump(mapping, file)
    _, _, answers = get_hardware_performance_zigzag("workload.yaml", str(hardware), "mapping.yaml", opt="latency",
                                                    dump_folder="outputs", pickle_filename="outputs/cmes.pickle")
    cme: CostModelEvaluation = answers[0][1][0][0]
    tiles: dict[str, UnrollFactor] = dict.fromkeys("ABC", 1)
    for dimension, (_, size), _ in ((str(loop[0]), loop[1], loop[2]) for loop in get_temporal_loops(cme) + get_spatial_loops(cme)):
        tiles[dimension] *= size
    assert [tiles[name] for name in "ABC"] == sizes, tiles
    order = [(str(dimension), size) for level in cme.temporal_mapping.mapping_dic_origin["O"] for dimension, size in level]
    assert len(order) == len(get_temporal_loops(cme)), order

# The same by stages, with even mappings: all operands are cut at the same loops.
even = MainStage(
    list_of_callables=[WorkloadParserStage, AcceleratorParserStage, SumStage, WorkloadStage, MinimalLatencyStage,
                       SpatialMappingGeneratorStage, MinimalLatencyStage, TemporalMappingGeneratorStage, CostModelStage],
    workload=workload_of("matmul", [16, 16, 16]), accelerator=str(hardware), mapping="mapping.yaml", loma_lpf_limit=6,
    loma_show_progress_bar=False, nb_mappings_generated=3, temporal_mapping_type=TemporalMappingType("even"),
    access_same_data_considered_as_no_access=True).run()[0][1]
cme = pickle.loads(pickle.dumps(even))[0][0]
outer = [loop for loop in get_temporal_loops(cme) if any("dram" in memory for memory in loop[2])]
assert len({tuple(level) for levels in cme.temporal_mapping.mapping_dic_origin.values() for level in levels[-1:]}) == 1, outer
