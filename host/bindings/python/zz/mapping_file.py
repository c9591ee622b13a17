"""Mapping files as objects, and what a run found as one."""

import copy

from zz import _zz, object_pictures
from zz.parts import InputFile, Parts, checked_entries, inline, read, yaml_text
from zz.results import Result, Results


def _text_of(results):
    """The mapping file that comes to results again; "" of what is none."""
    if isinstance(results, Result):
        return _zz.mapping_of(*results)
    if isinstance(results, Results):
        return _zz.mapping_of([list(result) for result in results], None)
    return _zz.mapping_of(results, None) if isinstance(results, _zz.Value) else ""


class Mapping(InputFile):
    """A mapping file as an object: ``entries`` are found by number or name, to look at and to set.

    source: a path, the text of a file, a list of entries, another mapping, or results of a run: then it says how each layer
            was mapped, and the same call with it comes to the same results.

    >>> mapping = zz.Mapping("configs/mappings/tpu_like.yaml")
    >>> mapping["default"].spatial_mapping.D1 = ["K, 128"]
    >>> zz.Mapping(zz.map("resnet18.onnx", "chip.yaml")).save("found.yaml")
    """

    def __init__(self, source):
        super().__init__(source)
        if isinstance(source, Mapping):
            self._keep(copy.deepcopy(source._data))
            return
        data, path = read(_text_of(source) or source, _zz.read_mapping)
        self._keep(checked_entries(data, "a mapping"), path)

    @property
    def entries(self):
        """The entries, by number or name."""
        return Parts(self._data)

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        return iter(self.entries)

    def __getitem__(self, key):
        return self.entries[key]

    def __eq__(self, other):
        return isinstance(other, Mapping) and self._data == other._data

    __hash__ = None

    def to_yaml(self):
        """The text of a mapping file. The ``cuts`` of entries are comments in it, which zz reads and ZigZag passes over."""
        if not isinstance(self._data, list) or not any(isinstance(entry, dict) and entry.get("cuts") for entry in self._data):
            return super().to_yaml()
        lines = []
        for entry in self._data:
            cuts = entry.get("cuts")
            lines.append(yaml_text([{key: part for key, part in entry.items() if key != "cuts"} if cuts else entry]))
            if cuts:
                lines.append(f"# cuts: {inline(cuts)}")
        return "\n".join(lines) + "\n"

    def to_python(self):
        """A copy as a list of dicts."""
        return copy.deepcopy(self._data)

    def _repr_html_(self):
        """Each entry as a loop nest, the outermost loop first."""
        return object_pictures.of_mapping(self._data)

    def __repr__(self):
        return f"<zz mapping: {', '.join(str(entry.get('name')) for entry in self._data)}>"
