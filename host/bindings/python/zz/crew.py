"""The workers of a sweep: an executor, and how to come by another when its processes were killed."""

import concurrent.futures
import math
import multiprocessing
import os
import pickle
import signal
import threading
import time

from zz import errors

#: Exceptions that say that a worker is gone, whatever it was working at; engines' own by their names.
_LOST = (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError, KeyboardInterrupt, SystemExit)
_LOST_BY_NAME = {"KilledWorker", "CancelledError"}

_SECONDS_BETWEEN_COUNTS = 5


def is_loss(problem):
    """Whether a worker was lost, rather than that it could not work."""
    return isinstance(problem, _LOST) or type(problem).__name__ in _LOST_BY_NAME


class _Processes(concurrent.futures.ProcessPoolExecutor):
    """Processes that end with the sweep, whatever they are at, and with its process, however that ends."""

    def __init__(self, count):
        alive, self._alive = multiprocessing.Pipe(duplex=False)
        super().__init__(count, initializer=_live_as_long_as, initargs=(alive, self._alive))

    def shutdown(self, wait=True, *, cancel_futures=False):
        if cancel_futures and not self._alive.closed:
            os.write(self._alive.fileno(), bytes(self._max_workers))
            self._alive.close()
        super().shutdown(wait, cancel_futures=cancel_futures)


def _live_as_long_as(alive, other_end):
    """In each worker: ends it when a byte comes through the pipe or its other end is closed. Ctrl-C is for the process of
    the sweep."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other_end.close()
    threading.Thread(target=_wait_for_end, args=(alive,), daemon=True).start()


def _wait_for_end(alive):
    os.read(alive.fileno(), 1)
    os._exit(0)


def _again(pool):
    """How to make another pool of processes like this one."""
    return lambda: type(pool)(pool._max_workers, mp_context=pool._mp_context, initializer=pool._initializer,
                              initargs=pool._initargs)


class Crew:
    """executor: a concurrent.futures.Executor, a function that makes one, or a number of processes."""

    def __init__(self, executor, workers=None):
        if hasattr(executor, "__index__") and not isinstance(executor, bool):  # numbers of numpy, too
            executor = int(executor)
        fits = 0 < executor < 2**31 if type(executor) is int else isinstance(executor, concurrent.futures.Executor) or callable(executor)
        if not fits:
            raise TypeError(f"executor={executor!r}: expected a concurrent.futures.Executor, a function that makes one, or a "
                            "number of processes")
        self._own = not isinstance(executor, concurrent.futures.Executor)
        if isinstance(executor, int):
            self._make = lambda: _Processes(executor)
        elif self._own:
            self._make = executor
        else:
            pool = concurrent.futures.ProcessPoolExecutor
            self._make = _again(executor) if isinstance(executor, pool) else None
        self._executor = self._make() if self._own else executor
        self._workers = workers
        self._count, self._counted = 1, -math.inf

    def workers(self):
        """How many points are computed at once. Clusters grow and shrink."""
        if self._workers is not None:
            return self._workers
        for name in ("_max_workers", "num_workers"):
            if isinstance(count := getattr(self._executor, name, None), int) and count > 0:
                return count
        client = getattr(self._executor, "_client", None)
        if hasattr(client, "ncores"):
            if time.monotonic() - self._counted > _SECONDS_BETWEEN_COUNTS:
                self._count, self._counted = max(1, sum(client.ncores().values())), time.monotonic()
            return self._count
        return os.cpu_count() or 1

    def packed(self, thing):
        """A thing as `submit` takes it: pickled, unless workers are threads of this process."""
        if isinstance(self._executor, concurrent.futures.ThreadPoolExecutor):
            return thing
        try:
            import cloudpickle  # knows classes of scripts and notebooks
        except ImportError:
            cloudpickle = pickle
        try:
            return cloudpickle.dumps(thing)
        except Exception as problem:
            raise errors.Error(f"the pipeline or a point cannot be sent to workers: {problem}") from problem

    def submit(self, function, *arguments):
        return self._executor.submit(function, *arguments)

    def renew(self):
        """Takes another executor after this one broke."""
        if self._make is None:
            raise errors.WorkerLost("a worker was killed and its executor takes no more work; give the sweep a function that "
                                    "makes executors, and it makes another")
        self._leave()
        self._executor, self._own = self._make(), True

    def _leave(self):
        if self._own:
            self._executor.shutdown(wait=False, cancel_futures=True)

    close = _leave
