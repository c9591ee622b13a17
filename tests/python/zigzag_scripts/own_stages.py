"""Stages of one's own, as ZigZag has them: a reducer, one that iterates, one that adds to figures."""

import copy
import sys

from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.workload_parser import WorkloadParserStage
from zigzag.stages.results.reduce_stages import MinimalLatencyStage, SumStage
from zigzag.stages.stage import Stage
from zigzag.stages.workload_iterator import WorkloadStage


class FastestWithinBudget(Stage):
    def __init__(self, list_of_callables, *, budget=1e9, **kwargs):
        super().__init__(list_of_callables, **kwargs)
        self.budget = budget

    def run(self):
        best = None
        below = self.list_of_callables[0](self.list_of_callables[1:], **self.kwargs)
        for cme, extra in below.run():
            if cme.energy_total > self.budget:
                continue
            if best is None or (cme.latency_total2, cme.energy_total) < (best[0].latency_total2, best[0].energy_total):
                best = (cme, extra)
        assert best is not None, "nothing stays within the budget"
        yield best


class MemorySizes(Stage):
    def __init__(self, list_of_callables, *, accelerator, memory, sizes, **kwargs):
        super().__init__(list_of_callables, **kwargs)
        self.accelerator, self.memory, self.sizes = accelerator, memory, sizes

    def run(self):
        for size in self.sizes:
            variant = copy.deepcopy(self.accelerator)
            for level in variant.memory_hierarchy.mem_level_list:
                if level.name == self.memory:
                    level.memory_instance.size = size
            kwargs = {**self.kwargs, "accelerator": variant}
            below = self.list_of_callables[0](self.list_of_callables[1:], **kwargs)
            for cme, extra in below.run():
                yield cme, (size, extra)


class Leakage(Stage):
    def run(self):
        for cme, extra in self.list_of_callables[0](self.list_of_callables[1:], **self.kwargs):
            assert self.kwargs["layer"].id == cme.layer.id
            cme.energy_total += 0.5 * cme.latency_total2
            yield cme, extra


inputs, _, memory, sizes, budget = sys.argv[1:]
mainstage = MainStage(
    [
        WorkloadParserStage,
        AcceleratorParserStage,
        MemorySizes,
        SumStage,
        WorkloadStage,
        Leakage,
        MinimalLatencyStage,
        SpatialMappingGeneratorStage,
        FastestWithinBudget,
        TemporalMappingGeneratorStage,
        CostModelStage,
    ],
    accelerator=f"{inputs}/accelerator.yaml",
    workload=f"{inputs}/workload.yaml",
    mapping=f"{inputs}/mapping.yaml",
    memory=memory,
    sizes=[int(size) for size in sizes.split(",")],
    budget=float(budget),
    loma_lpf_limit=6,
    loma_show_progress_bar=False,
)
for cme, (size, layers) in mainstage.run():
    assert sum(layer.energy_total for layer, _ in layers) == cme.energy_total
    print(size, cme.energy_total, cme.latency_total2)
