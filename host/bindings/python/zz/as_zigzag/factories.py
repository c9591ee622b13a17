"""ZigZag's parsers one by one: objects from what input files have, without a run.

An object remembers what it was made from, {setting: value}: MainStage takes that in its place.
"""

import functools
import logging

from zz import errors
from zz.look import seen_below
from zz.as_zigzag.values.accelerators import Accelerator
from zz.as_zigzag.values.layers import LayerNodeAttributes, MappingAttributes, Workload

_log = logging.getLogger("zz")


def _made(view, settings):
    view.__dict__["_made_from"] = settings
    return view


class AcceleratorFactory:
    """data: what an accelerator file has, or its path."""

    def __init__(self, data):
        self.data = data

    def create(self, core_id=0, shared_mem_group_id=None):
        settings = {"accelerator": self.data}
        (value,) = seen_below(["AcceleratorParserStage"], settings, accelerator="accelerator")
        accelerator = _made(Accelerator(value), settings)
        if core_id:
            accelerator.id = core_id
        return accelerator


class WorkloadFactory:
    """workload_data, mapping_data: lists as workload and mapping files have them, or paths."""

    def __init__(self, workload_data, mapping_data):
        self.workload_data = workload_data
        self.mapping_data = mapping_data

    def create(self):
        settings = {"workload": self.workload_data, "mapping": self.mapping_data}
        (value,) = seen_below(["WorkloadParserStage"], settings, workload="workload")
        return _made(Workload(value), settings)


class LayerNodeFactory:
    """A single layer: an entry of a workload file, without the layers that its inputs come from."""

    def __init__(self, node_data, mapping_data):
        self.node_data = node_data
        self.mapping_data = mapping_data
        self.layer_id = node_data["id"]
        self.node_name = node_data.get("name") or f"Layer{self.layer_id}"

    @functools.cached_property
    def _layer(self):
        alone = {**self.node_data, "name": self.node_name}
        alone["operand_source"] = {operand: self.layer_id for operand in alone.get("operand_source") or {}}
        workload = WorkloadFactory([alone], self.mapping_data).create()
        (layer,) = workload
        return _made(layer, workload._made_from)

    def create(self):
        return self._layer

    def create_node_attr(self):
        return LayerNodeAttributes.of(self._layer)

    def create_mapping_attr(self, layer_dim_sizes=None):
        return MappingAttributes.of(self._layer)


class ONNXModelParser:
    """onnx_model: a path or an onnx.ModelProto."""

    def __init__(self, onnx_model, mapping_yaml_path):
        self._settings = {"workload": onnx_model, "mapping": mapping_yaml_path}

    def run(self):
        (value,) = seen_below(["ONNXModelParserStage"], self._settings, workload="workload")
        return _made(Workload(value), self._settings)


def parse_onnx_model_from_path(onnx_model_path):
    import onnx  # only here: zz itself reads models without it

    return onnx.load(onnx_model_path, load_external_data=False)


class _Validator:
    """zz checks while it reads, so that what is wrong is named with its place; normalised data are the data."""

    def __init__(self, data, *_):
        self.data = data

    @property
    def normalized_data(self):
        return self.data

    def validate(self):
        try:
            self._create()
        except errors.InputError as problem:
            _log.critical("%s", problem)
            return False
        return True


class AcceleratorValidator(_Validator):
    def _create(self):
        AcceleratorFactory(self.data).create()


class WorkloadValidator(_Validator):
    def _create(self):
        WorkloadFactory(self.data, [{"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}]).create()


class MappingValidator(_Validator):
    def _create(self):
        layer = {"id": 0, "name": "layer", "operator_type": "Gemm", "equation": "O[d][k]+=I[d][c]*W[c][k]",
                 "loop_dims": ["D", "K", "C"], "loop_sizes": [1, 1, 1], "operand_source": {"I": 0, "W": 0},
                 "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}}
        WorkloadFactory([layer], self.data).create()
