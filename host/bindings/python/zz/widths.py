"""Warns of sweeps in which wide ports are cheap."""

from zz import _zz
from zz.pipelines import _warn


def _memories(description, above=()):
    """(where, name, memory) of every memory in the description of an accelerator, those of its cores included."""
    if isinstance(description, (list, tuple)):
        description = dict(enumerate(description))
    if not isinstance(description, dict):
        return
    for name, part in description.items():
        if name == "memories" and isinstance(part, dict):
            yield from ((above, name, memory) for name, memory in part.items() if isinstance(memory, dict))
        elif isinstance(part, (dict, list, tuple)):
            yield from _memories(part, (*above, name))


def _widths(memory):
    ports = memory.get("ports")
    return [port.get("bandwidth_max") for port in ports if isinstance(port, dict)] if isinstance(ports, list) else []


class WidthWatch:
    """Looks at the points of a sweep, and warns once when bandwidth_max varies and r_cost does not."""

    def __init__(self):
        self._seen = {}  # of each memory: (widths of its ports, its r_cost)
        self._warned = False

    def look(self, point):
        if self._warned:
            return
        warning = _zz.warning_of_width_without_cost([name for name in point if isinstance(name, str)])
        for where, name, memory in _memories(point.get("accelerator")):
            now = _widths(memory), memory.get("r_cost")
            widths, cost = self._seen.setdefault((where, name), now)
            is_filled = cost in (None, "auto")  # by what follows the width
            if now[1] == cost and now[0] != widths and not is_filled:
                warning = warning or _zz.width_without_cost(f"bandwidth_max of '{name}'", "its r_cost")
        if warning:
            self._warned = True
            _warn(warning)
