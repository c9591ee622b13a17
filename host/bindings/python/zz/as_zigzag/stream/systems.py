"""Accelerator and mapping files of today's Stream as those of zz."""

import copy
import logging
import os
import pathlib

from zz.as_zigzag.page import PAGE
from zz.parts import read

_log = logging.getLogger("zz")
_KINDS = ("compute", "memory", "offchip")
_LARGEST = 2**53  # bits that zz counts
#: Parts of files that say how a solver shall cut and place; zz searches that itself.
_SEARCHED = ("inter_core_tiling", "intra_core_tiling", "kernel")


def _file_of(entry, beside):
    """A core file, as Stream finds it: by its path, beside the accelerator, in cores/, or from a folder above."""
    for folder in (pathlib.Path(), beside, beside / "cores", *beside.resolve().parents):
        if (folder / entry).is_file():
            return folder / entry
    raise FileNotFoundError(f"there is no core file {entry}, neither in {beside} nor in {beside / 'cores'} nor above")


def _core(core, number):
    """(a core as zz has it, the operators that it takes or None for all, whether it computes)."""
    core = dict(core)
    maker, _, kind = str(core.get("type") or "zigzag.compute").rpartition(".")
    if maker not in ("", "zigzag") or kind not in _KINDS:
        known = ", ".join(f"zigzag.{one}" for one in _KINDS)
        raise ValueError(f"core {number} is of the type '{maker}.{kind}': zz has a cost model for {known} ({PAGE})")
    operators = core.pop("operator_types", None)
    core["memories"] = {name: {**memory, "size": min(memory["size"], _LARGEST)} for name, memory in core["memories"].items()}
    array = core.get("operational_array") or {}
    return core, operators, kind == "compute" and bool(array) and all(array.get("sizes", [0]))


def system_of(hardware):
    """(an accelerator of several cores for zz, {core: operators that it takes, None for all} of those that compute)."""
    data, path = read(hardware)
    beside = pathlib.Path(path).parent
    cores, takes = {}, {}
    entries = data["cores"].items() if isinstance(data["cores"], dict) else enumerate(data["cores"])
    for number, entry in entries:
        core = read(_file_of(entry, beside))[0] if isinstance(entry, (str, os.PathLike)) else copy.deepcopy(entry)
        cores[int(number)], operators, computes = _core(core, number)
        if computes and int(number) != data.get("offchip_core_id"):
            takes[int(number)] = operators
    data["cores"] = cores
    if data.get("offchip_core"):  # a file of its own, as Stream had it until 2025
        data["offchip_core"] = str(_file_of(data["offchip_core"], beside).resolve())
    return data, takes


def any_mapping(takes):
    """Every operator on every core that takes it."""
    operators = sorted({operator for some in takes.values() for operator in some or ()})
    general = [core for core, some in takes.items() if some is None] or list(takes)
    return [{"name": "default", "core_allocation": general},
            *({"name": operator, "core_allocation": [core for core, some in takes.items() if some and operator in some]}
              for operator in operators)]


def mapping_of(mapping):
    """The entries of a mapping file: which cores may run which layers."""
    data, _ = read(mapping)
    groups = data.get("fused_groups") if isinstance(data, dict) else None
    entries = data["layers"] if isinstance(data, dict) else data
    left_out = sorted({name for entry in entries for name in _SEARCHED if entry.get(name)})
    left_out += ["fused_groups"] if groups else []
    if left_out:
        _log.info("not taken over: %s; zz searches how layers are cut and fused itself (%s)", ", ".join(left_out), PAGE)
    plain = []
    for entry in entries:
        kept = {name: part for name, part in entry.items() if name not in _SEARCHED}
        cores = kept.get("core_allocation", [])
        kept["core_allocation"] = [core for group in cores for core in (group if isinstance(group, list) else [group])]
        plain.append(kept)
    return plain
