"""Turns the tilings of mapping files of later Streams into hint loops of zz."""

import os

from zz.as_zigzag.utilities import open_yaml
from zz.look import seen_below

_KEYS = ("intra_core_tiling", "inter_core_tiling")


def _entries(mapping):
    if isinstance(mapping, (str, os.PathLike)):
        return open_yaml(mapping)
    return mapping


def _loops(texts, what):
    """[[loop, pieces]] of texts as "OY, all". One piece is no cut, nor is "K, *", which only a solver replaces in Stream."""
    loops = []
    for text in texts or []:
        loop, _, pieces = (part.strip() for part in str(text).partition(","))
        if pieces not in ("all", "*") and not pieces.isdigit():
            raise ValueError(f"{what}: a tiling is a loop and a number, all or *, as 'OY, 4', not '{text}'")
        if pieces not in ("1", "*"):
            loops.append([loop, pieces if pieces == "all" else int(pieces)])
    return loops


def _network(parsers, parameters):
    """(layers, stacks of more than one layer)."""
    workload, stacks = seen_below([*parsers, "DetermineLayerStacksStage"], parameters, workload="workload",
                                  layer_stacks="list")
    return list(workload.layers), [set(stack) for stack in stacks if len(stack) > 1]


def without_tilings(mapping, parsers, parameters):
    """(the mapping without tilings, hint loops by layer or None where there are no tilings).

    parsers:    the stages that read accelerator and network; parameters: theirs, with mode and layer_stacks.
    """
    entries = _entries(mapping)
    if not isinstance(entries, list) or not any(entry.get(key) for entry in entries for key in _KEYS):
        return mapping, None
    plain = [{key: value for key, value in entry.items() if key not in _KEYS} for entry in entries]
    tilings = {entry["name"]: entry for entry in entries}
    layers, fused = _network(parsers, {**parameters, "mapping": plain})
    hints = {}
    for layer in layers:
        entry = tilings.get(layer.mapping.name, {})
        what = f"mapping entry '{layer.mapping.name}'"
        inner = _loops(entry.get("intra_core_tiling"), what) if any(layer.id in stack for stack in fused) else []
        known = {loop.name for loop in layer.loops}
        loops = inner + _loops(entry.get("inter_core_tiling"), what)
        hints[str(layer.id)] = [loop for loop in loops if loop[0] in known]
    return plain, hints
