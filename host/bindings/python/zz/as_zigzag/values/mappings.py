"""How a layer lies in space and in time, by operand and memory level."""

from functools import cached_property
from itertools import takewhile
from math import prod

from zz.as_zigzag import by_hand
from zz.as_zigzag.values.names import LayerDim, LayerOperand
from zz.as_zigzag.values.representation import json_repr_handler
from zz.as_zigzag.values.temporal_mapping_type import TemporalMappingType
from zz.as_zigzag.values.view import View
from zz.as_zigzag.values.whole import whole


def _texts(levels_of_operands):
    return json_repr_handler({operand: [[f"({loop}, {size})" for loop, size in level] for level in levels]
                              for operand, levels in levels_of_operands.items()})


class SpatialMappingInternal(View):
    """What is unrolled: below the lowest memory, between the memories, above the topmost."""

    def __init__(self, spatial_mapping_dict, layer_node=None, *, number=whole, cme=None):
        """spatial_mapping_dict: {operand: [loops of each level]}, or a value; number: of the factors; cme: the evaluation that
        it belongs to, which knows the units."""
        by_hand.expect_levels(spatial_mapping_dict=spatial_mapping_dict)
        by_script = isinstance(spatial_mapping_dict, dict)
        super().__init__(by_hand.spatial_mapping(spatial_mapping_dict, layer_node) if by_script else spatial_mapping_dict)
        self._number = number
        self._cme = cme
        self._layer = layer_node

    @cached_property
    def mapping_dict_origin(self):
        return {LayerOperand(one.operand): [[(LayerDim(loop.dimension), self._number(loop.factor)) for loop in level]
                                            for level in one.levels] for one in self._value.operands}

    @property
    def layer_node(self):
        return self._layer or self._evaluation().layer

    def _evaluation(self):
        if self._cme is None:
            raise AttributeError("zz knows the units of an unrolling from results: cme.spatial_mapping has them")
        return self._cme

    def _units(self, name):
        cme = self._evaluation()
        return (cme._unrolled_int if self._number is int else cme._unrolled).plain_row(name)

    @cached_property
    def unroll_size_total(self):
        """{LayerOperand: [units of each architecture level for one of the level above]}."""
        return {operand: [whole(count) for count in counts] for operand, counts in self._units("all").items()}

    @cached_property
    def unroll_size_r(self):
        """Those with distinct data."""
        return {operand: [whole(count) for count in counts] for operand, counts in self._units("relevant").items()}

    @cached_property
    def unroll_size_ir(self):
        """Those with the same data."""
        distinct = self._units("relevant")
        return {operand: [whole(count / other) for count, other in zip(counts, distinct[operand])]
                for operand, counts in self._units("all").items()}

    def _above(self, sizes):
        return {operand: [prod(counts[level:]) for level in range(len(counts))] for operand, counts in sizes.items()}

    @cached_property
    def unit_unique(self):
        """{LayerOperand: [units of each architecture level that hold distinct data]}."""
        return self._above(self.unroll_size_r)

    @cached_property
    def unit_duplicate(self):
        """{LayerOperand: [units of each architecture level that hold the same data]}."""
        return self._above(self.unroll_size_ir)

    @cached_property
    def data_serve_scope(self):
        """{LayerOperand: [units of each level that an element above it serves]}."""
        return {operand: [below / above for below, above in zip(counts, counts[1:])]
                for operand, counts in self.unit_duplicate.items()}

    @cached_property
    def mem_bw_boost(self):
        """{LayerOperand: [distinct portions that each level takes at once]}."""
        return {operand: [whole(figure) for figure in figures[:-1]] for operand, figures in self._units("copies").items()}

    @cached_property
    def spatial_loop_dim_size(self):
        """All that is unrolled."""
        return [loop for level in self.mapping_dict_origin[self.layer_operands[1]] for loop in level]

    @cached_property
    def layer_operands(self):
        return list(self.mapping_dict_origin)

    @cached_property
    def arch_level(self):
        return {operand: len(levels) for operand, levels in self.mapping_dict_origin.items()}

    @cached_property
    def unit_count(self):
        """Units of each level that are at work."""
        return {operand: [round(prod(factor for level in levels[start:] for _, factor in level))
                          for start in range(len(levels))] for operand, levels in self.mapping_dict_origin.items()}

    def get_unrolling(self, op, level):
        return self.mapping_dict_origin[op][level]

    def get_unrolling_all(self, op, min_level):
        return [loop for level in self.mapping_dict_origin[op][min_level:] for loop in level]

    def __str__(self):
        return f"SpatialMapping({self.mapping_dict_origin})"

    __repr__ = __str__

    def __jsonrepr__(self):
        return _texts(self.mapping_dict_origin)


class TemporalMapping(View):
    """The loops in time, innermost first, cut into memory levels by each operand."""

    def __init__(self, temporal_mapping_dict, layer_node=None, mapping_type=TemporalMappingType.UNEVEN):
        """temporal_mapping_dict: {operand: [loops of each memory level, the innermost first]}, or a value."""
        by_hand.expect_levels(temporal_mapping_dict=temporal_mapping_dict)
        by_script = isinstance(temporal_mapping_dict, dict)
        super().__init__(by_hand.temporal_mapping(temporal_mapping_dict, layer_node, mapping_type) if by_script
                         else temporal_mapping_dict)
        self._layer = layer_node

    @property
    def layer_node(self):
        if self._layer is None:
            raise AttributeError("zz knows the layer of a temporal mapping from results: cme.temporal_mapping has it")
        return self._layer

    def _outermost(self, dimensions_of):
        """{LayerOperand: [iterations of the outermost loops of each architecture level that are among the dimensions]}."""
        def product(loops, dimensions):
            sizes = (size for _, size in takewhile(lambda loop: loop[0] in dimensions, reversed(loops)))
            return prod(sizes)

        return {operand: [1] + [product(loops, dimensions_of(operand)) for loops in levels]
                for operand, levels in self.mapping_dic_stationary.items()}

    @cached_property
    def top_r_loop_size(self):
        """Of loops that replace what the level holds."""
        return self._outermost(self.layer_node.loop_relevancy_info.get_r_layer_dims)

    @cached_property
    def top_ir_loop_size(self):
        """Of loops that leave it unused."""
        return self._outermost(self.layer_node.loop_relevancy_info.get_ir_layer_dims)

    @cached_property
    def mac_level_data_stationary_cycle(self):
        """{LayerOperand: iterations for which a unit uses the same element}."""
        irrelevant = self.layer_node.loop_relevancy_info.get_ir_layer_dims
        return {operand: prod(size for _, size in takewhile(lambda loop: loop[0] in irrelevant(operand), levels[0]))
                for operand, levels in self.mapping_dic_stationary.items()}

    @cached_property
    def loops(self):
        return [(LayerDim(loop.dimension), loop.size) for loop in self._value.loops]

    def _by_level(self, ends):
        starts = [0, *ends[:-1]]
        return [self.loops[start:end] for start, end in zip(starts, ends)]

    @cached_property
    def mapping_dic_origin(self):
        """As the allocator made it."""
        return {LayerOperand(one.operand): self._by_level(list(one.allocated)) for one in self._value.operands}

    @cached_property
    def mapping_dic_stationary(self):
        """After irrelevant loops moved to the level below: what costs follow from."""
        return {LayerOperand(one.operand): self._by_level(list(one.stationary)) for one in self._value.operands}

    @cached_property
    def operand_list(self):
        return list(self.mapping_dic_origin)

    @cached_property
    def mem_level(self):
        return {operand: len(levels) for operand, levels in self.mapping_dic_origin.items()}

    @cached_property
    def type(self):
        return TemporalMappingType(self._value["type"])

    @cached_property
    def cycle_cabl_level(self):
        """Iterations of each level with those below it."""
        return {LayerOperand(one.operand): [prod(size for _, size in self.loops[:end]) for end in one.stationary]
                for one in self._value.operands}

    @cached_property
    def total_cycle(self):
        return prod(size for _, size in self.loops)

    def __str__(self):
        return str(self.mapping_dic_stationary)

    __repr__ = __str__

    def __jsonrepr__(self):
        return _texts(self.mapping_dic_stationary)
