"""Whether operands in one memory hold the same loops there."""

import enum


class TemporalMappingType(str, enum.Enum):
    EVEN = "even"
    UNEVEN = "uneven"

    def __str__(self):
        return self.value
