"""Runs a pipeline at many points: in this process, in others, or on the machines of a cluster."""

import collections
import concurrent.futures
import itertools
import os
import pickle
import uuid

from zz import errors, work
from zz.crew import Crew, is_loss
from zz.outcome import Outcome
from zz.point_key import key_of
from zz.results import _dataframe
from zz.store import Store

#: Workers get as many points at a time as take about so many seconds, and at most so many points.
_SECONDS_OF_CHUNK, _POINTS_OF_CHUNK = 0.25, 256

#: A point whose worker is lost so often runs alone; and so often: it is given up.
_LOSSES_UNTIL_ALONE, _MOST_LOSSES = 2, 3

#: After so many seconds without an outcome there may be more workers.
_SECONDS_UNTIL_A_LOOK = 5

#: So many workers may be lost one after another before any point was computed.
_LOSSES_AT_THE_START = 10


def _snapshot(point):
    """The point as it is now: generators like to yield the same accelerator again, with another size in it."""
    try:
        return pickle.loads(pickle.dumps(point))
    except Exception:
        return dict(point)


class _Task:
    """A point on its way."""

    def __init__(self, index, point, key):
        self.index, self.point, self.key = index, point, key
        self.losses = 0


class Sweep:
    """The outcomes of a sweep, as they come: an iterator of zz.Outcome. See zz.sweep().

    Use it as a context manager, or call close(), to end it early.
    """

    def __init__(self, pipeline, points, executor, store, workers, time_limit, keep, parameters):
        if keep not in ("results", "figures"):
            raise ValueError(f"keep={keep!r}: expected \"results\" or \"figures\"")
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"time_limit={time_limit!r}: expected seconds, more than 0")
        self._points = points
        self._work = work.Work(uuid.uuid4().hex, os.getcwd(), pipeline, parameters, time_limit, keep == "results")
        self._store = Store(store) if store is not None else None
        self._crew = Crew(executor, workers) if executor is not None else None
        self._rows = []
        self._again = collections.deque()  # tasks whose worker was lost
        self._running = {}  # future -> (tasks, which executor)
        self._seconds = None  # that a point takes
        self._renewals = self._computed = 0
        self._calls = itertools.count()
        self._outcomes = self._all()

    def __iter__(self):
        return self

    def __next__(self):
        outcome = next(self._outcomes)
        self._rows.append(outcome.table_rows())
        return outcome

    def __len__(self):
        """The number of points, where they are a list or know it otherwise."""
        return len(self._points)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the sweep. What has been computed is in the store."""
        self._outcomes.close()
        self._end()

    def to_dataframe(self):
        """Computes what is left, and returns a pandas.DataFrame: a row for each point, in the order of the points, with
        its arguments, figures, status and reason."""
        for _ in self:
            pass
        rows = sorted((rows for rows in self._rows if rows), key=lambda rows: rows[0]["index"])
        return _dataframe([row for of_point in rows for row in of_point])

    def _all(self):
        try:
            yield from self._here() if self._crew is None else self._elsewhere()
        finally:
            self._end()

    def _tasks(self):
        for index, point in enumerate(self._points):
            if not isinstance(point, dict):
                raise TypeError(f"point {index} is {point!r}: expected a dict of arguments for zz.run()")
            point = _snapshot(point)
            yield _Task(index, point, self._key(point))

    def _key(self, point):
        if self._store is None:
            return None
        try:
            return key_of(self._work.folder, *work.arguments(self._work, point))
        except Exception:
            return None  # the point is wrong: it fails again where it is computed, and nothing is kept of it

    def _known(self, task):
        known = self._store.find(task.key) if task.key is not None else None
        return known and self._of(task, known)

    @staticmethod
    def _of(task, outcome):
        outcome.index, outcome.point = task.index, task.point
        return outcome

    def _keep(self, tasks, outcomes):
        pairs = [(task, self._of(task, outcome)) for task, outcome in zip(tasks, outcomes)]
        if self._store is not None:
            self._store.add([(task.key, outcome) for task, outcome in pairs if task.key is not None])
        return [outcome for _, outcome in pairs]

    def _here(self):
        for task in self._tasks():
            yield self._known(task) or self._keep([task], work.compute(self._work, [task.point], 0))[0]

    def _elsewhere(self):
        shared = self._crew.packed(self._work)
        fresh = self._tasks()
        while True:
            while len(self._running) < self._most_calls():
                tasks = self._next(fresh)
                if not tasks:
                    break
                unknown = []
                for task in tasks:
                    if task.losses == 0 and (known := self._known(task)):
                        yield known
                    else:
                        unknown.append(task)
                if unknown:
                    self._submit(shared, unknown)
            if not self._running:
                return
            done, _ = concurrent.futures.wait(self._running, _SECONDS_UNTIL_A_LOOK, concurrent.futures.FIRST_COMPLETED)
            for future in done:
                yield from self._ended(future)

    def _most_calls(self):
        """As many as keep the workers busy; one while a point is at work that may be what kills them."""
        suspects = [tasks for tasks, _ in self._running.values() if tasks[0].losses >= _LOSSES_UNTIL_ALONE]
        if suspects or (self._again and self._again[0].losses >= _LOSSES_UNTIL_ALONE):
            return 1
        return 2 * self._crew.workers()

    def _next(self, fresh):
        """The tasks of a call."""
        if self._again:
            return [self._again.popleft()]
        size = 1 if self._seconds is None else int(_SECONDS_OF_CHUNK / max(self._seconds, 1e-9))
        return list(itertools.islice(fresh, min(max(size, 1), _POINTS_OF_CHUNK)))

    def _submit(self, shared, tasks):
        points = self._crew.packed([task.point for task in tasks])
        while True:
            try:
                future = self._crew.submit(work.compute, shared, points, next(self._calls))
                break
            except concurrent.futures.BrokenExecutor as problem:
                self._renew(self._renewals, problem)
        self._running[future] = tasks, self._renewals

    def _ended(self, future):
        tasks, executor = self._running.pop(future)
        problem = _problem_of(future)
        if problem is not None:
            if not is_loss(problem):
                raise errors.Error(f"the executor failed: {type(problem).__name__}: {problem}") from problem
            if isinstance(problem, concurrent.futures.BrokenExecutor):
                self._renew(executor, problem)
            return self._lost(tasks, problem)
        outcomes = future.result()
        self._computed += len(outcomes)
        seconds = sum(outcome.seconds for outcome in outcomes) / max(1, len(outcomes))
        self._seconds = seconds if self._seconds is None else (self._seconds + seconds) / 2
        return self._keep(tasks, outcomes)

    def _lost(self, tasks, problem):
        given_up = []
        for task in tasks:
            task.losses += 1
            if task.losses < _MOST_LOSSES:
                self._again.append(task)
                continue
            limit = "" if self._work.time_limit is None else ", maybe because a stage did not heed its time limit"
            lost = Outcome(error=errors.WorkerLost(
                f"the worker that computed this point was lost {task.losses} times, the last time alone{limit}: {problem}"))
            given_up.append(self._of(task, lost))
        return given_up

    def _renew(self, executor, problem):
        if executor != self._renewals:
            return  # another call has seen it before
        if self._computed == 0 and self._renewals >= _LOSSES_AT_THE_START:
            raise errors.WorkerLost(f"workers end before they have computed anything: {problem}") from problem
        self._renewals += 1
        self._crew.renew()

    def _end(self):
        work.stop(self._work.sweep)
        running, self._running = self._running, {}
        for future, (tasks, _) in running.items():
            if not future.cancel() and future.done() and future.exception() is None and self._store is not None:
                self._keep(tasks, future.result())
        if self._crew is not None:
            self._crew.close()
        if self._store is not None:
            self._store.close()


def _problem_of(future):
    """What its worker raised. Nothing is caught that is raised here: Ctrl-C may come at any time."""
    try:
        return future.exception()
    except concurrent.futures.CancelledError as cancelled:
        return cancelled


def sweep(pipeline, points=None, *, executor=None, store=None, workers=None, time_limit=None, keep="results", **parameters):
    """Runs a pipeline at many points, and returns a Sweep: an iterator of the outcomes, as they come.

    pipeline:    as for zz.run(); or the points, when each of them names its own as "pipeline".
    points:      an iterable of dicts of arguments for zz.run(), threads and plugins included. It is read as workers
                 need points, so it may be a generator.
    executor:    who computes: None for this process, a number of processes, any concurrent.futures.Executor (threads,
                 processes, Dask's Client.get_executor(), mpi4py.futures), or a function that makes one.
    store:       an SQLite file. Points that it has are not computed again, unless an input file has changed since.
    workers:     how many points the executor computes at once, if it does not tell.
    time_limit:  seconds for a point.
    keep:        "results" to have the whole results of every point, "figures" for those of tables alone, which takes less
                 memory and room in the store.
    parameters:  arguments for zz.run() that all points have in common.

    A point that is infeasible, wrong or too slow is an outcome like others, and says why. Points of workers that were
    killed run again, at most twice. Figures do not depend on the executor. docs/clusters.md shows clusters.

    >>> points = [{"accelerator": chip, "loma_lpf_limit": limit} for chip in chips for limit in (4, 6)]
    >>> for outcome in zz.sweep("pipeline.yaml", points, executor=8, store="sweep.sqlite"):
    ...     print(outcome.point, outcome.energy if outcome.status == "done" else outcome.reason)
    """
    if points is None:
        pipeline, points = None, pipeline
    if isinstance(points, (str, bytes, dict)) or not hasattr(points, "__iter__"):
        raise TypeError(f"points={points!r}: expected an iterable of dicts, each with arguments for zz.run()")
    return Sweep(pipeline, points, executor, store, workers, time_limit, keep, parameters)
