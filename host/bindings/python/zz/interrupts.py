"""Ctrl-C amid the work of an executor."""

import contextlib
import os
import signal
import threading


@contextlib.contextmanager
def held_back():
    """Ctrl-C is raised at the end of the block, not within it.

    Raised amid the work of an executor it would be lost: within a fork nothing takes it, and where it comes as the lock of a
    future is left, that stays taken for ever. A second one is for who cannot wait, and is raised at once.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield  # such threads do not get it
        return
    process, first = os.getpid(), []

    def note(*arguments):
        if first or os.getpid() != process:  # the block may fork: Ctrl-C is as ever in the other process
            before(*arguments)
        else:
            first.append(arguments)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        for arguments in first:
            before(*arguments)
