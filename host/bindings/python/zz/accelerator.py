"""Accelerators as objects."""

import os
import reprlib

from zz import errors, object_pictures
from zz.look import seen_below
from zz.parts import InputFile, Part, read


def _with_cores(data, path):
    """The files of cores that lie beside that of the accelerator, in their places."""
    cores = data.get("cores")
    if not path or not isinstance(cores, (dict, list)):
        return data

    def core(entry):
        for folder in ("", "cores") if isinstance(entry, str) else ():
            file = os.path.join(os.path.dirname(path), folder, entry)
            if os.path.exists(file):
                return read(file)[0]
        return entry

    data["cores"] = {name: core(entry) for name, entry in cores.items()} if isinstance(cores, dict) else list(map(core, cores))
    return data


def _is_open(value):
    """Whether costs are left to ComponentCostStage."""
    if isinstance(value, dict):
        return any(map(_is_open, value.values()))
    return value == "auto"


def _filled(data):
    """The keys of a core with the costs that its file leaves open, as a run fills them; as they are where nobody can."""
    if not _is_open(data) or data.get("cores"):
        return data
    try:
        (chip,) = seen_below(["AcceleratorParserStage", "ComponentCostStage"], {"accelerator": data}, accelerator="accelerator")
    except errors.Error:
        return data
    memories = {memory.name: {"r_cost": float(f"{memory.r_cost:.3g}"), "w_cost": float(f"{memory.w_cost:.3g}")}
                for memory in chip.memories}
    array = {"unit_energy": float(f"{chip.operational_array.unit_energy:.3g}")}
    return {**data, "memories": {name: {**memory, **memories.get(name, {})} for name, memory in data["memories"].items()},
            "operational_array": {**data["operational_array"], **array}}


class Accelerator(InputFile, Part):
    """An accelerator file as an object: its keys are attributes, to look at and to set.

    source: a path, the text of a file, a dict as a file has it, or another accelerator.

    Runs take it wherever they take a path or a dict. Memories and ports are found by name.

    >>> chip = zz.Accelerator(zz.configs / "accelerators/gemmini_like.yaml")
    >>> chip.memories["scratchpad"].size *= 2
    >>> chip.memories["scratchpad"].ports["r_port_1"].bandwidth_max
    >>> zz.map("resnet18.onnx", chip).energy
    """

    def __init__(self, source):
        super().__init__(source)
        data, path = read(source)
        if not isinstance(data, dict):
            raise errors.InputError(f"an accelerator is a dict, but found {reprlib.repr(data)}")
        self._keep(_with_cores(data, path), path)

    def to_python(self):
        """A copy as dicts and lists."""
        return Part.to_python(self)

    def _repr_html_(self):
        """The array below its memories, those that serve each other joined."""
        filled = _filled(self._data)
        told = "" if filled is self._data else "<p>costs that are left open as ComponentCostStage fills them</p>"
        return object_pictures.of_accelerator(filled) + told

    def __repr__(self):
        cores = self._data.get("cores")
        what = f"{len(cores)} cores" if cores else f"{len(self._data.get('memories', ()))} memories"
        return f"<zz accelerator {self._data.get('name', '')!r}: {what}>"
