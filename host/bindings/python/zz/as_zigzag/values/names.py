"""Names of operands and dimensions. They are texts, so that scripts of older ZigZags may index with "I" or "O"."""

import re
from typing import Literal, Union


class Name(str):
    """A text that equals plain texts and names of its own kind, but not those of other kinds."""

    __slots__ = ()

    @property
    def name(self):
        return str(self)

    def __eq__(self, other):
        if isinstance(other, Name) and type(other) is not type(self):
            return False
        return str.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__

    def __repr__(self):
        return str(self)

    def __jsonrepr__(self):
        return str(self)


class LayerOperand(Name):
    """Operand of a layer, as I, W or O."""

    __slots__ = ()

    def is_output(self):
        return self == Constants.OUTPUT_LAYER_OP

    def is_final_output(self):
        return self == Constants.FINAL_OUTPUT_LAYER_OP


class MemoryOperand(Name):
    """Operand of the memories, as I1, I2 or O."""

    __slots__ = ()

    def is_output(self):
        return self == Constants.OUTPUT_MEM_OP

    def is_final_output(self):
        return self == Constants.FINAL_OUTPUT_MEM_OP


class LayerDim(Name):
    """Loop of a layer, as K or OX; capitals."""

    __slots__ = ()

    def __new__(cls, name):
        return super().__new__(cls, name.upper())


class OADimension(Name):
    """Dimension of the array, as D1."""

    __slots__ = ()

    def __new__(cls, name):
        if not re.fullmatch(r"D\d+", name):
            raise ValueError(f"a dimension of the array is named as D1, not '{name}'")
        return super().__new__(cls, name)


class Constants:
    """The names that ZigZag knows itself."""

    LAYER_OP_I = LayerOperand("I")
    LAYER_OP_W = LayerOperand("W")
    OUTPUT_LAYER_OP = LayerOperand("O")
    FINAL_OUTPUT_LAYER_OP = LayerOperand("O_final")
    MEM_OP_1 = MemoryOperand("I1")
    MEM_OP_2 = MemoryOperand("I2")
    OUTPUT_MEM_OP = MemoryOperand("O")
    FINAL_OUTPUT_MEM_OP = MemoryOperand("O_final")
    UNKNOWN_DIM_OPERATOR = LayerDim("*")


# Types of hints in scripts.
UnknownUnrollFactor = Literal["*"]
UnrollFactor = Union[int, float]
UnrollFactorInt = Union[int, UnknownUnrollFactor]
LoopList = list[LayerDim]
PrLoop = dict[LayerDim, tuple[LayerDim, LayerDim]]
PrScalingFactors = dict[LayerDim, tuple[tuple[LayerDim, int], tuple[LayerDim, int]]]
