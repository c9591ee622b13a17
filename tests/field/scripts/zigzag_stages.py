"""A list of stages under the names that ZigZag's modules had until 2024, with one of the script's own between them."""

import copy

from zigzag.stages.AcceleratorParserStage import AcceleratorParserStage
from zigzag.stages.CostModelStage import CostModelStage
from zigzag.stages.MainStage import MainStage
from zigzag.stages.SpatialMappingGeneratorStage import SpatialMappingGeneratorStage
from zigzag.stages.Stage import Stage
from zigzag.stages.WorkloadParserStage import WorkloadParserStage
from zigzag.stages.WorkloadStage import WorkloadStage
from zigzag.stages.reduce_stages import MinimalLatencyStage, SumStage
from zigzag.stages.save_stages import SimpleSaveStage
from zigzag.stages.temporal_mapping_generator_stage import TemporalMappingGeneratorStage


class Sizes(Stage):
    def __init__(self, list_of_callables, *, accelerator, sizes, **kwargs):
        super().__init__(list_of_callables, **kwargs)
        self.accelerator, self.sizes = accelerator, sizes

    def run(self):
        for size in self.sizes:
            chip = copy.deepcopy(self.accelerator)
            chip.memory_hierarchy.mem_level_list[-2].memory_instance.size = size
            self.kwargs["accelerator"] = chip
            below = self.list_of_callables[0](self.list_of_callables[1:], **self.kwargs)
            for cme, extra in below.run():
                yield cme, (size, extra)


answers = MainStage(
    [WorkloadParserStage, AcceleratorParserStage, Sizes, SimpleSaveStage, SumStage, WorkloadStage, SpatialMappingGeneratorStage,
     MinimalLatencyStage, TemporalMappingGeneratorStage, CostModelStage],
    workload="zigzag/inputs/workload/network.yaml", accelerator="zigzag/inputs/hardware/chip.yaml",
    mapping="zigzag/inputs/mapping/chip.yaml", dump_folder="outputs", loma_lpf_limit=4, loma_show_progress_bar=False,
    sizes=[4096, 8192]).run()
assert [size for _, (size, _) in answers] == [4096, 8192]
(small, _), (large, _) = answers
assert large.latency_total2 <= small.latency_total2, "more room is never slower"
