"""What a stage of a script has changed in the objects that it hands on, as changes of values of zz."""

import re

from zz import _zz
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.values.evaluations import CostModelEvaluationABC, CumulativeCME, FIGURES
from zz.as_zigzag.values.view import View

#: attribute of an accelerator -> path into its value
_OF_ACCELERATORS = (
    (r"memory_hierarchy\.mem_level_list\[(\d+)\]\.memory_instance\.(size|r_cost|w_cost|area)", r"memories[\1].\2"),
    (r"operational_array\.unit\.energy_cost", "operational_array.unit_energy"),
    (r"operational_array\.unit\.area", "operational_array.unit_area"),
)


def _differences(thing, fresh, path):
    """(path, item) of all attributes that are not as in `fresh`, which nobody has changed."""
    if isinstance(thing, View) and type(thing) is type(fresh):
        for name, item in vars(thing).items():
            if not name.startswith("_"):
                yield from _differences(item, getattr(fresh, name, None), f"{path}.{name}" if path else name)
    elif isinstance(thing, (list, tuple)) and isinstance(fresh, (list, tuple)) and len(thing) == len(fresh):
        for number, (item, other) in enumerate(zip(thing, fresh)):
            yield from _differences(item, other, f"{path}[{number}]")
    elif thing is not fresh and thing != fresh:
        yield path, thing


def _refuse(kind, path):
    raise TypeError(f"zz cannot take over that '{path}' of the {kind} was set by a stage; a stage of zz in Python can change "
                    f"every part of a value: see docs/from-zigzag.md and {PAGE}")


def change_of(key, thing, given, fresh):
    """The changes of the context, {path: value}, when `thing` is handed on under a key that had `given`."""
    if not isinstance(thing, View) or type(thing) is not type(given):
        raise TypeError(f"'{key}' must stay a {type(given).__name__} on zz, not {thing!r}")
    changes = {} if thing._value == given._value else {key: thing._value}
    for path, item in _differences(thing, fresh(thing._value), ""):
        for theirs, ours in _OF_ACCELERATORS if key == "accelerator" else ():
            if re.fullmatch(theirs, path):
                changes[f"{key}.{re.sub(theirs, ours, path)}"] = item
                break
        else:
            _refuse(key, path)
    return changes


def _evaluation(thing, fresh):
    value = thing._value
    if value is None:
        value = _zz.sum_of([value_of(part, fresh) for part in thing._parts])
    figures = {name: item for name, item in _differences(thing, fresh(value), "")}
    for name in figures:
        if name not in FIGURES and not (thing._value is None and name in ("accelerator", "layer_ids")):
            _refuse("evaluation", name)
    return value.changed({name: float(item) for name, item in figures.items() if name in FIGURES}) if figures else value


def value_of(thing, fresh):
    """What a stage yields, as a value of zz or plain Python. `fresh` makes the object of a value."""
    if isinstance(thing, CostModelEvaluationABC):
        if isinstance(thing, CumulativeCME) and thing._value is None and not thing._parts:
            raise TypeError("the sum of no evaluations is none")
        return _evaluation(thing, fresh)
    if isinstance(thing, View):
        return thing._value
    if isinstance(thing, (list, tuple)):
        return [value_of(item, fresh) for item in thing]
    if isinstance(thing, dict):
        return {str(key): value_of(item, fresh) for key, item in thing.items()}
    return str(thing) if isinstance(thing, str) else thing
