"""Tells on the terminal how far a run is."""

import contextlib
import sys
import time


@contextlib.contextmanager
def shown_progress(wanted):
    """A function for zz.run(progress=...), or None where nobody would see it. Says nothing in the first second."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    width = 0

    def tell(what, share):
        nonlocal width
        if time.monotonic() - started < 1:
            return
        line = f"{share:4.0%} {what}"[:100]
        sys.stderr.write("\r" + line.ljust(width))
        sys.stderr.flush()
        width = len(line)

    try:
        yield tell
    finally:
        if width:
            sys.stderr.write("\r" + " " * width + "\r")
