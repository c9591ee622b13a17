"""Fields of protobuf messages, for ONNX files without the package onnx."""


def field(number, value):
    """A field of a protobuf message: a number, a text, or bytes."""
    def number_of(value):
        return bytes([value & 127 | 128]) + number_of(value >> 7) if value > 127 else bytes([value])
    if isinstance(value, int):
        return number_of(number << 3) + number_of(value)
    value = value.encode() if isinstance(value, str) else value
    return number_of(number << 3 | 2) + number_of(len(value)) + value
