"""Looks at what stages hand down, as parsers do."""

import functools
import threading

from zz.pipelines import iterate
from zz.stage import Stage

_lock = threading.Lock()  # one at a time: what was seen is kept in the class


@functools.cache
def _look_at(ports):
    class Look(Stage):
        """Keeps what the stages above it hand down, and yields nothing."""

        leaf = True
        consumes = dict(ports)
        seen = None

        def run(self, context):
            Look.seen = [context[name] for name, _ in ports]
            return iter(())

    return Look


def seen_below(stages, parameters, **ports):
    """The values of context keys, given as name="type", below a list of stages."""
    look = _look_at(tuple(ports.items()))
    with _lock:
        list(iterate({"stages": [*stages, look], "parameters": parameters}))
        return look.seen
