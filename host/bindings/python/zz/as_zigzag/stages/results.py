"""Results of zz as stages of ZigZag yield them."""

from zz import _zz
from zz.as_zigzag.stream.schedules import StreamCostModelEvaluation
from zz.as_zigzag.values.accelerators import Accelerator
from zz.as_zigzag.values.evaluations import evaluation_of
from zz.as_zigzag.values.layers import LayerNode, Workload, user_spatial_mapping
from zz.as_zigzag.values.mappings import SpatialMappingInternal, TemporalMapping


def _evaluation(value):
    return evaluation_of(value) if value["schedule"] is None else StreamCostModelEvaluation(value)


_OBJECTS = {"evaluation": _evaluation, "layer": LayerNode, "accelerator": Accelerator,
            "spatial_mapping": SpatialMappingInternal, "spatial_unrolling": user_spatial_mapping,
            "temporal_mapping": TemporalMapping, "workload": Workload}


def _is_map(value):
    return any(value.keys())  # those of a list are empty


def object_of(value):
    """What ZigZag has for a value: an object, a list, a pair of an object and what came with it, or plain Python."""
    if not isinstance(value, _zz.Value):
        return value
    if value.type:
        return _OBJECTS.get(value.type, lambda other: other)(value)
    if _is_map(value):
        return {key: object_of(item) for key, item in value.items()}
    objects = [object_of(item) for item in value]
    return tuple(objects) if len(value) == 2 and getattr(value[0], "type", "") else objects


def objects_in(context):
    """{key: object} of what ZigZag has as arguments of its stages."""
    values = {key: context[key] for key in context.keys()}
    return {key: object_of(value) for key, value in values.items() if getattr(value, "type", "") in _OBJECTS}


def answer_of(result):
    """(CME, extra) of a result of zz."""
    return object_of(result[0]), object_of(result[1])
