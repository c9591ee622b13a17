"""A layer of a network."""

from functools import cached_property

from zz.as_zigzag import by_hand
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.values.attributes import (LayerDimRelation, LayerDimSizes, LayerEquation, LayerOperandPrecision,
                                            LayerPadding, LayerTemporalOrdering, MappingSingleOADim,
                                            MemoryOperandLinks, SpatialMapping, SpatialMappingHint)
from zz.as_zigzag.values.names import Constants, LayerDim, LayerOperand, MemoryOperand, OADimension
from zz.as_zigzag.values.representation import json_repr_handler
from zz.as_zigzag.values.view import Figure, View


def user_spatial_mapping(unrolling):
    return SpatialMapping({
        OADimension(along.array_dimension):
            MappingSingleOADim({LayerDim(loop.dimension): loop.factor for loop in along.loops})
        for along in unrolling.dimensions})


class LayerNodeABC(View):
    """What layers and operators without cost have in common."""

    id = Figure()
    name = Figure()
    type = Figure()

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"{type(self).__name__}({self.name})"


class DummyNode(LayerNodeABC):
    """An operator without cost."""


class LoopRelevancyInfo:
    """{LayerOperand: loops} that choose its data, that leave them as they are, and that slide a window over them."""

    def __init__(self, r_dims, ir_dims, pr_dims):
        self.r_dims, self.ir_dims, self.pr_dims = r_dims, ir_dims, pr_dims

    def get_r_layer_dims(self, layer_operand):
        return self.r_dims[layer_operand]

    def get_ir_layer_dims(self, layer_operand):
        return self.ir_dims[layer_operand]

    def get_pr_layer_dims(self, layer_operand):
        return self.pr_dims[layer_operand]

    def get_r_or_pr_layer_dims(self, layer_operand):
        return self.r_dims[layer_operand] + list(self.pr_dims[layer_operand])

    def __eq__(self, other):
        return isinstance(other, LoopRelevancyInfo) and vars(self) == vars(other)

    __hash__ = None


class LayerNode(LayerNodeABC):
    """A layer: a loop nest over multiply-accumulates. Of a network, or made by hand from its attributes."""

    def __init__(self, value=None, *, layer_id=0, node_name="", node_attr=None, mapping_attr=None):
        if value is None:
            for name, part, kind in (("node_attr", node_attr, LayerNodeAttributes), ("mapping_attr", mapping_attr, MappingAttributes)):
                if not isinstance(part, kind):
                    raise TypeError(f"LayerNode(...): {name}={part!r}: expected an object of {kind.__name__} ({PAGE})")
            value = by_hand.layer_node(layer_id, node_name, node_attr, mapping_attr)
        super().__init__(value)

    @cached_property
    def equation(self):
        return LayerEquation(self._value.equation)

    @cached_property
    def layer_dim_sizes(self):
        return LayerDimSizes({LayerDim(loop.name): loop.size for loop in self._value.loops})

    @cached_property
    def layer_dims(self):
        return self.layer_dim_sizes.layer_dims

    @cached_property
    def layer_operands(self):
        return [LayerOperand(operand.name) for operand in self._value.operands]

    @cached_property
    def output_operand(self):
        return self.layer_operands[0]

    @cached_property
    def input_operands(self):
        return self.layer_operands[1:]

    @cached_property
    def constant_operands(self):
        return [LayerOperand(operand.name) for operand in self._value.operands if operand.constant]

    @cached_property
    def input_operand_source(self):
        return {LayerOperand(operand.name): operand.sources[0] for operand in self._value.operands
                if len(operand.sources)}

    @cached_property
    def operand_precision(self):
        bits = {LayerOperand(operand.name): operand.precision for operand in self._value.operands}
        return LayerOperandPrecision({**bits, Constants.FINAL_OUTPUT_LAYER_OP: self._value.final_output_precision})

    @cached_property
    def dimension_relations(self):
        return [LayerDimRelation(LayerDim(one.data), LayerDim(one.output_loop), LayerDim(one.filter_loop), one.stride,
                                 one.dilation) for one in self._value.relations]

    @cached_property
    def pr_loop(self):
        return {one.dim_1: (one.dim_2, one.dim_3) for one in self.dimension_relations}

    @cached_property
    def pr_scaling_factors(self):
        return {one.dim_1: ((one.dim_2, one.coef_2), (one.dim_3, one.coef_3)) for one in self.dimension_relations}

    @cached_property
    def pr_layer_dim_sizes(self):
        return LayerDimSizes({LayerDim(one.data): one.size for one in self._value.relations})

    @cached_property
    def loop_relevancy_info(self):
        """Loops of one iteration, which change nothing, are left out where no window slides over the operand."""
        relevant, irrelevant, sliding = {}, {}, {}
        windows = {loop for pair in self.pr_loop.values() for loop in pair}
        for operand in self.layer_operands:
            own = self.equation.get_r_layer_dims(operand)
            slides = any(dimension in self.pr_loop for dimension in own)
            left_out = [*self.pr_loop, *windows] if slides else []
            relevant[operand] = [dimension for dimension in own if dimension not in left_out
                                 and (slides or self.layer_dim_sizes[dimension] != 1)]
            irrelevant[operand] = [dimension for dimension in self.layer_dims if dimension not in [*own, *left_out]
                                   and self.layer_dim_sizes[dimension] != 1]
            sliding[operand] = dict(self.pr_loop) if slides else {}
        return LoopRelevancyInfo(relevant, irrelevant, sliding)

    def extract_node_attr(self):
        return LayerNodeAttributes.of(self)

    def extract_mapping_attr(self):
        return MappingAttributes.of(self)

    def get_operand_irrelevant_layer_dims(self, layer_op):
        return self.loop_relevancy_info.get_ir_layer_dims(layer_op)

    @cached_property
    def padding(self):
        return LayerPadding({LayerDim(one.data): (one.padding_low, one.padding_high) for one in self._value.relations
                             if one.has_padding})

    @cached_property
    def memory_operand_links(self):
        return MemoryOperandLinks({LayerOperand(operand): MemoryOperand(memory)
                                   for operand, memory in self._value.memory_operands.items()})

    @cached_property
    def spatial_mapping(self):
        return user_spatial_mapping(self._value.mapping.spatial_mapping)

    @cached_property
    def spatial_mapping_hint(self):
        return SpatialMappingHint({OADimension(hint.array_dimension): {LayerDim(loop) for loop in hint.dimensions}
                                   for hint in self._value.mapping.spatial_mapping_hint})

    @cached_property
    def temporal_ordering(self):
        return LayerTemporalOrdering([(LayerDim(entry.dimension), entry.size)
                                      for entry in self._value.mapping.temporal_ordering])

    total_mac_count = Figure("mac_count")

    @cached_property
    def operand_size_elem(self):
        return {LayerOperand(operand): count for operand, count in self._value.operand_elements.items()}

    @cached_property
    def operand_size_bit(self):
        return {LayerOperand(operand): bits for operand, bits in self._value.operand_bits.items()}

    @cached_property
    def operand_data_reuse(self):
        return {operand: self.total_mac_count / count for operand, count in self.operand_size_elem.items()}

    def get_weight_layer_op(self):
        """The constant operand; of several or none, the one that is not the activation."""
        if len(self.constant_operands) == 1:
            return self.constant_operands[0]
        if not self.constant_operands:
            return self.input_operands[0]
        return next(operand for operand in self.constant_operands if operand != self.get_act_layer_op())

    def get_act_layer_op(self):
        """The input that is not constant; of two constants, the one that a window slides over, else the first."""
        if len(self.constant_operands) == 1:
            return next(operand for operand in self.input_operands if operand != self.constant_operands[0])
        if not self.constant_operands:
            return self.input_operands[1]
        slides = [operand for operand in self.layer_operands
                  if set(self.equation.get_r_layer_dims(operand)) & set(self.pr_loop)]
        return slides[-1] if slides else self.input_operands[0]

    def __jsonrepr__(self):
        return json_repr_handler({
            "name": self.name, "type": self.type, "equation": self.equation,
            "equation_relations": self.dimension_relations, "loop_dimensions": self.layer_dim_sizes,
            "operand_precision": self.operand_precision, "user_spatial_mapping": self.spatial_mapping,
            "memory_operand_links": self.memory_operand_links})


class _Attributes:
    """Attributes of a layer by themselves."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    @classmethod
    def of(cls, layer):
        return cls(**{theirs: getattr(layer, ours) for theirs, ours in cls.names.items()})

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={item!r}' for name, item in vars(self).items())})"


class LayerNodeAttributes(_Attributes):
    names = {"layer_type": "type", **{name: name for name in (
        "equation", "layer_dim_sizes", "operand_precision", "dimension_relations", "padding", "constant_operands",
        "input_operand_source", "pr_layer_dim_sizes")}}


class MappingAttributes(_Attributes):
    names = {name: name for name in ("spatial_mapping", "spatial_mapping_hint", "memory_operand_links", "temporal_ordering")}


class Workload(View):
    """The layers of a network, in their order: a graph with an edge from each to those that read its result."""

    @cached_property
    def layer_node_list(self):
        return [LayerNode(layer) for layer in self._value.layers]

    @property
    def nodes(self):
        return list(self.layer_node_list)

    node_list = nodes

    @property
    def edges(self):
        by_id = {layer.id: layer for layer in self.layer_node_list}
        return [(by_id[source], layer) for layer in self.layer_node_list
                for source in layer.input_operand_source.values() if source in by_id]

    def predecessors(self, node):
        return (source for source, layer in self.edges if layer == node)

    def successors(self, node):
        return (layer for source, layer in self.edges if source == node)

    def topological_sort(self):
        return iter(self.layer_node_list)

    def get_node_with_id(self, node_id):
        for layer in self.layer_node_list:
            if layer.id == node_id:
                return layer
        raise ValueError(f"Node with id {node_id} not found.")

    def __iter__(self):
        return iter(self.layer_node_list)

    def __len__(self):
        return len(self.layer_node_list)
