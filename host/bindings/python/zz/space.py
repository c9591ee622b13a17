"""Spaces of designs: what varies, what follows from it, and which points that makes."""

import difflib
import json
import operator
import random

from zz import _zz
from zz.inputs import _json, is_whole


class Space:
    """A space of designs, as ExplorationStage has it: a sequence of points, each a dict of names and values.

    axes:        {name: steps}, the first is the slowest: a field of the accelerator or a setting of a stage. Steps are an
                 iterable of values, or {"from": 8, "to": 64, "step": 8} or with "factor". Names separated by commas vary
                 together; each step is then a list with a value for each.
    linked:      {field: closed form} of fields that follow, as "0.1 * sqrt(memories.l1.size)".
    metrics:     {name: closed form} of figures of your own.
    constraints: limits, as "area <= 2.5".

    >>> space = zz.Space({"operational_array.sizes[D1]": [8, 16], "memories.l1.size": {"from": 65536, "to": 1048576, "factor": 2}},
    ...                  metrics={"area": "1e-6 * memories.l1.size + 0.001 * operational_array.sizes[D1]"},
    ...                  constraints=["area <= 1"])
    >>> len(space), space[3], space.index(space[3])
    """

    def __init__(self, axes, *, linked=None, metrics=None, constraints=()):
        if not isinstance(axes, dict):
            raise TypeError(f"axes={axes!r}: expected a dict of names and their steps")
        self.axes = {name: steps if isinstance(steps, (dict, list)) or not hasattr(steps, "__iter__") or isinstance(steps, str)
                     else list(steps) for name, steps in axes.items()}
        self.linked = dict(linked or {})
        self.metrics = dict(metrics or {})
        self.constraints = [constraints] if isinstance(constraints, str) else list(constraints)
        self._points = _zz.DesignSpace(_json(self.axes))
        self.names = self._points.names()

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_points"}

    def __setstate__(self, state):
        vars(self).update(state, _points=_zz.DesignSpace(_json(state["axes"])))

    def __len__(self):
        return self._points.size()

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        return dict(zip(self.names, json.loads(self._points.values(self._place(number)))))

    def _place(self, number):
        place = operator.index(number)
        place += len(self) if place < 0 else 0
        if not 0 <= place < len(self):
            raise IndexError(f"there is no point {number}: the space has {len(self)}, counted from 0")
        return place

    def __iter__(self):
        return map(self.__getitem__, range(len(self)))

    def index(self, point):
        """The number of a point, given as a dict of all names, or as its number. Raises ValueError for what is no point."""
        if not isinstance(point, dict):
            return self._place(point)
        for name in point:
            if name not in self.names:
                near = difflib.get_close_matches(str(name), self.names, 1)
                raise ValueError(f"the space does not vary {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        missing = [name for name in self.names if name not in point]
        if missing:
            raise ValueError(f"the point has no {missing[0]!r}")
        number = self._points.number(_json([point[name] for name in self.names]))
        if number is None:
            raise ValueError(self._no_step(point))
        return number

    def _no_step(self, point):
        """Which axis has no step as the point needs it."""
        for axis in json.loads(self._points.axes()):
            names, steps = axis["names"], axis["steps"]
            own = json.loads(_json([point[name] for name in names]))
            if own not in steps:
                return (f"{', '.join(names)} has no step {own if len(own) > 1 else own[0]!r}; "
                        f"it has {', '.join(str(step if len(step) > 1 else step[0]) for step in steps)}")
        return "the space has no such point"

    def values(self, axis):
        """The steps of an axis, as list: of one name, or of several that vary together, as axes has them."""
        for one in json.loads(self._points.axes()):
            if axis in one["names"] or axis == ", ".join(one["names"]) or axis in self.axes and self._names_of(axis) == one["names"]:
                place = one["names"].index(axis) if axis in one["names"] else None
                return [step[0] if len(step) == 1 else list(step) if place is None else step[place] for step in one["steps"]]
        near = difflib.get_close_matches(str(axis), self.names, 1)
        raise KeyError(f"the space does not vary {axis!r}" + (f"; did you mean {near[0]!r}?" if near else ""))

    @staticmethod
    def _names_of(axis):
        return [name.strip() for name in axis.split(",")]

    def sample(self, n, *, seed=0):
        """So many of its points, at most all, each once: a list of dicts. The same seed gives the same points."""
        if not is_whole(n) or n < 0:
            raise (ValueError if is_whole(n) else TypeError)(f"n={n!r}: expected a number of points, 0 or more")
        return [self[number] for number in random.Random(seed).sample(range(len(self)), min(operator.index(n), len(self)))]

    def __contains__(self, point):
        try:
            self.index(point)
        except (ValueError, IndexError, TypeError):
            return False
        return True

    def __repr__(self):
        return f"<zz space: {len(self)} points over {', '.join(self.names)}>"

    def settings(self):
        """What ExplorationStage is told of the space."""
        parts = {"axes": self.axes, "linked": self.linked, "metrics": self.metrics, "constraints": self.constraints}
        return {name: part for name, part in parts.items() if part}
