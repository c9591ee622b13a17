"""A list of stages of one's own."""

import sys

from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.workload_parser import WorkloadParserStage
from zigzag.stages.results.reduce_stages import MinimalEnergyStage
from zigzag.stages.results.save import SimpleSaveStage
from zigzag.stages.workload_iterator import WorkloadStage

inputs, outputs = sys.argv[1:]
mainstage = MainStage(
    [
        WorkloadParserStage,
        AcceleratorParserStage,
        SimpleSaveStage,
        WorkloadStage,
        MinimalEnergyStage,
        SpatialMappingGeneratorStage,
        TemporalMappingGeneratorStage,
        CostModelStage,
    ],
    accelerator=f"{inputs}/accelerator.yaml",
    workload=f"{inputs}/workload.yaml",
    mapping=f"{inputs}/mapping.yaml",
    dump_folder=outputs,
    loma_lpf_limit=6,
    loma_show_progress_bar=False,
    nb_mappings_generated=2,
    reduce_minimal_keep_others=True,
)
answers = mainstage.run()
for cme, (layer, others) in answers:
    assert layer.id == cme.layer.id
    assert min(other.energy_total for other, _ in others) == cme.energy_total
    print(cme.layer.name, cme.energy_total, len(others))
