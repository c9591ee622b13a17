"""What follows from a mapping before the hardware counts: data of each level, and what moves between them."""

from collections import Counter
from functools import cached_property
from math import gcd, prod

from zz.as_zigzag.values.data_movement import DataDirection, DataMoveAttr, DataMovePattern
from zz.as_zigzag.values.names import LayerOperand
from zz.as_zigzag.values.view import Absent
from zz.as_zigzag.values.whole import whole

_INNER = (DataDirection.RD_OUT_TO_LOW, DataDirection.WR_IN_BY_LOW)


def _window(a, step_a, b, step_b):
    """The values of step_a * i + step_b * j for i < a and j < b, as ZigZag counts them."""
    common = gcd(step_a, step_b)
    return a * b - max(0, b - step_a // common) * (a - step_b // common)


def boundary_below(level, direction):
    """The boundary that data cross which leave or reach a memory in a direction: below it, or below the next one."""
    return level if direction in _INNER else level + 1


class Unrolled:
    """Units and data by operand and architecture level, of the fractional or the whole unrolling.

    told: what zz tells of each operand (`transfers` of the native part); which: "fractional" or "integral".
    """

    def __init__(self, told, which):
        self._rows = {operand: one[which] for operand, one in told.items()}

    def row(self, name):
        return {operand: [whole(figure) for figure in rows[name]] for operand, rows in self._rows.items()}

    def plain_row(self, name):
        return {operand: list(rows[name]) for operand, rows in self._rows.items()}

    def transfer(self, operand, boundary, direction):
        return self._rows[operand]["transfers"][boundary][list(DataDirection).index(direction)]


class Mapping(Absent):
    """A spatial and a temporal mapping together."""

    _absent = {name: "zz keeps no products of loops by kind; unit_mem_data_movement and data_elem_per_level have what follows"
               for name in ("r_loop_size_per_level", "ir_loop_size_per_level", "r_loop_size_cabl", "ir_loop_size_cabl",
                            "data_access_raw", "data_access_raw2")}
    access_same_data_considered_as_no_access = True

    def __init__(self, cme, spatial_mapping, unrolled):
        self.accelerator = cme.accelerator
        self.layer_node = cme.layer
        self.spatial_mapping = spatial_mapping
        self.temporal_mapping = cme.temporal_mapping
        self.operand_list = cme.layer.layer_operands
        self.mem_level = dict(cme.temporal_mapping.mem_level)
        self._boundaries = cme._transfers.boundaries
        self._unrolled = unrolled

    def __eq__(self, other):
        return type(other) is Mapping and (self.layer_node, self.spatial_mapping, self.temporal_mapping) == (
            other.layer_node, other.spatial_mapping, other.temporal_mapping)

    __hash__ = None

    def _combined(self, above):
        """{LayerOperand: [loops in time, then those in space, of each architecture level]}; `above`: in time one level up."""
        in_time = {operand: [[], *levels, []] for operand, levels in self.temporal_mapping.mapping_dic_stationary.items()}
        in_space = self.spatial_mapping.mapping_dict_origin
        combined = {operand: [in_time[operand][level + above] + loops for level, loops in enumerate(in_space[operand])]
                    for operand in self.operand_list}
        return {operand: [[], *levels] for operand, levels in combined.items()} if above else combined

    @cached_property
    def combined_mapping_dict_1s1t(self):
        """Of each level: with the data of all its units."""
        return self._combined(0)

    @cached_property
    def combined_mapping_dict_1s2t(self):
        """Of each level with what is unrolled below it: with the data of one unit."""
        return self._combined(1)

    @cached_property
    def psum_flag(self):
        """By architecture level of the output: whether what lies there is not summed up yet."""
        return [boundary["partial_sum"] for boundary in self._boundaries[self.layer_node.output_operand]]

    @cached_property
    def data_precision_dict(self):
        bits = self.layer_node.operand_precision
        known = {operand: [bits[operand]] * (self.mem_level[operand] + 1) for operand in self.layer_node.input_operands}
        known[self.layer_node.output_operand] = [
            bits[self.layer_node.output_operand] if partial else bits.final_output_precision for partial in self.psum_flag]
        return known

    @cached_property
    def data_elem_per_level_unrolled(self):
        """In one unit of each architecture level."""
        return self._unrolled.row("elements")

    @cached_property
    def data_bit_per_level_unrolled(self):
        return self._unrolled.row("bits")

    def _of_all_units(self, in_one_unit):
        units = self.spatial_mapping.unit_unique
        return {operand: [round(figure * count) for figure, count in zip(figures, units[operand])]
                for operand, figures in in_one_unit.items()}

    @cached_property
    def data_elem_per_level(self):
        return self._of_all_units(self.data_elem_per_level_unrolled)

    @cached_property
    def data_bit_per_level(self):
        return {operand: [count * bits for count, bits in zip(counts, self.data_precision_dict[operand])]
                for operand, counts in self.data_elem_per_level.items()}

    def _kept(self, in_one_unit):
        replaced = self.temporal_mapping.top_r_loop_size
        return {operand: [figure // count for figure, count in zip(figures, replaced[operand])]
                for operand, figures in in_one_unit.items()}

    @cached_property
    def effective_data_elem(self):
        """Without what the outermost relevant loops of a level replace."""
        return self._kept(self.data_elem_per_level_unrolled)

    @cached_property
    def effective_data_bit(self):
        return self._kept(self.data_bit_per_level_unrolled)

    @cached_property
    def unit_mem_data_movement(self):
        """{LayerOperand: [DataMovePattern of each memory]}."""
        return {operand: [self._pattern(operand, level) for level in range(self.mem_level[operand])]
                for operand in self.operand_list}

    def _served(self, operand, combined):
        """[elements that pass each architecture level]: those that its loops and the ones below reach, once for each iteration of
        the loops above."""
        counts, sizes, layer = [], Counter(), self.layer_node
        relevancy = layer.loop_relevancy_info
        for loops in combined[operand]:
            for loop, size in loops:
                sizes[loop] = sizes.get(loop, 1) * size
            reached = prod(sizes.get(loop, 1) for loop in relevancy.get_r_layer_dims(operand))
            for dimension in relevancy.get_pr_layer_dims(operand):
                (first, step), (second, other) = layer.pr_scaling_factors[dimension]
                window = _window(int(sizes.get(first, 1)), step, int(sizes.get(second, 1)), other)
                reached *= min(window, layer.pr_layer_dim_sizes[dimension])
            counts.append(round(layer.total_mac_count / (prod(sizes.values()) / reached)))
        return counts

    @cached_property
    def _elements_moved(self):
        """{LayerOperand: [{DataDirection: elements that pass all units of each memory}]}."""
        output = self.layer_node.output_operand
        moved = {}
        for operand in self.operand_list:
            below = self._served(operand, self.combined_mapping_dict_1s1t)
            above = self._served(operand, self.combined_mapping_dict_1s2t)
            if operand == output:
                levels = self._output_moved(below, above)
            else:
                levels = [{DataDirection.RD_OUT_TO_LOW: below[level], DataDirection.WR_IN_BY_HIGH: above[level + 1]}
                          for level in range(self.mem_level[operand])]
                if self._stays_at_the_port(operand):
                    stationary = self.temporal_mapping.mac_level_data_stationary_cycle[operand]
                    levels[0][DataDirection.RD_OUT_TO_LOW] = int(below[0] / stationary)
            for direction in (DataDirection.RD_OUT_TO_HIGH, DataDirection.WR_IN_BY_HIGH):
                levels[-1][direction] = 0  # nothing passes above the topmost memory
            moved[operand] = levels
        return moved

    def _output_moved(self, below, above):
        """Partial sums come back as often as loops that do not change the output go around above a level."""
        output = self.layer_node.output_operand
        irrelevant = set(self.layer_node.loop_relevancy_info.get_ir_layer_dims(output))
        repeated = [prod(size for loops in self.combined_mapping_dict_1s1t[output][level:] for loop, size in loops
                         if loop in irrelevant) for level in range(self.mem_level[output] + 1)] + [1, 1]
        size = self.layer_node.operand_size_elem[output]
        return [{DataDirection.WR_IN_BY_LOW: below[level], DataDirection.RD_OUT_TO_HIGH: above[level + 1],
                 DataDirection.RD_OUT_TO_LOW: int(size * (repeated[level + 1] - 1)),
                 DataDirection.WR_IN_BY_HIGH: int(size * (repeated[level + 2] - 1))} for level in range(self.mem_level[output])]

    def _stays_at_the_port(self, operand):
        """Whether what the array holds of an input is as narrow as the port that gives it, and so is not read again."""
        memory_operand = self.layer_node.memory_operand_links.layer_to_mem_op(operand)
        lowest = self.accelerator.memory_hierarchy.get_memory_levels(memory_operand)[0]
        units = self.spatial_mapping.unit_unique[operand][1]
        return (self.access_same_data_considered_as_no_access
                and lowest.get_max_bandwidth(memory_operand, DataDirection.RD_OUT_TO_LOW)
                >= self.data_bit_per_level[operand][0] // units)

    def _pattern(self, operand, level):
        pattern = DataMovePattern(operand, level)
        for direction, count in self._elements_moved[operand][level].items():
            pattern.get_attribute(DataMoveAttr.DATA_ELEM_MOVE_COUNT).set(direction, count)
        idle = self.temporal_mapping.top_ir_loop_size[operand]
        for direction in DataDirection:
            boundary = boundary_below(level, direction)
            if boundary == self.mem_level[operand]:
                continue  # nothing passes above the topmost memory
            moved = self._unrolled.transfer(operand, boundary, direction)
            told = {DataMoveAttr.DATA_PRECISION: moved["precision"],
                    DataMoveAttr.REQ_MEM_BW_AVER: moved["bandwidth"],
                    DataMoveAttr.REQ_MEM_BW_INST: moved["bandwidth"] * idle[boundary],
                    DataMoveAttr.DATA_TRANS_PERIOD: moved["period"],
                    DataMoveAttr.DATA_TRANS_PERIOD_COUNT: moved["count"],
                    DataMoveAttr.DATA_TRANS_AMOUNT_PER_PERIOD: moved["elements"],
                    DataMoveAttr.INST_DATA_TRANS_WINDOW: moved["period"] // idle[boundary]}
            for attribute, figure in told.items():
                pattern.get_attribute(attribute).set(direction, whole(figure))
        return pattern


def told_by_operand(cme, told):
    return dict(zip(map(LayerOperand, cme.layer.layer_operands), told))
