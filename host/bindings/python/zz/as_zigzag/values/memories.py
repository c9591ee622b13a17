"""Memories of an accelerator, and how they stand above each other."""

from functools import cached_property

from zz.as_zigzag.values.data_movement import DataDirection, MemoryPortType
from zz.as_zigzag.values.names import MemoryOperand, OADimension
from zz.as_zigzag.values.representation import json_repr_handler
from zz.as_zigzag.values.view import Figure, View

_DIRECTIONS = {"tl": DataDirection.RD_OUT_TO_LOW, "fl": DataDirection.WR_IN_BY_LOW,
               "th": DataDirection.RD_OUT_TO_HIGH, "fh": DataDirection.WR_IN_BY_HIGH}


class MemoryPort(View):
    """A port; bandwidths in bit/cycle."""

    name = Figure()
    bw_min = Figure("bandwidth_min")
    bw_max = Figure("bandwidth_max")

    @cached_property
    def type(self):
        return MemoryPortType(self._value["type"])

    def __str__(self):
        return self.name

    __repr__ = __str__


class MemoryInstance(View):
    """A memory as such: size in bit, costs in pJ an access."""

    name = Figure()
    size = Figure()
    r_cost = Figure()
    w_cost = Figure()
    area = Figure()
    latency = Figure()
    mem_type = Figure()
    force_double_buffering = Figure()

    @cached_property
    def ports(self):
        return tuple(MemoryPort(port) for port in self._value.ports)

    def __str__(self):
        return f"MemoryInstance({self.name})"

    __repr__ = __str__

    def __jsonrepr__(self):
        return json_repr_handler({"name": self.name, "size": self.size, "r_cost": self.r_cost, "w_cost": self.w_cost,
                                  "area": self.area, "latency": self.latency})


class MemoryLevel(View):
    """A memory at its place in the hierarchy."""

    name = Figure()
    read_energy = Figure("r_cost")
    write_energy = Figure("w_cost")

    def __init__(self, value, identifier, mem_level_of_operands, oa_dim_sizes):
        super().__init__(value)
        self.id = identifier
        self.mem_level_of_operands = mem_level_of_operands
        self.oa_dim_sizes = oa_dim_sizes

    @cached_property
    def memory_instance(self):
        return MemoryInstance(self._value)

    @cached_property
    def operands(self):
        return list(self.mem_level_of_operands)

    @cached_property
    def ports(self):
        ports = []
        for value in self._value.ports:
            port = MemoryPort(value)
            port.served_op_lv_dir = [(MemoryOperand(one.operand), self.mem_level_of_operands[one.operand],
                                      _DIRECTIONS[one.direction]) for one in value.allocation]
            if port.served_op_lv_dir:
                ports.append(port)
        return tuple(ports)

    @cached_property
    def served_dimensions(self):
        return {OADimension(name) for name in self._value.served_dimensions}

    @property
    def unroll_count(self):
        """How many instances the array has."""
        count = 1
        for dimension, size in self.oa_dim_sizes.items():
            count *= 1 if dimension in self.served_dimensions else size
        return count

    def _port_of(self, operand, direction):
        found = [port for port in self.ports
                 if any(served[0] == operand and served[2] == direction for served in port.served_op_lv_dir)]
        return found[-1] if found else None  # of several, ZigZag takes the last

    def get_min_bandwidth(self, operand, data_dir):
        port = self._port_of(operand, data_dir)
        return port.bw_min if port else None

    def get_max_bandwidth(self, operand, data_dir):
        port = self._port_of(operand, data_dir)
        return port.bw_max if port else None

    def __str__(self):
        return (f"MemoryLevel(instance={self.name},operands={self.operands}, "
                f"served_dimensions={self.served_dimensions or '{}'})")

    __repr__ = __str__

    def __jsonrepr__(self):
        return str(self)


class MemoryHierarchy(View):
    """The memories of an accelerator: a graph with an edge from each to the next one outwards."""

    name = "Memory Hierarchy"

    def __init__(self, memories, oa_dim_sizes):
        super().__init__(memories)
        self.nb_levels = {}
        self.mem_level_list = []
        for number, memory in enumerate(memories):
            level_of = {}
            for operand in map(MemoryOperand, memory.operands):
                level_of[operand] = self.nb_levels.get(operand, 0)
                self.nb_levels[operand] = level_of[operand] + 1
            self.mem_level_list.append(MemoryLevel(memory, number, level_of, oa_dim_sizes))

    @property
    def operands(self):
        return set(self.nb_levels)

    def get_operands(self):
        return self.operands

    @property
    def node_list(self):
        return list(self.mem_level_list)

    @property
    def nodes(self):
        return list(self.mem_level_list)

    @property
    def edges(self):
        """(memory, the next one outwards) for each operand, each pair once."""
        pairs = []
        for operand in self.nb_levels:
            levels = self.get_memory_levels(operand)
            pairs += [pair for pair in zip(levels, levels[1:]) if pair not in pairs]
        return pairs

    def topological_sort(self):
        return iter(self.mem_level_list)

    def get_memory_levels(self, mem_op):
        """From the array outwards."""
        return [level for level in self.mem_level_list if mem_op in level.mem_level_of_operands]

    def get_inner_memories(self):
        above = [outer for _, outer in self.edges]
        return [level for level in self.mem_level_list if level not in above]

    def get_outer_memories(self):
        below = [inner for inner, _ in self.edges]
        return [level for level in self.mem_level_list if level not in below]

    def get_top_memories(self):
        top = max(max(level.mem_level_of_operands.values()) for level in self.mem_level_list)
        return [level for level in self.mem_level_list if max(level.mem_level_of_operands.values()) == top], top

    def get_operand_top_level(self, operand):
        return self.get_memory_levels(operand)[-1]

    def __iter__(self):
        return iter(self.mem_level_list)

    def __len__(self):
        return len(self.mem_level_list)

    def __jsonrepr__(self):
        return json_repr_handler(self.mem_level_list)
