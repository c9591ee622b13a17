"""Networks as objects."""

import copy
import json
import os

from zz import errors, object_pictures
from zz.inputs import refuse_layer
from zz.look import seen_below
from zz.parts import InputFile, Parts, checked_entries, read

#: Of a mapping file without demands: reading a network needs one.
_ANY = [{"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}]


def is_model(source):
    """Whether it is an ONNX model: its path, bytes or onnx.ModelProto."""
    return hasattr(source, "SerializeToString") or isinstance(source, (bytes, bytearray)) or (
        isinstance(source, (str, os.PathLike)) and os.fspath(source).endswith(".onnx"))


def is_config(source):
    """Whether it is the config.json of a language model: its path or its keys."""
    return isinstance(source, dict) or (isinstance(source, (str, os.PathLike)) and os.fspath(source).endswith(".json"))


def _relation(one):
    return (f"{one['data']}={one['stride']}*{one['output_loop']}+{one['dilation']}*{one['filter_loop']}").lower()


def _makers(network):
    """{operator: the layer whose result it hands on}, of layers and of operators without cost."""
    passed = {one["id"]: one["sources"] for one in json.loads(network.pass_through.json())}
    made = {layer.id: layer.id for layer in network.layers}

    def maker(node):
        if node not in made:
            made[node] = next((found for found in map(maker, passed.get(node, ())) if found is not None), None)
        return made[node]

    for node in passed:
        maker(node)
    return made


def _type(bits, scale):
    """Bits, or with the scale of a block as files have it."""
    return {"bits": bits, "scale": {key: value for key, value in scale.items() if value != ""}} if scale else bits


def _entry(layer, makers):
    """A layer of a network as workload files have it: inputs of the network are from the layer itself."""
    told = json.loads(layer.json())
    inputs = told["operands"][1:]
    bits = {operand["name"]: _type(operand["precision"], operand.get("scale"))
            for operand in [*inputs, told["operands"][0]]}
    entry = {
        "id": told["id"], "name": told["name"], "operator_type": told["type"],
        "equation": told["equation"].replace(" = ", "+=").replace(" ", ""),
        "dimension_relations": list(map(_relation, told["relations"])),
        "loop_dims": [loop["name"] for loop in told["loops"]], "loop_sizes": [loop["size"] for loop in told["loops"]],
        "operand_precision": {**bits, "O_final": _type(told["final_output_precision"], told.get("final_output_scale"))},
        "operand_source": {operand["name"]: next((makers[source] for source in operand["sources"]
                                                  if makers.get(source) is not None), told["id"]) for operand in inputs},
    }
    if told["relations"]:
        entry["pr_loop_dims"] = [one["data"] for one in told["relations"]]
        entry["pr_loop_sizes"] = [one["size"] for one in told["relations"]]
        if any(one["has_padding"] for one in told["relations"]):
            entry["padding"] = [[one["padding_low"], one["padding_high"]] for one in told["relations"]]
    return entry


class Workload(InputFile):
    """A network as an object: ``layers`` are those of a workload file, found by number or name, to look at and to set.

    source:   a path, the text of a workload file, a list of layers, an ONNX model (path, bytes or onnx.ModelProto), the
              config.json of a language model (path or dict), or another workload.
    settings: of a model, as ONNXModelParserStage has them: ``operand_precision``, ``precision``, ``dimensions``; of a
              language model, as TransformerWorkloadStage has them: ``phase`` and ``context`` are needed.

    Runs take it wherever they take a path. A model that is not changed is run as it is. Where a layer is changed, the layers
    alone are run: the bits of their sums cannot wait for an accelerator, so that ``operand_precision`` or ``precision`` must
    be given, and operators without cost are not among them, which matters on several cores.

    >>> bits = {"W": 8, "I": 8, "O": 32, "O_final": 8}
    >>> network = zz.Workload(zz.configs / "workloads/resnet18.onnx", operand_precision=bits)
    >>> network.layers["stem/conv"].operand_precision.W = 4
    >>> zz.map(network, "chip.yaml").energy
    """

    def __init__(self, source, **settings):
        super().__init__(source)
        refuse_layer(source)
        if isinstance(source, Workload):
            self._keep(copy.deepcopy(source._data))
            self._has_bits = source._has_bits
        elif is_model(source):
            given = {"workload": source, "mapping": _ANY, **settings}
            (network,) = seen_below(["ONNXModelParserStage"], given, workload="workload")
            makers = _makers(network)
            model = source.SerializeToString() if hasattr(source, "SerializeToString") else source
            self._keep([_entry(layer, makers) for layer in network.layers], None if settings else model)
            self._has_bits = not {"operand_precision", "precision"}.isdisjoint(settings)
        elif is_config(source):
            if missing := [name for name in ("phase", "context") if name not in settings]:
                raise errors.InputError(f"the layers of a language model depend on {' and '.join(missing)}: write zz.Workload("
                                        "config, phase='decode', context=2048)")
            given = {"workload": source, "mapping": _ANY, **settings}
            (network,) = seen_below(["TransformerWorkloadStage"], given, workload="workload")
            makers = _makers(network)
            self._keep([_entry(layer, makers) for layer in network.layers])
            self._has_bits = True
        else:
            if settings:
                raise TypeError(f"settings such as {next(iter(settings))}=... are for ONNX models: a workload file says all")
            data, path = read(source)
            if not isinstance(data, list):
                raise errors.InputError("a workload is a list of layers; language models by their config.json have none before "
                                        "they are run")
            self._keep(checked_entries(data, "a workload"), path)
            self._has_bits = True

    def _as_input(self):
        as_input = super()._as_input()
        if isinstance(as_input, list) and not self._has_bits:
            raise errors.InputError("layers of an ONNX model by themselves need the bits of their sums: write zz.Workload(model, "
                                    "operand_precision={'W': 8, 'I': 8, 'O': 32, 'O_final': 8})")
        return as_input

    def __reduce__(self):
        make, state = super().__reduce__()
        return make, (*state, {"_has_bits": self._has_bits})

    @property
    def layers(self):
        """The layers, by number or name."""
        return Parts(self._data)

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        return iter(self.layers)

    def __getitem__(self, key):
        return self.layers[key]

    def __eq__(self, other):
        return isinstance(other, Workload) and self._data == other._data

    __hash__ = None

    def to_python(self):
        """A copy as a list of dicts."""
        return copy.deepcopy(self._data)

    def _repr_html_(self):
        """The layers below each other, joined to those whose results they read."""
        return object_pictures.of_workload(self._data)

    def __repr__(self):
        return f"<zz workload: {len(self._data)} layers>"
