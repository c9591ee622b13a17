"""One mapping costed by hand: what scripts build with TemporalMapping(...), SpatialMappingConversionStage(...) and
CostModelEvaluation(...), as values of zz that its own stages convert and cost."""

import contextlib
import re
import threading

import zz
from zz import _zz, errors
from zz.as_zigzag import compat
from zz.look import seen_below
from zz.stage import Stage

#: What a script may set of a layer: none of it counts here, as everything that is mapped is given.
_NOT_ASKED = {"spatial_mapping", "spatial_mapping_hint", "temporal_ordering"}


_given = threading.local()  # .values: those of the call that this thread is in


class _HandDown(Stage):
    """Hands down what a script gave."""

    forwards = True

    def prepare(self):
        self._values = _given.values

    def run(self, context):
        yield from self.substage(context, **self._values)


class GivenLayer(_HandDown):
    """A layer and an accelerator that a script gave."""

    provides = {"accelerator": "accelerator", "layer": "layer"}


class GivenMapping(_HandDown):
    """A layer, an accelerator and a mapping that a script gave."""

    provides = {**GivenLayer.provides, "spatial_mapping": "spatial_mapping", "spatial_mapping_int": "spatial_mapping",
                "temporal_mapping": "temporal_mapping"}


@contextlib.contextmanager
def _handing_down(values):
    _given.values = values
    try:
        yield
    except errors.StageError as problem:  # the chain blames the stage that hands down what the script gave
        told = re.search(r"hands down (a mapping that cannot be: .*?): this is a bug", str(problem), re.DOTALL)
        if told is None:
            raise
        raise errors.InputError(f"the script made {told[1]}") from None
    finally:
        del _given.values


def layer_node(number, name, node, mapping):
    """The value of a layer that a script made of LayerNodeAttributes and MappingAttributes: what files would say of it."""
    from zz.as_zigzag.factories import WorkloadFactory

    def texts(part):
        return {str(key): item for key, item in (getattr(part, "data", part) or {}).items()}

    entry = {"id": number, "name": name, "operator_type": node.layer_type, "equation": getattr(node.equation, "data", node.equation),
             "loop_dims": list(texts(node.layer_dim_sizes)), "loop_sizes": list(texts(node.layer_dim_sizes).values()),
             "operand_precision": texts(node.operand_precision), "operand_source": texts(node.input_operand_source),
             "dimension_relations": [f"{one.dim_1}={one.coef_2}*{one.dim_2}+{one.coef_3}*{one.dim_3}".lower()
                                     for one in getattr(node, "dimension_relations", ())]}
    if padding := texts(getattr(node, "padding", None)):
        entry["pr_loop_dims"], entry["padding"] = list(padding), [list(both) for both in padding.values()]
    # Other layers that it reads are not there.
    entry["operand_source"] = {operand: number for operand in entry["operand_source"]}
    links = {"name": "default", "memory_operand_links": {key: str(item) for key, item in texts(mapping.memory_operand_links).items()}}
    if unrolled := texts(getattr(mapping, "spatial_mapping", None)):
        links["spatial_mapping"] = {along: [f"{loop}, {factor}" for loop, factor in loops.items()] for along, loops in unrolled.items()}
    if ordering := getattr(getattr(mapping, "temporal_ordering", None), "data", None):
        links["temporal_ordering"] = [[str(loop), "*" if size is None else size] for loop, size in ordering]
    (layer,) = WorkloadFactory([entry], [links]).create()
    return layer._value


def expect_levels(**given):
    """Refuses what is neither a value of zz nor {operand: [loops of each level]}: name=mapping."""
    for name, mapping in given.items():
        if not isinstance(mapping, (dict, _zz.Value)):
            raise TypeError(f"{name}={mapping!r}: expected a dict, {{operand: [loops of each level]}}")


def _of_operands(mapping_dict, layer):
    """(operand, its levels), in the order of the layer's equation."""
    if not hasattr(layer, "layer_operands") or isinstance(layer, type):
        raise TypeError(f"layer_node={layer!r}: expected the layer of the mapping, as LayerNodeFactory or a result has it")
    given = {str(operand): levels for operand, levels in mapping_dict.items()}
    operands = [str(operand) for operand in layer.layer_operands]
    if set(given) != set(operands):
        raise ValueError(f"the mapping is of the operands {', '.join(given)}; layer {layer.name} has {', '.join(operands)}")
    try:
        return [(operand, [[(str(loop), size) for loop, size in level] for level in given[operand]]) for operand in operands]
    except (TypeError, ValueError):
        raise TypeError(f"{mapping_dict!r}: expected of each operand a list with the loops of each level, each (loop, size)") from None


def spatial_mapping(mapping_dict, layer):
    """The value of {operand: [loops unrolled at each level, from the array on]}."""
    return _zz.make("spatial_mapping", operands=[
        {"operand": operand, "levels": [[{"dimension": loop, "factor": float(size)} for loop, size in level] for level in levels]}
        for operand, levels in _of_operands(mapping_dict, layer)])


def _ends(levels, irrelevant):
    """How many innermost loops each level holds: as they are given, and with the loops that a level begins with, and that
    leave its data as they are, moved to the level below."""
    allocated, stationary = [], []
    loops = [loop for level in levels for loop, _ in level]
    for level in levels:
        allocated.append((allocated[-1] if allocated else 0) + len(level))
    for end in allocated:
        while end < len(loops) and loops[end] in irrelevant:
            end += 1
        stationary.append(end)
    return allocated, stationary


def temporal_mapping(mapping_dict, layer, mapping_type):
    """The value of {operand: [loops of each memory level, the innermost first]}."""
    order, operands = None, []
    for operand, levels in _of_operands(mapping_dict, layer):
        loops = [loop for level in levels for loop in level]
        order = order or loops
        if loops != order:
            raise ValueError(f"the loops of operand {operand} are {loops}, others have {order}: all operands have the same "
                             "loops in the same order, cut into levels each for itself")
        irrelevant = [str(loop) for loop in layer.loop_relevancy_info.get_ir_layer_dims(operand)]
        allocated, stationary = _ends(levels, irrelevant)
        operands.append({"operand": operand, "allocated": allocated, "stationary": stationary})
    return _zz.make("temporal_mapping", {"loops": [{"dimension": loop, "size": int(size)} for loop, size in order or []],
                                         "operands": operands, "type": str(mapping_type)})


def _value(key, thing):
    """An accelerator or a layer with what the script has set of it."""
    from zz.as_zigzag.stages.changes import change_of
    from zz.as_zigzag.stages.results import object_of

    fresh = object_of(thing._value)
    if key == "layer":
        kept = {name: item for name, item in vars(thing).items() if name not in _NOT_ASKED}
        thing = type(thing)(thing._value)
        thing.__dict__.update(kept)
    value = thing._value
    for path, item in change_of(key, thing, fresh, object_of).items():
        value = value.changed({path.removeprefix(f"{key}."): item})
    return value


def cost(accelerator, layer, spatial, spatial_int, temporal, same_data_free):
    """The evaluation of one mapping, a value."""
    values = {"accelerator": _value("accelerator", accelerator), "layer": _value("layer", layer),
              "spatial_mapping": spatial._value, "spatial_mapping_int": spatial_int._value, "temporal_mapping": temporal._value}
    settings = {"compat": compat.setting(), "access_same_data_considered_as_no_access": bool(same_data_free)}
    with _handing_down(values):
        (evaluation, _), = zz.run({"stages": [GivenMapping, "CostModelStage"], "parameters": settings})
    return evaluation


def converted(accelerator, layer, unrolling):
    """The values of an unrolling {array dimension: {loop: factor}}, by level: with average factors and with whole ones."""
    prescribed = _zz.make("spatial_unrolling", dimensions=[
        {"array_dimension": str(along), "loops": [{"dimension": str(loop), "factor": int(factor)} for loop, factor in loops.items()]}
        for along, loops in unrolling.items()])
    values = {"accelerator": _value("accelerator", accelerator),
              "layer": _value("layer", layer).changed({"mapping.spatial_mapping": prescribed})}
    with _handing_down(values):
        return seen_below([GivenLayer, "SpatialMappingConversionStage"], {"compat": compat.setting()},
                          spatial_mapping="spatial_mapping", spatial_mapping_int="spatial_mapping")
