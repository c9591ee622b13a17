"""What a worker of a sweep does: it computes some points, one after another."""

import ctypes
import functools
import hashlib
import logging
import multiprocessing
import os
import pickle
import threading
import time
import typing

from zz import _zz, errors
from zz.outcome import Outcome, packed, rows_of
from zz.pipelines import Run
from zz.results import Result, Results

_log = logging.getLogger("zz")
_OPTIONS = ("threads", "plugins", "plugin_paths", "log_level")

#: The argument of a point that no run gets: columns of tables.
LABELS = "labels"

#: Seconds that a run has to notice that it is cancelled.
_PATIENCE = 3
_EXIT_CODE = 70


class Work(typing.NamedTuple):
    """What the points of a sweep have in common."""

    sweep: str  # names it among those of this process
    folder: str  # from which relative paths count
    pipeline: object
    parameters: dict
    point_seconds: float
    keep_results: bool
    store: str = ""  # that the points share for the mappings of their layers


def labels(work, point):
    """What a point has for the columns of tables alone: the labels of the sweep, and its own."""
    columns = {}
    for given in (work.parameters.get(LABELS, {}), point.get(LABELS, {})):
        if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
            raise TypeError(f"labels={given!r}: expected a dict of columns for tables")
        columns.update(given)
    return columns


def arguments(work, point):
    """(pipeline, parameters, options) of zz.run() for a point."""
    parameters = {name: value for name, value in {**work.parameters, **point}.items() if name != LABELS}
    for name in parameters:
        if not isinstance(name, str):
            raise TypeError(f"the point has the key {name!r}: expected names of arguments for zz.run()")
    pipeline = parameters.pop("pipeline", work.pipeline)
    if pipeline is None:
        raise TypeError("the point has no 'pipeline', and the sweep has none for all")
    options = {name: parameters.pop(name) for name in _OPTIONS if name in parameters}
    # The warnings of thousands of points would say nothing; what is wrong with the pipeline itself is told once.
    return pipeline, parameters, {"log_level": logging.ERROR, **options}


def key(work, point):
    """(under which key stores keep the point, whether one result is all of it). Raises what is wrong with it."""
    pipeline, parameters, options = arguments(work, point)
    with Run(pipeline, parameters, folder=work.folder, **options) as run:
        return run.key()


_lock = threading.Lock()
_stopped = set()
_at_work = {}  # sweep -> its runs in this process


def stop(sweep):
    """Ends what threads of this process do for a sweep."""
    with _lock:
        _stopped.add(sweep)
        runs = list(_at_work.get(sweep, ()))
    for run in runs:
        run.cancel()


def _raise_in(thread, exception):
    """The thread of Python finds the exception at its next step; None takes back one that it has not found yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception and ctypes.py_object(exception))


class _Limit:
    """Cancels a run that takes too long. A stage in Python that does not listen gets an exception; if it does not take
    that either, the process of the worker ends."""

    def __init__(self, run, seconds):
        self.passed = False
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.get_ident()
        if seconds is not None:
            threading.Thread(target=self._watch, args=(run, seconds), daemon=True).start()

    def _watch(self, run, seconds):
        if self._ended.wait(seconds):
            return
        self.passed = True
        run.cancel()
        if self._ended.wait(_PATIENCE):
            return
        with self._lock:
            if not self._ended.is_set():
                _raise_in(self._thread, errors.TimedOut)
        if self._ended.wait(_PATIENCE):
            return
        if multiprocessing.parent_process() is not None:
            os._exit(_EXIT_CODE)
        _log.warning("a point goes on after point_seconds, %g s; only in processes of their own such can be ended",
                     seconds)

    def ended(self):
        with self._lock:
            self._ended.set()
        if self.passed:
            _raise_in(self._thread, None)


@functools.lru_cache(4096)
def _digest(path, *_version):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _digests(paths, begun):
    """{path: SHA-256}; None when a file has changed since the run began."""
    digests = {}
    for path in paths:
        status = os.stat(path)
        if status.st_mtime_ns >= begun:
            return None
        digests[path] = _digest(path, status.st_mtime_ns, status.st_size, status.st_ino)
    return digests


def _run(work, run):
    with _lock:
        _at_work.setdefault(work.sweep, set()).add(run)
        if work.sweep in _stopped:
            run.cancel()
    limit = _Limit(run, work.point_seconds)
    try:
        results = Results([Result(*pair) for pair in run], counters=run.counters(), seconds=run.seconds)
        if not results:
            raise errors.NoResult(run._run.no_result())
    except Exception:
        if not limit.passed:
            raise
    finally:
        limit.ended()
        run.close()
        with _lock:
            _at_work[work.sweep].discard(run)
    if limit.passed:
        raise errors.TimedOut(f"the point did not end within point_seconds, {work.point_seconds:g} s")
    return results


def _computed(work, point):
    begun = time.time_ns()
    run = None
    try:
        pipeline, parameters, options = arguments(work, point)
        run = Run(pipeline, parameters, folder=work.folder, store=work.store, **options)
        results = _run(work, run)
        return Outcome(rows=rows_of(results), content=packed(results) if work.keep_results else None,
                       counters=_own(results.counters), seconds=results.seconds, inputs=_digests(run.files_read(), begun))
    except Exception as problem:
        answered = run is not None and isinstance(problem, errors.NoResult)
        inputs = _digests(run.files_read(), begun) if answered else None
        return Outcome(error=_transportable(problem), seconds=(time.time_ns() - begun) / 1e9, inputs=inputs)


def _own(counters):
    """Without what the store had, which says nothing of the point."""
    return {name: count for name, count in counters.items() if name not in _zz.COUNTERS_OF_STORE}


def results(work, point):
    """The results of a point of which the figures are known."""
    # Of no sweep: the one that found the figures may have ended.
    return _computed(work._replace(sweep="", keep_results=True), point).results


def _transportable(problem):
    """The exception, or what it says when other processes could not have it."""
    try:
        pickle.loads(pickle.dumps(problem))
        return problem
    except Exception:
        return errors.Error(f"{type(problem).__name__}: {problem}")


def _unpacked(content):
    if not isinstance(content, bytes):
        return content
    try:
        return pickle.loads(content)
    except (AttributeError, ImportError) as problem:
        raise errors.Error(f"a worker cannot load the pipeline: {problem}; put stages that are classes into a file that "
                           "workers can import, or name the file in a PythonStage") from None


def compute(work, points, number):
    """The outcomes of some points. Both may be pickled; `number` keeps engines from taking two calls for the same."""
    work = _unpacked(work)
    work = work._replace(folder="" if work.folder == os.getcwd() else work.folder)
    return [_computed(work, point) for point in _unpacked(points) if work.sweep not in _stopped]
