"""Accelerators as objects."""

import os

from zz import object_pictures
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
        self._keep(_with_cores(data, path), path)

    def to_python(self):
        """A copy as dicts and lists."""
        return Part.to_python(self)

    def _repr_html_(self):
        """The array below its memories, those that serve each other joined."""
        return object_pictures.of_accelerator(self._data)

    def __repr__(self):
        cores = self._data.get("cores")
        what = f"{len(cores)} cores" if cores else f"{len(self._data.get('memories', ()))} memories"
        return f"<zz accelerator {self._data.get('name', '')!r}: {what}>"
