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
        figures = ", ".join(f"{direction}: {figure}" for direction, figure in self.data.items())
        return f"{type(self).__name__}({figures})"

    def __jsonrepr__(self):
        return {direction.value: figure for direction, figure in self.data.items()}


class MemoryAccesses(FourWayDataMoving):
    """Words of the width of the port."""


class AccessEnergy(FourWayDataMoving):
    """In pJ."""
