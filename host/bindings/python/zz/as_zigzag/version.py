"""The version of ZigZag whose modules are stood in for."""

__version__ = "3.8.5"
