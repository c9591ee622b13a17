"""ZigZag's API: one call for the default list of stages."""

import datetime
import difflib
import logging

from zz.as_zigzag.page import PAGE
from zz.as_zigzag.stages import built_in
from zz.as_zigzag.stages.main import MainStage

_CRITERIA = {"energy": built_in.MinimalEnergyStage, "latency": built_in.MinimalLatencyStage,
             "EDP": built_in.MinimalEDPStage}
_ENGINES = {"loma": built_in.TemporalMappingGeneratorStage, "salsa": built_in.SalsaStage}
_TYPES = {"uneven": "uneven", "even": "even"}

#: Arguments of other versions, and what to write.
_ELSEWHERE = {
    "dump_filename_pattern": "dump_folder='outputs/...', a folder",
    "loma_lpf_limit": "lpf_limit=...",
    "nb_mappings_generated": "nb_spatial_mappings_generated=...",
    "enable_mix_spatial_mapping_generation": "enable_mix_spatial_mapping=...",
    "salsa_iteration_number": "a list of stages for MainStage with SalsaStage and salsa_iteration_number=...",
    "access_same_data_considered_as_no_access": "a list of stages for MainStage with this argument",
}
_KNOWN = ("temporal_mapping_search_engine", "temporal_mapping_type", "opt", "dump_folder", "pickle_filename", "lpf_limit",
          "nb_spatial_mappings_generated", "in_memory_compute", "exploit_data_locality", "enable_mix_spatial_mapping",
          "loma_show_progress_bar")


def _chosen(what, value, table):
    if value not in table:
        raise ValueError(f"{what} is one of {', '.join(map(repr, table))}, not {value!r}")
    return table[value]


def _refuse(function, arguments):
    for name in arguments:
        near = difflib.get_close_matches(name, _KNOWN, 1)
        hint = f"write {_ELSEWHERE[name]}" if name in _ELSEWHERE else (
            f"did you mean '{near[0]}'?" if near else f"it has {', '.join(_KNOWN)}")
        raise TypeError(f"{function}() has no argument '{name}' on zz: {hint} ({PAGE})")


def _is_onnx(workload):
    return hasattr(workload, "SerializeToString") or str(workload).endswith(".onnx")


def get_hardware_performance_zigzag(workload, accelerator, mapping, *, temporal_mapping_search_engine="loma",
                                    temporal_mapping_type="uneven", opt="latency", dump_folder=None,
                                    pickle_filename=None, lpf_limit=6, nb_spatial_mappings_generated=3,
                                    in_memory_compute=False, exploit_data_locality=False,
                                    enable_mix_spatial_mapping=False, loma_show_progress_bar=True, **others):
    """(energy [pJ], latency [cycles], [(sum, [(evaluation of a layer, [])])]) of a network on an accelerator.

    With in_memory_compute, (energy, latency, clock [ns], area [mm2], the same list).

    workload:    path of an ONNX or YAML file, an onnx.ModelProto, or layers as such a YAML file has them.
    accelerator: path of a YAML file, or what such a file has; mapping: likewise.
    """
    _refuse("get_hardware_performance_zigzag", others)
    logging.basicConfig(level=logging.INFO,
                        format="%(asctime)s - %(funcName)s +%(lineno)s - %(levelname)s - %(message)s")
    criterion = _chosen("opt", opt, _CRITERIA)
    engine = _chosen("temporal_mapping_search_engine", temporal_mapping_search_engine, _ENGINES)
    kind = _chosen("temporal_mapping_type", temporal_mapping_type, _TYPES)
    mixed = in_memory_compute or enable_mix_spatial_mapping
    locality = mixed or exploit_data_locality
    if dump_folder is None:
        dump_folder = f"outputs/{datetime.datetime.now()}"
    stages = [
        built_in.ONNXModelParserStage if _is_onnx(workload) else built_in.WorkloadParserStage,
        built_in.AcceleratorParserStage,
        built_in.SimpleSaveStage,
        built_in.PickleSaveStage,
        built_in.SumStage,
        *([built_in.SearchInterLayerDataLocalityStage] if locality else []),
        built_in.WorkloadStage,
        built_in.VisualizationStage,
        *([built_in.ExploitInterLayerDataLocalityStage] if locality else []),
        built_in.CompleteSaveStage,
        criterion,
        built_in.SpatialMappingGeneratorStage,
        criterion,
        engine,
        built_in.CostModelStage,
    ]
    answers = MainStage(
        stages, accelerator=accelerator, workload=workload, mapping=mapping, dump_folder=dump_folder,
        pickle_filename=pickle_filename or f"{dump_folder}/list_of_cmes.pickle", loma_lpf_limit=lpf_limit,
        loma_show_progress_bar=loma_show_progress_bar, nb_mappings_generated=nb_spatial_mappings_generated,
        enable_mix_spatial_mapping_generation=mixed, access_same_data_considered_as_no_access=True,
        temporal_mapping_type=kind).run()
    total, layers = answers[0]
    if in_memory_compute:
        return total.energy_total, total.latency_total2, layers[0][0].tclk, layers[0][0].area_total, answers
    return total.energy_total, total.latency_total2, answers


def get_hardware_performance_zigzag_imc(*args, **kwargs):
    """get_hardware_performance_zigzag(..., in_memory_compute=True)."""
    return get_hardware_performance_zigzag(*args, **{**kwargs, "in_memory_compute": True})
