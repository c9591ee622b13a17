"""The parts of a layer: sizes, precisions, links, orders. Each has what it stands for in `data`."""

import copy
import re

from zz.as_zigzag.values.names import Constants, LayerDim, LayerOperand
from zz.as_zigzag.values.representation import json_repr_handler


class LayerAttribute:
    def __init__(self, data):
        self.data = data

    @classmethod
    def empty(cls):
        return cls({})

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return iter(self.data)

    def __getitem__(self, key):
        return self.data[key]

    def __contains__(self, key):
        return key in self.data

    def __str__(self):
        return str(self.data)

    __repr__ = __str__

    def __jsonrepr__(self):
        return json_repr_handler(self.data)

    def __eq__(self, other):
        return isinstance(other, LayerAttribute) and self.data == other.data

    def __hash__(self):
        return hash(str(self.data))


class LayerEquation(LayerAttribute):
    """What one iteration computes: `data` is the text."""

    def _tensors(self):
        """(operand, its dimensions) in the order of the equation."""
        for name, indices in re.findall(r"(\w+)((?:\[\w+\])+)", self.data):
            yield LayerOperand(name), [LayerDim(index) for index in re.findall(r"\w+", indices)]

    def get_contained_operands(self):
        return [operand for operand, _ in self._tensors()]

    def get_r_layer_dims(self, layer_op):
        return dict(self._tensors())[layer_op]


class LayerDimSizes(LayerAttribute):
    """{LayerDim: size} of the loops."""

    @property
    def layer_dims(self):
        return list(self.data)

    @property
    def total_size(self):
        product = 1
        for size in self.data.values():
            product *= size
        return product

    def items(self):
        return self.data.items()

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def copy(self):
        return LayerDimSizes(dict(self.data))


class LayerOperandPrecision(LayerAttribute):
    """{LayerOperand: bits}."""

    @property
    def final_output_precision(self):
        return self.data.get(Constants.FINAL_OUTPUT_LAYER_OP, self.data.get(Constants.OUTPUT_LAYER_OP))


class MemoryOperandLinks(LayerAttribute):
    """{LayerOperand: MemoryOperand}."""

    @property
    def layer_operands(self):
        return list(self.data)

    @property
    def mem_operands(self):
        return list(self.data.values())

    def layer_to_mem_op(self, layer_op):
        return self.data[layer_op]

    def mem_to_layer_op(self, mem_op):
        return {memory: operand for operand, memory in self.data.items()}[mem_op]

    def layer_and_mem_ops(self):
        return self.data.items()

    def contains_layer_op(self, layer_op):
        return layer_op in self.data

    def contains_mem_op(self, mem_op):
        return mem_op in self.data.values()


class LayerDimRelation(LayerAttribute):
    """How two loops walk over one dimension of the data: dim_1 = coef_2*dim_2 + coef_3*dim_3."""

    def __init__(self, dim_1, dim_2, dim_3, coef_2, coef_3):
        super().__init__(f"{dim_1} = {coef_2}*{dim_2} + {coef_3}*{dim_3}")
        self.dim_1, self.dim_2, self.dim_3, self.coef_2, self.coef_3 = dim_1, dim_2, dim_3, coef_2, coef_3


class LayerTemporalOrdering(LayerAttribute):
    """[(LayerDim, size)], innermost first; None for any size."""

    @classmethod
    def empty(cls):
        return cls([])

    def is_empty(self):
        return not self.data


class LayerPadding(LayerAttribute):
    """{LayerDim: (before, after)}."""

    DEFAULT = (0, 0)

    def __getitem__(self, key):
        return self.data.get(key, self.DEFAULT)


class MappingSingleOADim(LayerAttribute):
    """{LayerDim: factor} along one dimension of the array."""

    @property
    def utilization(self):
        product = 1
        for factor in self.data.values():
            product *= factor
        return product

    @property
    def layer_dims(self):
        return set(self.data)

    @property
    def unroll_sizes(self):
        return list(self.data.values())

    def get_data(self):
        return self.data

    def __setitem__(self, key, factor):
        self.data[key] = factor

    def __delitem__(self, key):
        del self.data[key]

    def update(self, other):
        self.data.update(other.data)

    def keys(self):
        return self.data.keys()

    def items(self):
        return self.data.items()

    def __str__(self):
        return "{" + ", ".join(f"{loop}: {factor}" for loop, factor in self.data.items()) + "}"

    __repr__ = __str__


class SpatialMapping(LayerAttribute):
    """{OADimension: MappingSingleOADim}: what is unrolled where."""

    oa_dim_sizes = None

    def copy(self):
        return copy.deepcopy(self)

    def __setitem__(self, key, mapping):
        self.data[key] = mapping

    @property
    def oa_dims(self):
        return set(self.data)

    @property
    def mappings(self):
        return list(self.data.values())

    @property
    def hw_utilization(self):
        product = 1
        for mapping in self.data.values():
            product *= mapping.utilization
        return int(product)

    @property
    def all_contained_layer_dims(self):
        return {loop for loop, _ in self.flatten_unrollings()}

    def flatten_unrollings(self):
        return [pair for mapping in self.data.values() for pair in mapping.items()]

    def get_total_unrolling_of_layer_dim(self, layer_dim):
        product = 1
        for loop, factor in self.flatten_unrollings():
            product *= factor if loop == layer_dim else 1
        return product

    def initialize_oa_dims(self, oa_dim_sizes):
        """zz knows the array of each layer: the sizes are kept for scripts that ask for them."""
        self.oa_dim_sizes = oa_dim_sizes

    def delete_layer_dim(self, layer_dim):
        for mapping in self.data.values():
            mapping.data.pop(layer_dim, None)

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def __str__(self):
        return "{" + ", ".join(f"{dimension}: {mapping}" for dimension, mapping in self.data.items()) + "}"

    __repr__ = __str__


class SpatialMappingHint(LayerAttribute):
    """{OADimension: {LayerDim}}: what may be unrolled where."""
