"""How a layer lies in space and in time, by operand and memory level."""

from functools import cached_property
from math import prod

from zz.as_zigzag.values.names import LayerDim, LayerOperand
from zz.as_zigzag.values.representation import json_repr_handler
from zz.as_zigzag.values.temporal_mapping_type import TemporalMappingType
from zz.as_zigzag.values.view import View


def _texts(levels_of_operands):
    return json_repr_handler({operand: [[f"({loop}, {size})" for loop, size in level] for level in levels]
                              for operand, levels in levels_of_operands.items()})


def _whole(factor):
    return int(factor) if factor == int(factor) else factor


class SpatialMappingInternal(View):
    """What is unrolled: below the lowest memory, between the memories, above the topmost."""

    @cached_property
    def mapping_dict_origin(self):
        return {LayerOperand(one.operand): [[(LayerDim(loop.dimension), _whole(loop.factor)) for loop in level]
                                            for level in one.levels] for one in self._value.operands}

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
