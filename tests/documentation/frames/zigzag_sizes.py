# Around the stage that iterates in the style of ZigZag in docs/zigzag-stages.md.
import copy

from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.workload_parser import WorkloadParserStage
from zigzag.stages.results.reduce_stages import MinimalLatencyStage
from zigzag.stages.stage import Stage
from zigzag.stages.workload_iterator import WorkloadStage


def find_memory(accelerator, name):
    return next(level.memory_instance for level in accelerator.memory_hierarchy.mem_level_list
                if level.memory_instance.name == name)


# LISTING


stages = [WorkloadParserStage, AcceleratorParserStage, WorkloadStage, MemorySizes, MinimalLatencyStage,
          SpatialMappingGeneratorStage, TemporalMappingGeneratorStage, CostModelStage]
answers = MainStage(stages, workload="configs/workloads/small_cnn.yaml",
                    accelerator="configs/accelerators/gemmini_like.yaml",
                    mapping="configs/mappings/gemmini_like.yaml", loma_lpf_limit=4, sizes=[1048576, 2097152]).run()
assert {extra[1][0] for _, extra in answers} == {1048576, 2097152}
