"""Memories of an accelerator, and how they stand above each other."""

from functools import cached_property

from zz.as_zigzag.values.data_movement import DataDirection, MemoryPortType
from zz.as_zigzag.values.names import Constants, MemoryOperand, OADimension
from zz.as_zigzag.values.representation import json_repr_handler
from zz.as_zigzag.values.view import Figure, View

_DIRECTIONS = {"tl": DataDirection.RD_OUT_TO_LOW, "fl": DataDirection.WR_IN_BY_LOW,
               "th": DataDirection.RD_OUT_TO_HIGH, "fh": DataDirection.WR_IN_BY_HIGH}


class MemoryPort(View):
    """A port; bandwidths in bit/cycle."""

    name = Figure()
    bw_min = Figure("bandwidth_min", as_int=True)
    bw_max = Figure("bandwidth_max", as_int=True)

    def __init__(self, value, port_id):
        super().__init__(value)
        self.port_id = port_id
        self.served_op_lv_dir = []

    @cached_property
    def type(self):
        return MemoryPortType(self._value["type"])

    @property
    def port_is_shared_by_two_input_operands(self):
        inputs = {served[0] for served in self.served_op_lv_dir} & {Constants.MEM_OP_1, Constants.MEM_OP_2}
        return len(inputs) > 1

    def __eq__(self, other):
        return super().__eq__(other) and self.port_id == other.port_id

    def __hash__(self):
        return self.port_id

    def __str__(self):
        return self.name

    __repr__ = __str__


class PortAllocation:
    """{MemoryOperand: {DataDirection: name of the port}}."""

    def __init__(self, data):
        self.data = data

    def get_alloc_for_mem_op(self, mem_op):
        return self.data[mem_op]

    def __eq__(self, other):
        return isinstance(other, PortAllocation) and self.data == other.data

    __hash__ = None


class ServedMemDimensions(frozenset):
    """The dimensions of the array along which all units see the same instance."""

    @property
    def data(self):
        return set(self)

    @property
    def nb_dims(self):
        return len(self)

    def __str__(self):
        return "{" + ", ".join(sorted(self)) + "}" if self else "set()"


class MemoryInstance(View):
    """A memory as such: size in bit, costs in pJ an access."""

    name = Figure()
    size = Figure(as_int=True)
    r_cost = Figure(as_int=True)
    w_cost = Figure(as_int=True)
    area = Figure(as_int=True)
    latency = Figure(as_int=True)
    mem_type = Figure()
    force_double_buffering = Figure()
    shared_memory_group_id = 0

    @cached_property
    def ports(self):
        return tuple(MemoryPort(port, number) for number, port in enumerate(self._value.ports))

    def update_size(self, new_size):
        self.size = new_size

    def has_same_performance(self, other):
        return all(getattr(self, name) == getattr(other, name) for name in
                   ("size", "r_cost", "w_cost", "latency", "ports", "force_double_buffering"))

    def __str__(self):
        return f"MemoryInstance({self.name})"

    __repr__ = __str__

    def __jsonrepr__(self):
        return json_repr_handler({"name": self.name, "size": self.size, "r_cost": self.r_cost, "w_cost": self.w_cost,
                                  "area": self.area, "latency": self.latency})


class MemoryLevel(View):
    """A memory at its place in the hierarchy."""

    name = Figure()
    read_energy = Figure("r_cost", as_int=True)
    write_energy = Figure("w_cost", as_int=True)

    def __init__(self, value, identifier, first_port, mem_level_of_operands, oa_dim_sizes):
        super().__init__(value)
        self.id = identifier
        self._first_port = first_port
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
        order = list(self.mem_level_of_operands)
        last = {(one.operand, one.direction): number for number, value in enumerate(self._value.ports)
                for one in value.allocation}  # of several ports for one thing, ZigZag takes the last
        ports = []
        for number, value in enumerate(self._value.ports):
            port = MemoryPort(value, self._first_port + number)
            served = sorted((one for one in value.allocation if last[one.operand, one.direction] == number),
                            key=lambda one: order.index(one.operand))
            port.served_op_lv_dir = [(MemoryOperand(one.operand), self.mem_level_of_operands[one.operand],
                                      _DIRECTIONS[one.direction]) for one in served]
            if port.served_op_lv_dir:
                ports.append(port)
        return tuple(ports)

    @cached_property
    def served_dimensions(self):
        return ServedMemDimensions(OADimension(name) for name in self._value.served_dimensions)

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
        return found[0] if found else None

    def get_min_bandwidth(self, operand, data_dir):
        port = self._port_of(operand, data_dir)
        return port.bw_min if port else None

    def get_max_bandwidth(self, operand, data_dir):
        port = self._port_of(operand, data_dir)
        return port.bw_max if port else None

    @property
    def bandwidths_min(self):
        return {operand: {direction: self.get_min_bandwidth(operand, direction) for direction in DataDirection}
                for operand in self.operands}

    @property
    def bandwidths_max(self):
        return {operand: {direction: self.get_max_bandwidth(operand, direction) for direction in DataDirection}
                for operand in self.operands}

    @cached_property
    def port_alloc_raw(self):
        return PortAllocation({operand: {served[2]: port.name for port in self.ports for served in port.served_op_lv_dir
                                         if served[0] == operand} for operand in self.operands})

    def has_same_performance(self, other):
        return self.memory_instance.has_same_performance(other.memory_instance) and all(
            getattr(self, name) == getattr(other, name)
            for name in ("operands", "mem_level_of_operands", "ports", "served_dimensions"))

    def __str__(self):
        return (f"MemoryLevel(instance={self.name},operands={self.operands}, "
                f"served_dimensions={self.served_dimensions})")

    __repr__ = __str__

    def __jsonrepr__(self):
        return str(self)


class MemoryHierarchy(View):
    """The memories of an accelerator: a graph with an edge from each to the next one outwards."""

    name = "Memory Hierarchy"

    def __init__(self, memories, operational_array):
        super().__init__(memories)
        self._operational_array = operational_array
        oa_dim_sizes = operational_array.dimension_sizes
        self.nb_levels = {}
        self.mem_level_list = []
        ports = 0
        for number, memory in enumerate(memories):
            level_of = {}
            for operand in map(MemoryOperand, memory.operands):
                level_of[operand] = self.nb_levels.get(operand, 0)
                self.nb_levels[operand] = level_of[operand] + 1
            self.mem_level_list.append(MemoryLevel(memory, number, ports, level_of, oa_dim_sizes))
            ports += len(memory.ports)

    @property
    def operational_array(self):
        return self._operational_array

    @property
    def memory_level_id(self):
        """Of the next memory."""
        return len(self.mem_level_list)

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

    def get_operator_top_level(self, operand):
        """The memories of an operand at the highest level that they have for any operand, and that level."""
        levels = {level: max(level.mem_level_of_operands.values()) for level in self.get_memory_levels(operand)}
        top = max(levels.values(), default=-1)
        return [level for level, highest in levels.items() if highest == top], top

    def has_same_performance(self, other):
        return self.nb_levels == other.nb_levels and all(
            ours.has_same_performance(theirs) for ours, theirs in zip(self.node_list, other.node_list))

    def __iter__(self):
        return iter(self.mem_level_list)

    def __len__(self):
        return len(self.mem_level_list)

    def __jsonrepr__(self):
        return json_repr_handler(self.mem_level_list)
