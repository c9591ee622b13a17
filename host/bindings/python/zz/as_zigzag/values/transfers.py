"""Single transfers of a layer: their cycles, when they may take place, and what loading is hidden of them."""

from functools import cached_property
from math import ceil

from zz import _zz
from zz.as_zigzag import compat
from zz.as_zigzag.values.data_movement import DataDirection, MemoryAccesses
from zz.as_zigzag.values.mapping_figures import boundary_below, told_by_operand
from zz.as_zigzag.values.whole import whole

_DIRECTIONS = list(DataDirection)
_TO_UNITS = (DataDirection.RD_OUT_TO_LOW, DataDirection.WR_IN_BY_HIGH)


class _Activity:
    def __eq__(self, other):
        return type(other) is type(self) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self.served_op_lv_dir)

    def __repr__(self):
        return str(self.served_op_lv_dir)


class PortActivity(_Activity):
    """What a port does again and again for one operand in one direction."""

    def __init__(self, real_cycle, allowed_cycle, period, period_count, layer_op, mem_lv, mov_dir):
        self.real_cycle = real_cycle
        self.allowed_cycle = allowed_cycle
        self.period = period
        self.period_count = period_count
        self.served_op_lv_dir = (layer_op, mem_lv, mov_dir)
        self.stall_or_slack_per_period = real_cycle - allowed_cycle
        self.stall_or_slack = (real_cycle - allowed_cycle) * (period_count - 1)
        self.mem_updating_window = allowed_cycle * (period_count - 1)


class PortBeginOrEndActivity(_Activity):
    """What a port does before the units start, or after they have ended."""

    def __init__(self, real_cycle, data_in_charge, mem_bw, layer_op, mem_lv, mov_dir):
        self.real_cycle = real_cycle
        self.data_in_charge = data_in_charge
        self.mem_bw = mem_bw
        self.served_op_lv_dir = (layer_op, mem_lv, mov_dir)


class Transfers:
    """What zz tells of the transfers of an evaluation, in the tables of ZigZag."""

    def __init__(self, cme):
        self._cme = cme
        self._layer = cme.layer
        self.told = told_by_operand(cme, _zz.transfers(cme._value, compat.setting()))
        self.boundaries = {operand: one["boundaries"] for operand, one in self.told.items()}
        self.memories = {operand: one["memories"] for operand, one in self.told.items()}

    def _moves(self, operand, level, direction):
        boundary = boundary_below(level, direction)
        if boundary == len(self.memories[operand]):
            return False
        if operand != self._layer.output_operand:
            return direction in _TO_UNITS
        return direction not in _TO_UNITS or self.boundaries[operand][boundary]["partial_sum"]

    def _at(self, operand, level, direction, figure):
        if not self._moves(operand, level, direction):
            return 0
        told = self.boundaries[operand][boundary_below(level, direction)][figure]
        return told[_DIRECTIONS.index(direction)] if figure == "cycles" else told

    def by_direction(self, figure):
        """{LayerOperand: [of each memory, by direction]} of "cycles" or "window"."""
        return {operand: [MemoryAccesses({direction: self._at(operand, level, direction, figure) for direction in DataDirection})
                          for level in range(len(memories))] for operand, memories in self.memories.items()}

    def _served(self, port):
        """(layer operand, memory operand, level, direction) of what a port moves."""
        links = self._cme.memory_operand_links
        for memory_operand, level, direction in port.served_op_lv_dir:
            if links.contains_mem_op(memory_operand):
                operand = links.mem_to_layer_op(memory_operand)
                if self._moves(operand, level, direction):
                    yield operand, memory_operand, level, direction

    @cached_property
    def port_activity_collect(self):
        def activity(operand, level, direction):
            return PortActivity(*(self._at(operand, level, direction, figure)
                                  for figure in ("cycles", "window", "period", "count")), operand, level, direction)

        return [{port.name: [activity(operand, level, direction) for operand, _, level, direction in self._served(port)]
                 for port in memory.ports} for memory in self._cme.mem_level_list]

    @cached_property
    def mem_updating_window_union_collect(self):
        def union(activities):
            if len(activities) == 1:
                return activities[0].allowed_cycle
            return _zz.window_union([(one.real_cycle, one.allowed_cycle, one.period, one.period_count) for one in activities])

        return [{port: union(activities) for port, activities in ports.items() if activities}
                for ports in self.port_activity_collect]

    @cached_property
    def loading(self):
        return Loading(self._cme, self)

    def cycles_of_loading(self, operand, level, direction):
        """What is left of the cycles of the first data, or of the last results, while the units do not compute."""
        boundary = self.boundaries[operand][boundary_below(level, direction)]
        above = direction in (DataDirection.RD_OUT_TO_LOW, DataDirection.WR_IN_BY_LOW)
        return whole(boundary["loading_above" if above else "loading_below"])

    def once(self, operand, level, direction):
        """Whether all of the data move in one portion."""
        return self._at(operand, level, direction, "count") == 1

    def moved_bits(self, operand, level, direction):
        moved = self._cme._unrolled_int.transfer(operand, boundary_below(level, direction), direction)
        return whole(moved["elements"] * moved["precision"])


class Loading:
    """On-loading and off-loading, port by port and operand by operand."""

    def __init__(self, cme, transfers):
        self._cme = cme
        self._transfers = transfers
        layer = cme.layer
        self.per_mem_inst = []
        self.cc_per_op = {operand: {} for operand in layer.input_operands}
        self.off_cc_per_op = {layer.output_operand: {}}
        self.cycles_during_computation, self.bw_during_computation = {}, {}
        self.total_cycles_during_computation, self.total_bw_during_computation = {}, {}
        for memory in cme.mem_level_list:
            self.per_mem_inst.append({port: self._of_port(port) for port in memory.ports})

    def _of_port(self, port):
        output = self._cme.layer.output_operand
        served = [one for one in self._transfers._served(port) if one[0] != output or one[3] not in _TO_UNITS]
        once = [one for one in served if self._transfers.once(one[0], *one[2:])]
        activities = [self._activity(port, one, True) for one in once]
        activities += [self._activity(port, one, False) for one in served if one not in once]
        self.total_cycles_during_computation[port] = sum(self.cycles_during_computation.get(port, {}).values())
        self.total_bw_during_computation[port] = sum(self.bw_during_computation.get(port, {}).values())
        return activities

    def _activity(self, port, served, once):
        operand, memory_operand, level, direction = served
        cycles = self._transfers._at(operand, level, direction, "cycles")
        left = self._transfers.cycles_of_loading(operand, level, direction) if once else cycles
        bits = left * port.bw_max if once else self._transfers.moved_bits(operand, level, direction)
        of_operand = {**self.cc_per_op, **self.off_cc_per_op}[operand]
        of_operand[f"{operand}{level}_{direction}"] = (left, port.port_is_shared_by_two_input_operands)
        if once:
            self._hide(port, memory_operand, cycles - left)
        return PortBeginOrEndActivity(left, bits, port.bw_max, operand, level, direction)

    def _hide(self, port, memory_operand, cycles):
        computation = self._cme.latency_total0
        self.cycles_during_computation.setdefault(port, {})[memory_operand] = float(cycles)
        self.bw_during_computation.setdefault(port, {})[memory_operand] = ceil(cycles / computation * port.bw_max)

    def _pairs(self, operand, cc_per_op, low, high):
        """(longest cycles, whether both ports are shared, whether none is) of each boundary between two memories."""
        for level in range(len(self._transfers.memories[operand]) - 1):
            below, above = cc_per_op[operand][f"{operand}{level}_{low}"], cc_per_op[operand][f"{operand}{level + 1}_{high}"]
            yield max(below[0], above[0]), below[1] and above[1], not below[1] and not above[1]

    @cached_property
    def pairs(self):
        return {operand: list(self._pairs(operand, self.cc_per_op, DataDirection.WR_IN_BY_HIGH, DataDirection.RD_OUT_TO_LOW))
                for operand in self.cc_per_op}

    @cached_property
    def off_pairs(self):
        operand = self._cme.layer.output_operand
        return [cycles for cycles, *_ in self._pairs(operand, self.off_cc_per_op, DataDirection.RD_OUT_TO_HIGH,
                                                     DataDirection.WR_IN_BY_LOW)]

    def individual(self, operand):
        return sum(cycles for cycles, _, separate in self.pairs[operand] if separate)

    def shared(self, operand):
        return sum(cycles for cycles, shared, _ in self.pairs[operand] if shared)

    def half_shared(self, operand):
        """Of several, ZigZag keeps the outermost."""
        return ([0] + [cycles for cycles, shared, separate in self.pairs[operand] if not shared and not separate])[-1]
