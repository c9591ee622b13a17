"""The calls of today's Stream, on the search of zz for cuts, allocation and order (docs/cuts.md)."""

import dataclasses
import json
import logging
import os
import time

from zz.as_zigzag.page import PAGE
from zz.as_zigzag.stream.cost_table import CostModelEvaluationLUT
from zz.as_zigzag.stream.schedules import StreamCostModelEvaluation
from zz.as_zigzag.stream.systems import any_mapping, mapping_of, system_of
from zz.as_zigzag.utilities import pickle_load, pickle_save
from zz.components import cost
from zz.searches import schedule

_log = logging.getLogger("zz")

#: Schedules that a call evaluates: seconds for networks as ResNet-18.
EVALUATIONS = 200
_NODE = 16  # nm: what Stream prices at where a file names none
_LEAST_SRAM = 4096  # bits; smaller memories are registers
_BACKENDS = ("ortools_gscip", "ortools_highs", "ortools_gurobi", "gurobi")
#: Arguments that must stay as they are, and what else to do.
_FIXED = {
    "enable_codegen": (False, "zz makes no code for AI engines"), "trace_size": (0, "zz makes no code for AI engines"),
    "kernels": (None, "zz makes no code for AI engines"), "instrumentation": (None, "watch a run with zz.run(progress=...)"),
    "intra_core_tiling": (None, "zz searches the cuts itself; SearchHintLoopsStage fixes them"),
    "fusion_cut_points": (None, "zz fuses wherever that is faster"),
    "mode": ("fused", "zz fuses wherever that is faster; optimize_allocation_ga(mode='lbl', ...) takes one layer after the other"),
    "hardware_budget": (None, "hardware_cost_report() prices a file: compare its figures")}
_WITHOUT_EFFECT = {"trace_max_tiles", "nb_cols_to_use", "npu"}
#: Arguments by which a call is one of 2025.
_OF_2025 = {"mode", "layer_stacks"}
#: Arguments that a search of zz's stands in for.
_SEARCHED = {"layer_stacks": "zz searches which layers are fused; optimize_allocation_ga(layer_stacks=...) takes them as given"}


@dataclasses.dataclass
class ConstraintSelection:
    """Which limits of the hardware hold: on zz all that its machines have."""

    memory_capacity: bool = True
    object_fifo_depth: bool = True
    buffer_descriptors: bool = True
    dma_channels: bool = True


class StageContext:
    """What a call found: total_latency [cycles], group_latencies, scme, and the figures of the search."""

    def __init__(self, **data):
        self.data = data

    def get(self, name, default=None):
        return self.data.get(name, default)

    def require(self, name):
        if name not in self.data:
            raise KeyError(f"there is no '{name}'; there are {', '.join(self.data)} ({PAGE})")
        return self.data[name]

    def set(self, **data):
        self.data.update(data)

    def __contains__(self, name):
        return name in self.data


def _check(function, others, temporal_mapping_type, backend, constraint_selection):
    for name, value in others.items():
        if name in _FIXED:
            if value != _FIXED[name][0]:
                raise ValueError(f"{function}({name}={value!r}) has no equivalent on zz: {_FIXED[name][1]} ({PAGE})")
        elif name in _SEARCHED:
            if value is not None:
                _log.warning("%s(%s=...) is not used: %s (%s)", function, name, _SEARCHED[name], PAGE)
        elif name not in _WITHOUT_EFFECT:
            raise TypeError(f"{function}() has no argument '{name}' on zz ({PAGE})")
    if temporal_mapping_type not in ("uneven", "even"):
        raise ValueError(f"temporal_mapping_type is one of 'uneven', 'even', not {temporal_mapping_type!r}")
    if backend not in _BACKENDS:
        raise ValueError(f"backend is one of {', '.join(map(repr, _BACKENDS))}, not {backend!r}")
    if constraint_selection not in (None, ConstraintSelection()):
        raise ValueError(f"{function}(constraint_selection=...) has no equivalent on zz: memories are always held to their sizes "
                         f"({PAGE})")


def _bits_of_2025(workload, system):
    """Settings for the bits that Stream counted in 2025, whatever the types of the file."""
    if not str(workload).endswith(".onnx") or any("operand_precision" in core for core in system["cores"].values()):
        return {}
    _log.warning("8 bits an element and sums of 16 are counted, as by Stream in 2025 (%s)", PAGE)
    return {"operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}}


def _optimise(hardware, workload, mapping, experiment_id, output_path, skip_if_exists, temporal_mapping_type, bits=None):
    folder = f"{output_path}/{experiment_id}"
    path = f"{folder}/ctx.pickle"
    if skip_if_exists and os.path.exists(path):
        return pickle_load(path)
    os.makedirs(folder, exist_ok=True)
    system, takes = system_of(hardware)
    entries = any_mapping(takes) if mapping is None else mapping_of(mapping)
    started = time.perf_counter()
    settings = {} if temporal_mapping_type == "uneven" else {"temporal_mapping_type": "even"}
    settings.update(bits(workload, system) if bits else {})
    found = schedule(workload, system, entries, quick=True, evaluation_limit=EVALUATIONS, **settings)
    latency = found.evaluation.schedule.latency
    context = StageContext(
        total_latency=latency, group_latencies={0: latency}, group_wall_times={0: time.perf_counter() - started},
        scme=StreamCostModelEvaluation(found.evaluation), lower_bound=found.evaluation["metrics.partition_lower_bound"],
        mip_gap=found.evaluation["metrics.partition_gap"], output_path=folder)
    pickle_save(context, path)
    return context


def optimize_allocation_co_with_mapping(hardware, workload, mapping, experiment_id, output_path, skip_if_exists=False,
                                        temporal_mapping_type="uneven", backend="ortools_gscip", constraint_selection=None,
                                        **others):
    """The fastest schedule that zz finds of a network on several cores: a StageContext, which <output_path>/<experiment_id>/
    ctx.pickle keeps. The mapping says which cores may run which layers. With `mode` or `layer_stacks`, which Stream had in
    2025, the schedule itself, and cost_lut_post_co.pickle, as Stream then."""
    _check("optimize_allocation_co", others, temporal_mapping_type, backend, constraint_selection)
    of_2025 = bool(_OF_2025 & others.keys())
    context = _optimise(hardware, workload, mapping, experiment_id, output_path, skip_if_exists, temporal_mapping_type,
                        _bits_of_2025 if of_2025 else None)
    if not of_2025:
        return context
    table = CostModelEvaluationLUT.of(context.require("scme"))
    table.cache_path = f"{output_path}/{experiment_id}/cost_lut_post_co.pickle"
    table.save()
    return context.require("scme")


optimize_allocation_co = optimize_allocation_co_with_mapping


def optimize_allocation_co_generic(hardware, workload, experiment_id, output_path, skip_if_exists=False,
                                   temporal_mapping_type="uneven", backend="ortools_gscip", constraint_selection=None, **others):
    """The same without a mapping file: every layer may run on every core that takes its operator."""
    _check("optimize_allocation_co_generic", others, temporal_mapping_type, backend, constraint_selection)
    return _optimise(hardware, workload, None, experiment_id, output_path, skip_if_exists, temporal_mapping_type)


def optimize_mapping(hardware, workload, experiment_id, output_path, max_nb_mappings=20, skip_if_exists=False, **others):
    """The same: zz's search goes through cuts and allocations by itself."""
    for name in ("nb_rows_to_use", "seq_len_tile_size", "embedding_tile_size", "hidden_tile_size", "last_gemm_down", "nb_workers"):
        others.pop(name, None)  # of the generator of mappings for AI engines
    return optimize_allocation_co_generic(hardware, workload, experiment_id, output_path, skip_if_exists, **others)


def _memory_cost(core_id, core, name, memory, on_die):
    width = max((port["bandwidth_max"] for port in memory["ports"]), default=1)
    sizes = dict(zip(core.get("operational_array", {}).get("dimensions", ()), core.get("operational_array", {}).get("sizes", ())))
    instances = 1
    for dimension, size in sizes.items():
        instances *= 1 if dimension in memory.get("served_dimensions", ()) else max(size, 1)
    kind = "rf" if memory["size"] < _LEAST_SRAM else "sram"
    answer = (cost(kind, size=int(memory["size"]), width=int(width), node=_NODE) if on_die
              else cost("dram", interface="ddr4", width=int(width)))
    return {"core_id": core_id, "core_name": core.get("name", f"core_{core_id}"), "memory_name": name,
            "style": kind if on_die else "off_die", "instances": instances, "bits_per_instance": memory["size"],
            "total_bits": memory["size"] * instances, "access_width_bits": width, "nb_ports": len(memory["ports"]),
            "area_mm2": answer["area"]["value"] * instances if on_die else 0.0,
            "read_energy_pj": answer["energy"]["value"], "write_energy_pj": answer["write_energy"]["value"], "counted": on_die}


def _compute_cost(core_id, core):
    array = core["operational_array"]
    units = 1
    for size in array["sizes"]:
        units *= size
    narrow = str(core.get("operand_precision", {}).get("input", "int8")).endswith(("4", "8"))
    answer = cost("mac", type="int8" if narrow else "fp16", node=_NODE)
    return {"core_id": core_id, "core_name": core.get("name", f"core_{core_id}"), "nb_units": units,
            "area_mm2": answer["area"]["value"] * units, "energy_per_op_pj": answer["energy"]["value"]}


def hardware_cost_report(hardware, output_path=None):
    """Area [mm2] and peak energy [pJ/cycle] of an accelerator file by the cost library of zz (docs/costs.md), at 16 nm."""
    system, takes = system_of(hardware)
    cores = []
    for core_id, core in system["cores"].items():
        on_die = core_id != system.get("offchip_core_id")
        memories = [_memory_cost(core_id, core, name, memory, on_die) for name, memory in core["memories"].items()]
        compute = _compute_cost(core_id, core) if core_id in takes else None
        cores.append({"core_id": core_id, "name": core.get("name"), "on_die": on_die, "memories": memories, "compute": compute,
                      "area_mm2": sum(one["area_mm2"] for one in [*memories, *([compute] if compute else [])])})
    memories = [one for core in cores for one in core["memories"]]
    computes = [core["compute"] for core in cores if core["compute"]]

    def peak(counted):
        return sum(one["instances"] * one["nb_ports"] * one["read_energy_pj"] for one in memories if one["counted"] == counted)

    report = {"bundle_name": system.get("name"), "technology_node": f"n{_NODE}", "cores": cores,
              "memory_area_mm2": sum(one["area_mm2"] for one in memories),
              "compute_area_mm2": sum(one["area_mm2"] for one in computes),
              "on_die_memory_bits": sum(one["total_bits"] for one in memories if one["counted"]),
              "off_die_memory_bits": sum(one["total_bits"] for one in memories if not one["counted"]),
              "peak_access_energy_pj_per_cycle": peak(True) + sum(one["nb_units"] * one["energy_per_op_pj"] for one in computes),
              "off_die_access_energy_pj_per_cycle": peak(False)}
    report["total_area_mm2"] = report["memory_area_mm2"] + report["compute_area_mm2"]
    if output_path:
        os.makedirs(os.path.dirname(os.path.abspath(output_path)), exist_ok=True)
        with open(output_path, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=2)
    return report
