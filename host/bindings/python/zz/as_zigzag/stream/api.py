"""Stream's API."""

import logging
import os

from zz.as_zigzag.page import PAGE
from zz.as_zigzag.stages import built_in
from zz.as_zigzag.stages.main import MainStage
from zz.as_zigzag.stream.cost_table import CostModelEvaluationLUT
from zz.as_zigzag.stream.tilings import without_tilings
from zz.as_zigzag.utilities import pickle_load, pickle_save


def configure_logging(level=logging.INFO, fmt="%(asctime)s - %(funcName)s +%(lineno)s - %(levelname)s - %(message)s"):
    """Messages of scripts, as Stream shows them."""
    logging.basicConfig(level=level, format=fmt)


def _parser(workload):
    yaml_file = isinstance(workload, (str, os.PathLike)) and not str(workload).endswith(".onnx")
    return built_in.UserDefinedModelParserStage if yaml_file else built_in.StreamONNXModelParserStage


def _refuse_others(function, others, known):
    for name in others:
        raise TypeError(f"{function}() has no argument '{name}' on zz; it has {', '.join(known)} ({PAGE})")


def optimize_allocation_ga(hardware, workload, mapping, mode, layer_stacks, nb_ga_generations, nb_ga_individuals,
                           experiment_id, output_path, skip_if_exists=False, temporal_mapping_type="uneven", **others):
    """The schedule with the lowest latency that a genetic search over core allocations finds.

    Writes <output_path>/<experiment_id>/scme.pickle and cost_lut.pickle; with skip_if_exists the former is read when it
    is there.
    """
    _refuse_others("optimize_allocation_ga", others,
                   ("hardware", "workload", "mapping", "mode", "layer_stacks", "nb_ga_generations", "nb_ga_individuals",
                    "experiment_id", "output_path", "skip_if_exists", "temporal_mapping_type"))
    configure_logging()
    if mode not in ("lbl", "fused"):
        raise ValueError(f"mode is one of 'lbl', 'fused', not {mode!r}")
    if temporal_mapping_type not in ("uneven", "even"):
        raise ValueError(f"temporal_mapping_type is one of 'uneven', 'even', not {temporal_mapping_type!r}")
    folder = f"{output_path}/{experiment_id}"
    scme_path = f"{folder}/scme.pickle"
    if skip_if_exists and os.path.exists(scme_path):
        return pickle_load(scme_path)
    parsers = [built_in.AcceleratorParserStage, _parser(workload)]
    stacks = {} if layer_stacks is None else {"layer_stacks": [list(stack) for stack in layer_stacks]}
    mapping, hint_loops = without_tilings(mapping, [stage.name_in_pipelines for stage in parsers], {
        "accelerator": hardware, "workload": workload, "mode": mode, **stacks})
    tilings = {} if hint_loops is None else {"hint_loops": hint_loops, "cn_define_mode": 3}
    answers = MainStage(
        [*parsers, built_in.DetermineLayerStacksStage, built_in.DetermineHintLoopsStage,
         built_in.GenerateCNWorkloadHybridStage, built_in.IntraCoreMappingStage, built_in.DetermineSchedulingOrderStage,
         built_in.InterCoreMappingStage],
        accelerator=hardware, workload=workload, mapping=mapping, mode=mode, **stacks, **tilings, loma_lpf_limit=6,
        temporal_mapping_type=temporal_mapping_type, nb_ga_generations=nb_ga_generations,
        nb_ga_individuals=nb_ga_individuals).run()
    scme = answers[0][0]
    table = CostModelEvaluationLUT.of(scme)
    table.cache_path = f"{folder}/cost_lut.pickle"
    table.save()
    pickle_save(scme, scme_path)
    return scme


def get_hardware_performance_stream(hardware, workload, mapping, CN_define_mode, hint_loops, node_hw_cost_pkl_name):
    """[(schedule, None), (None, None)], as Stream 0.0.8 returns it, of a genetic search with 128 allocations in each of
    100 generations."""
    configure_logging()
    return MainStage(
        [built_in.AcceleratorParserStage, _parser(workload), built_in.GenerateCNWorkloadHybridStage,
         built_in.IntraCoreMappingStage, built_in.InterCoreMappingStage],
        accelerator=hardware, workload=workload, mapping=mapping, loma_lpf_limit=6, nb_ga_individuals=128,
        nb_ga_generations=100, node_hw_performances_path=f"outputs/{node_hw_cost_pkl_name}.pickle",
        cn_define_mode=CN_define_mode, hint_loops=hint_loops, scheduler_candidate_selection="memory").run()
