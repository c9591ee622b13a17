"""What all objects over values of zz have in common."""

import difflib

from zz.as_zigzag.page import PAGE


def public_names(thing):
    return sorted(name for name in dir(thing) if not name.startswith("_"))


class Figure:
    """An attribute that is a field of the value: of the same name, or the one given."""

    def __init__(self, field=None):
        self.field = field

    def __set_name__(self, owner, name):
        self.field = self.field or name

    def __get__(self, view, owner=None):
        return self if view is None else view._value[self.field]


class View:
    """An object of ZigZag over a value of zz. Attributes are made when they are first asked for, and may be set."""

    #: attributes of ZigZag's class that cannot be had, and what to use
    _absent = {}

    def __init__(self, value):
        self._value = value

    def __getattr__(self, name):
        kind = type(self).__name__
        if name.startswith("_"):
            raise AttributeError(f"{kind} has no '{name}'")
        if name in self._absent:
            raise AttributeError(f"{kind} has no '{name}' on zz: {self._absent[name]}")
        known = public_names(self)
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise AttributeError(f"{kind} has no '{name}' on zz; {hint}it has {', '.join(known)} ({PAGE})")

    def __eq__(self, other):
        return type(other) is type(self) and self._value == other._value

    def __hash__(self):
        return hash(self._value)
