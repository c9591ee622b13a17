"""Figures for the four directions in which data pass a memory."""

import enum


class DataDirection(str, enum.Enum):
    RD_OUT_TO_LOW = "rd_out_to_low"
    WR_IN_BY_LOW = "wr_in_by_low"
    RD_OUT_TO_HIGH = "rd_out_to_high"
    WR_IN_BY_HIGH = "wr_in_by_high"

    def __str__(self):
        return self.value


class MemoryPortType(str, enum.Enum):
    READ = "read"
    WRITE = "write"
    READ_WRITE = "read_write"

    def __str__(self):
        return self.value


class FourWayDataMoving:
    """One figure for each direction; zero where none is given at all."""

    def __init__(self, data=None):
        data = {direction: 0 for direction in DataDirection} if data is None else dict(data)
        missing = [direction.value for direction in DataDirection if direction not in data]
        if missing:
            raise ValueError(f"no figure for {', '.join(missing)}")
        self.data = {direction: data[direction] for direction in DataDirection}

    def get(self, direction):
        return self.data[DataDirection(direction)]

    def set(self, direction, value):
        self.data[DataDirection(direction)] = value

    def __add__(self, other):
        return type(self)({direction: figure + other.data[direction] for direction, figure in self.data.items()})

    def __mul__(self, factor):
        return type(self)({direction: figure * factor for direction, figure in self.data.items()})

    def __eq__(self, other):
        return isinstance(other, FourWayDataMoving) and self.data == other.data

    __hash__ = None

    def __repr__(self):
        signs = {DataDirection.RD_OUT_TO_HIGH: "rd ↑", DataDirection.WR_IN_BY_HIGH: "wr ↓",
                 DataDirection.RD_OUT_TO_LOW: "rd ↓", DataDirection.WR_IN_BY_LOW: "wr ↑"}
        return "4WayDataMoving(" + ", ".join(f"{sign}: {self.data[direction]}" for direction, sign in signs.items()) + ")"

    def __jsonrepr__(self):
        return {direction.value: figure for direction, figure in self.data.items()}


class MemoryAccesses(FourWayDataMoving):
    """Words of the width of the port."""


class AccessEnergy(FourWayDataMoving):
    """In pJ."""


class DataMoveAttr(str, enum.Enum):
    """What is told of what an operand moves at one memory."""

    DATA_ELEM_MOVE_COUNT = "data_elem_move_count"
    DATA_PRECISION = "data_precision"
    REQ_MEM_BW_AVER = "req_mem_bw_aver"
    REQ_MEM_BW_INST = "req_mem_bw_inst"
    DATA_TRANS_PERIOD = "data_trans_period"
    DATA_TRANS_PERIOD_COUNT = "data_trans_period_count"
    DATA_TRANS_AMOUNT_PER_PERIOD = "data_trans_amount_per_period"
    INST_DATA_TRANS_WINDOW = "inst_data_trans_window"

    def __str__(self):
        return self.value


class DataMovePattern:
    """What one operand moves at one of its memories: a FourWayDataMoving for each DataMoveAttr."""

    def __init__(self, operand, mem_level):
        self.name = f"{operand}{mem_level}"
        self.attributes = {attribute: FourWayDataMoving() for attribute in DataMoveAttr}

    def set_attribute(self, attr, values):
        self.attributes[DataMoveAttr(attr)] = FourWayDataMoving(values)

    def get_attribute(self, attr):
        return self.attributes[DataMoveAttr(attr)]

    def update_single_dir_data(self, direction, new_value):
        for figures in self.attributes.values():
            figures.set(direction, new_value)

    def __eq__(self, other):
        return isinstance(other, DataMovePattern) and vars(self) == vars(other)

    __hash__ = None

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"DataMovePattern(name={self.name}, attributes={self.attributes})"
