# Around the leaf in the style of ZigZag in docs/zigzag-stages.md.
from types import SimpleNamespace

from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.workload_parser import WorkloadParserStage
from zigzag.stages.results.reduce_stages import MinimalLatencyStage
from zigzag.stages.stage import Stage
from zigzag.stages.workload_iterator import WorkloadStage


def number_of_units(accelerator):
    return accelerator.operational_array.total_unit_count


def total_bits(layer):
    return sum(layer.operand_size_bit.values())


def off_chip_bandwidth(accelerator):
    return accelerator.memory_hierarchy.mem_level_list[-1].memory_instance.ports[0].bw_max


# LISTING


# Over the layers and the accelerator of a run, as a chain would call it.
answers = MainStage([WorkloadParserStage, AcceleratorParserStage, WorkloadStage, MinimalLatencyStage, SpatialMappingGeneratorStage,
                     TemporalMappingGeneratorStage, CostModelStage], workload="configs/workloads/small_cnn.yaml",
                    accelerator="configs/accelerators/gemmini_like.yaml", mapping="configs/mappings/gemmini_like.yaml",
                    loma_lpf_limit=3).run()
assert len(answers) == 6
for cme, _ in answers:
    (least, _), = Roofline([], layer=cme.layer, accelerator=cme.accelerator).run()
    assert least.layer is cme.layer and least.latency_total2 >= cme.layer.total_mac_count / number_of_units(cme.accelerator)
