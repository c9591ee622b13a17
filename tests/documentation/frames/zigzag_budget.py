# Around the reducer in the style of ZigZag in docs/zigzag-stages.md.
from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.workload_parser import WorkloadParserStage
from zigzag.stages.results.reduce_stages import MinimalLatencyStage
from zigzag.stages.stage import Stage
from zigzag.stages.workload_iterator import WorkloadStage


# LISTING


stages = [WorkloadParserStage, AcceleratorParserStage, WorkloadStage, FastestWithinBudget, SpatialMappingGeneratorStage,
          TemporalMappingGeneratorStage, CostModelStage]
answers = MainStage(stages, workload="configs/workloads/small_cnn.yaml",
                    accelerator="configs/accelerators/gemmini_like.yaml",
                    mapping="configs/mappings/gemmini_like.yaml", loma_lpf_limit=4, budget=1e8).run()
assert answers and all(cme.energy_total <= 1e8 for cme, _ in answers)
