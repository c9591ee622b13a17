"""Sends the points of a sweep to its workers, and gathers what becomes of them."""

import collections
import concurrent.futures.process
import concurrent.futures.thread
import functools
import itertools
import os
import pickle
import queue
import threading
import weakref

from zz import errors, work
from zz.crew import is_loss
from zz.interrupts import held_back
from zz.outcome import Outcome
from zz.inputs import plain_of
from zz.widths import WidthWatch

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

    def __init__(self, index, point, key, one):
        self.index, self.point, self.key, self.one = index, point, key, one
        self.losses = 0


class Dispatch:
    """The points, and what each is at.

    points:  an iterable of dicts of arguments.
    work:    what they have in common.
    store:   the Store that keeps the outcomes, or None.
    crew:    the Crew that computes, or None for this process.
    """

    def __init__(self, points, work, store, crew):
        self._points, self._work, self._store, self._crew = points, work, store, crew
        self._widths = WidthWatch()
        self._again = collections.deque()  # tasks whose worker was lost
        self._running = {}  # future -> (tasks, which executor)
        self._ready = queue.SimpleQueue()  # futures that have ended
        self._seconds = None  # that a point takes
        self._renewals = self._computed = 0
        self._calls = itertools.count()
        self._process = os.getpid()
        if crew is not None:
            _at_work.add(self)

    def outcomes(self):
        """The outcomes, as they come. Ends the work at its end, or when it is closed before."""
        try:
            yield from self._here() if self._crew is None else self._elsewhere()
        finally:
            self.end()

    def end(self):
        """Ends the work. What has been computed is in the store."""
        if os.getpid() != self._process:
            return  # a fork has this object as well
        with held_back():
            _at_work.discard(self)
            work.stop(self._work.sweep)
            running, self._running = self._running, {}
            for future, (tasks, _) in running.items():
                if not future.cancel() and future.done() and future.exception() is None and self._store is not None:
                    self._keep(tasks, future.result())
            if self._crew is not None:
                self._crew.close()
            if self._store is not None:
                self._store.close()

    def _tasks(self):
        for index, point in enumerate(self._points):
            if not isinstance(point, dict):
                raise TypeError(f"point {index} is {point!r}: expected a dict of arguments for zz.run()")
            point = {name: plain_of(value) for name, value in _snapshot(point).items()}
            work.labels(self._work, point)  # a mistake in them is one of the sweep
            self._widths.look(point)
            yield _Task(index, point, *self._key(point))

    def _key(self, point):
        if self._store is None:
            return None, False
        try:
            return work.key(self._work, point)
        except Exception:
            return None, False  # the point is wrong: it fails again where it is computed, and nothing is kept of it

    def _known(self, task):
        known = self._store.find(task.key, task.one) if task.key is not None else None
        return known and self._of(task, known)

    def _of(self, task, outcome):
        outcome.index, outcome.point = task.index, task.point
        outcome.labels = work.labels(self._work, task.point)
        if outcome._figures_alone and self._work.keep_results:
            outcome._again = functools.partial(work.results, self._work, task.point)
        return outcome

    def _keep(self, tasks, outcomes):
        pairs = [(task, self._of(task, outcome)) for task, outcome in zip(tasks, outcomes)]
        if self._store is not None:
            self._store.add([(task.key, task.one, outcome) for task, outcome in pairs if task.key is not None])
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
            try:
                future = self._ready.get(timeout=_SECONDS_UNTIL_A_LOOK)
            except queue.Empty:
                continue
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
        with held_back():
            while True:
                try:
                    future = self._crew.submit(work.compute, shared, points, next(self._calls))
                    break
                except concurrent.futures.BrokenExecutor as problem:
                    self._renew(self._renewals, problem)
            self._running[future] = tasks, self._renewals
            future.add_done_callback(self._ready.put)

    def _ended(self, future):
        tasks, executor = self._running.pop(future)
        outcomes, problem = _ending_of(future)
        if problem is not None:
            if not is_loss(problem):
                raise errors.Error(f"the executor failed: {type(problem).__name__}: {problem}") from problem
            if isinstance(problem, concurrent.futures.BrokenExecutor):
                self._renew(executor, problem)
            return self._lost(tasks, problem)
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
            limit = "" if self._work.point_seconds is None else ", maybe because a stage did not heed point_seconds"
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
        with held_back():
            self._crew.renew()


def _ending_of(future):
    """(outcomes, what its worker raised): one of the two is None."""
    with held_back():
        try:
            problem = future.exception()
        except concurrent.futures.CancelledError as cancelled:
            problem = cancelled
        return (future.result(), None) if problem is None else (None, problem)


_at_work = weakref.WeakSet()


def _end_all():
    for dispatch in list(_at_work):
        dispatch.end()


# Before it ends, Python waits for what executors are at: a sweep that was left, as by Ctrl-C, might keep it for ever. The hooks of
# modules that were imported earlier run later.
threading._register_atexit(_end_all)
