"""A compiler asks how to tile its products: a workload made in the program, an accelerator of a package, loops of the answer."""

import importlib.resources

import yaml

from zigzag.api import get_hardware_performance_zigzag
from zigzag.cost_model.cost_model import CostModelEvaluation
from zigzag.datatypes import UnrollFactor
from zigzag.mapping.utils import get_spatial_loops, get_temporal_loops


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
