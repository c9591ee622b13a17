"""Turns the keyword arguments of MainStage into parameters of a pipeline. What zz does not know is an error."""

import difflib
import functools
import json
import logging

from zz import _zz
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.stages.own import arguments_of

_log = logging.getLogger("zz")

#: Arguments of other versions, and what to write.
_ELSEWHERE = {
    "accelerator_path": "accelerator=...", "onnx_model_path": "workload=...", "workload_path": "workload=...",
    "mapping_path": "mapping=...", "workload_mapping": "mapping=...", "lpf_limit": "loma_lpf_limit=...",
    "nb_spatial_mappings_generated": "nb_mappings_generated=...",
    "enable_mix_spatial_mapping": "enable_mix_spatial_mapping_generation=...",
}


@functools.cache
def _settings_of_stages():
    """{stage: {settings that it has}}."""
    return {stage["name"]: {name for setting in stage["settings"] for name in (setting["name"], *setting["aliases"])}
            for stage in json.loads(_zz.stages_as_json([], []))}


#: The pipeline for one core within that stage, whose settings are among the arguments, too.
_WITHIN = {"IntraCoreMappingStage": ("SpatialMappingGeneratorStage", "TemporalMappingGeneratorStage", "CostModelStage")}


def _plain(value):
    """Keys of maps as pipelines have them: ids of layers in a tuple become "0,1"."""
    if isinstance(value, dict):
        return {",".join(map(str, key)) if isinstance(key, (tuple, frozenset)) else key: item
                for key, item in value.items()}
    return value


def _refusal(name, known):
    if name in _ELSEWHERE:
        return f"write {_ELSEWHERE[name]}"
    near = difflib.get_close_matches(name, known, 1)
    return (f"did you mean '{near[0]}'? " if near else "") + f"they take {', '.join(sorted(known))} ({PAGE})"


def parameters_of(stages, arguments):
    """The parameters of a pipeline for arguments of a list of stages: names, and classes of the script's own."""
    settings = _settings_of_stages()
    names = [stage for stage in stages if isinstance(stage, str)]
    all_stages = [*names, *(inner for stage in names for inner in _WITHIN.get(stage, ()))]
    known = set().union(*(settings[stage] for stage in all_stages)) - {"compat"}
    of_the_script = set().union(*(arguments_of(stage.theirs) for stage in stages if stage not in names))
    parameters = {}
    for name, value in arguments.items():
        if name in known:
            if value is not None:
                parameters[name] = _plain(value)
        elif name in of_the_script:
            pass
        elif name not in _ELSEWHERE and any(name in others for others in settings.values()):
            _log.info("no stage of the list takes '%s'", name)  # as in ZigZag, where all stages see all arguments
        else:
            raise TypeError(f"no stage takes the argument '{name}' on zz; {_refusal(name, known | of_the_script)}")
    return parameters
