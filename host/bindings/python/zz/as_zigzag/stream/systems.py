"""Accelerator and mapping files of today's Stream as those of zz."""

import copy
import itertools
import logging
import os
import pathlib

from zz.as_zigzag.page import PAGE
from zz.parts import read

_log = logging.getLogger("zz")
_BITS = {"int4": 4, "int8": 8, "uint8": 8, "fp8": 8, "int16": 16, "uint16": 16, "bf16": 16, "fp16": 16, "int24": 24, "int32": 32,
         "fp32": 32}
_KINDS = ("compute", "memory", "offchip")
_KNOWN = {"name", "cores", "core_connectivity", "offchip_core_id", "core_memory_sharing", "unit_energy_cost"}
_OF_PICTURES = ("core_coordinates", "technology_node")
_LARGEST = 2**53  # bits that zz counts
#: Parts of files that say how a solver shall cut and place; zz searches that itself.
_SEARCHED = ("inter_core_tiling", "intra_core_tiling", "kernel")


def _file_of(entry, beside):
    """A core file, as Stream finds it: by its path, beside the accelerator, in cores/, or from a folder above."""
    for folder in (pathlib.Path(), beside, beside / "cores", *beside.resolve().parents):
        if (folder / entry).is_file():
            return folder / entry
    raise FileNotFoundError(f"there is no core file {entry}, neither in {beside} nor in {beside / 'cores'} nor above")


def _bits(kind, what):
    if kind not in _BITS:
        raise ValueError(f"{what} is one of {', '.join(_BITS)}, not {kind!r}")
    return _BITS[kind]


def _core(core, number):
    """(a core as zz has it, the operators that it takes or None for all, whether it computes)."""
    core = dict(core)
    maker, _, kind = str(core.pop("type", "zigzag.compute")).rpartition(".")
    if maker not in ("", "zigzag") or kind not in _KINDS:
        known = ", ".join(f"zigzag.{one}" for one in _KINDS)
        raise ValueError(f"core {number} is of the type '{maker}.{kind}': zz has a cost model for {known} ({PAGE})")
    operators = core.pop("operator_types", None)
    precision = core.pop("operand_precision", None)
    core["memories"] = {name: {**memory, "size": min(memory["size"], _LARGEST)} for name, memory in core["memories"].items()}
    array = core.get("operational_array")
    if not array:
        core.pop("operational_array", None)
    elif precision:
        inputs, sums = (_bits(precision.get(name, "int8" if name == "input" else "int32"), f"operand_precision of core {number}")
                        for name in ("input", "accumulator"))
        array = {**array, "operand_precision": {"W": inputs, "I": inputs, "O": sums, "O_final": inputs}}
        core["operational_array"] = array
    computes = kind == "compute" and bool(array) and all(array.get("sizes", [0]))
    return core, operators, computes


def _pairs(cores):
    return [frozenset(pair) for pair in itertools.combinations(cores, 2)]


def _links(connectivity):
    """Links and buses as zz has them, where two cores are joined once: a bus beside links is, for the pairs that have no
    link, a link of its own width each."""
    entries = [{"cores": link} if isinstance(link, (list, tuple)) else dict(link) for link in connectivity]
    joined = {pair for link in entries if len(link["cores"]) == 2 for pair in _pairs(link["cores"])}
    links = []
    for entry in entries:
        kind = {name: part for name, part in entry.items() if name != "type"}
        pairs = _pairs(entry["cores"])
        if len(entry["cores"]) == 2 or joined.isdisjoint(pairs):
            links.append(kind)
            continue
        links += [{**kind, "cores": sorted(pair)} for pair in pairs if pair not in joined]
        _log.info("a bus joins cores that have links: of it, other pairs get a link each (%s)", PAGE)
    return links


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
    for name in set(data) - _KNOWN:
        if name not in _OF_PICTURES:
            _log.info("not taken over: %s of the accelerator (%s)", name, PAGE)
        del data[name]
    data["core_connectivity"] = _links(data.get("core_connectivity", []))
    if "core_memory_sharing" in data:
        data["core_memory_sharing"] = [[int(core) for core in group.split(",")] if isinstance(group, str) else group
                                       for group in data["core_memory_sharing"]]
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
