"""What all objects over values of zz have in common."""

import difflib

from zz.as_zigzag.page import PAGE
from zz.as_zigzag.values.whole import whole


def public_names(thing):
    return sorted(name for name in dir(thing) if not name.startswith("_"))


class Figure:
    """An attribute that is a field of the value: of the same name, or the one given. `as_int`: whole numbers are ints."""

    def __init__(self, field=None, as_int=False):
        self.field = field
        self.as_int = as_int

    def __set_name__(self, owner, name):
        self.field = self.field or name

    def __get__(self, view, owner=None):
        if view is None:
            return self
        figure = view._value[self.field]
        return whole(figure) if self.as_int else figure


class Absent:
    """Says of an unknown attribute what to use, or what there is."""

    #: attributes of ZigZag's class that cannot be had, and what to use
    _absent = {}

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


class View(Absent):
    """An object of ZigZag over a value of zz. Attributes are made when they are first asked for, and may be set."""

    #: what to write where a script of ZigZag makes such an object itself
    _instead = "results and parsers of zz have it"

    def __init__(self, value=None, *others, **arguments):
        if value is None or others or arguments:
            raise TypeError(f"{type(self).__name__}(...) is not made by itself on zz: {self._instead} ({PAGE})")
        self._value = value

    def __eq__(self, other):
        return type(other) is type(self) and self._value == other._value

    def __hash__(self):
        return hash(self._value)
