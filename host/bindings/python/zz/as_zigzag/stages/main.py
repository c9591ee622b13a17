"""Runs a list of stages."""

import os
import pickle

import zz
from zz import errors
from zz.as_zigzag import compat
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.stages import built_in, own
from zz.as_zigzag.stages.arguments import parameters_of
from zz.as_zigzag.stages.progress import shown_progress
from zz.as_zigzag.stages.results import answer_of
from zz.as_zigzag.values.view import View
from zz.workload import is_model

#: Stages that hand up results as they come: what stands above others of them sees the same.
_PASSING = ("WorkloadParserStage", "ONNXModelParserStage", "AcceleratorParserStage", "SimpleSaveStage",
            "CompleteSaveStage", "VisualizationStage", "CacheBeforeYieldStage")


def _entries(stages):
    """The list for zz: names, and classes for stages of the script."""
    entries = []
    for place, stage in enumerate(stages):
        name = vars(stage).get("name_in_pipelines") if isinstance(stage, type) else None
        if name != "":
            entries.append(name or own.stage_of(stage, place, place + 1 == len(stages)))
    return entries


def _without_pickles(names):
    """The list without PickleSaveStage, which writes pickles of Python and not archives; and whether it was there."""
    if "PickleSaveStage" not in names:
        return names, False
    place = names.index("PickleSaveStage")
    for above in names[:place]:
        if above not in _PASSING:
            name = getattr(above, "__name__", above)
            raise ValueError(f"on zz, PickleSaveStage cannot stand below {name}: put it above")
    return [name for name in names if name != "PickleSaveStage"], True


def _with_costs(names):
    """The list with the stage that fills the costs which a file leaves open (auto_cost_extraction), as ZigZag's parser does."""
    if "AcceleratorParserStage" not in names or "ComponentCostStage" in names:
        return names
    place = names.index("AcceleratorParserStage") + 1
    return [*names[:place], "ComponentCostStage", *names[place:]]


_NETWORK_PARSERS = ("WorkloadParserStage", "ONNXModelParserStage", "StreamONNXModelParserStage")


def _made_from(key, thing):
    settings = thing.__dict__.get("_made_from")
    if settings is None:
        raise TypeError(f"'{key}' of MainStage is a path, or what the file has, or an object that a factory of zigzag.parser made "
                        f"({PAGE})")
    return settings


def _without_objects(stages, arguments):
    """Layers, workloads and accelerators that a script made by itself are read again from what they were made of."""
    arguments, readers = dict(arguments), []
    there = {getattr(stage, "name_in_pipelines", None) for stage in stages}
    objects = {key: arguments.pop(key) for key in ("accelerator", "workload", "layer") if isinstance(arguments.get(key), View)}
    for key, thing in objects.items():
        settings = _made_from(key, thing)
        arguments.update(settings)
        if key == "accelerator":
            readers.append("AcceleratorParserStage")
        elif there.isdisjoint(_NETWORK_PARSERS):
            readers.append("ONNXModelParserStage" if is_model(settings["workload"]) else "WorkloadParserStage")
    if "layer" in objects:
        readers.append("WorkloadStage")
    return [getattr(built_in, name) for name in readers if name not in there] + list(stages), arguments


def _save(answers, path):
    """A pickle of the list of evaluations in the extra of the last answer."""
    evaluations = [evaluation for evaluation, _ in answers[-1][1]]
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        pickle.dump(evaluations, file, pickle.HIGHEST_PROTOCOL)


def _results(stages, parameters, progress):
    """Exceptions of the script's own stages come as they were raised."""
    try:
        return zz.run({"stages": stages, "parameters": parameters}, progress=progress)
    except errors.StageError as problem:
        if problem.__cause__ is None:
            raise
        raised = problem.__cause__
    raise raised


class MainStage:
    """MainStage(list of stages, **settings of all stages).run() gives a list of (CME, extra)."""

    def __init__(self, list_of_callables, **kwargs):
        self.list_of_callables = list(list_of_callables)
        self.kwargs = kwargs

    def run(self):
        stages, arguments = _without_objects(self.list_of_callables, self.kwargs)
        names = _entries(stages)
        parameters = parameters_of(names, arguments)
        names, pickles = _without_pickles(names)
        path = parameters.pop("pickle_filename", None)
        if pickles and path is None:
            raise TypeError("PickleSaveStage needs pickle_filename=...")
        parameters["compat"] = compat.setting("InterCoreMappingStage" in names)
        with shown_progress(self.kwargs.get("loma_show_progress_bar", True)) as progress:
            with own.at_work(stages, arguments):
                results = _results(_with_costs(names), parameters, progress)
        answers = [answer_of(result) for result in results]
        if pickles:
            _save(answers, path)
        if "GenerateCNWorkloadHybridStage" in names:
            answers.append((None, None))  # as Stream's stage does: scripts take its answers apart into two
        return answers
