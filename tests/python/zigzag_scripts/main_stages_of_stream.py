"""The list of stages of the main scripts of Stream 0.0.8."""

import pickle
import sys

from stream.classes.cost_model.cost_model import StreamCostModelEvaluation
from stream.classes.stages.AcceleratorParserStage import AcceleratorParserStage as AcceleratorParserStage_
from stream.classes.stages.GenerateCNWorkloadHybridStage import GenerateCNWorkloadHybridStage
from stream.classes.stages.InterCoreMappingStage import InterCoreMappingStage
from stream.classes.stages.IntraCoreMappingStage import IntraCoreMappingStage
from stream.classes.stages.ModelParserStage import UserDefinedModelParserStage
from zigzag.stages.MainStage import MainStage

inputs, outputs = sys.argv[1:]
mainstage = MainStage(
    [
        AcceleratorParserStage_,
        UserDefinedModelParserStage,
        GenerateCNWorkloadHybridStage,
        IntraCoreMappingStage,
        InterCoreMappingStage,
    ],
    accelerator=f"{inputs}/stream_accelerator.yaml",
    workload_path=f"{inputs}/stream_workload.yaml",
    mapping_path=f"{inputs}/stream_mapping.yaml",
    loma_lpf_limit=6,
    nb_ga_individuals=4,
    nb_ga_generations=1,
    node_hw_performances_path=f"{outputs}/costs.pickle",
    plot_hof=True,
    plot_file_name=f"{outputs}/plot",
    plot_full_schedule=True,
    plot_data_transfer=True,
    cn_define_mode=3,
    hint_loops={(0, 1): [("OY", "all")]},
    scheduler_candidate_selection="memory",
    operands_to_prefetch=["W"],
)
scme, _ = mainstage.run()
scme = scme[0]
assert isinstance(scme, StreamCostModelEvaluation)
with open(f"{outputs}/scme.pickle", "wb") as file:
    pickle.dump(scme, file)
with open(f"{outputs}/scme.pickle", "rb") as file:
    assert pickle.load(file).total_cn_onchip_energy == scme.total_cn_onchip_energy
print(scme.latency, scme.energy)
