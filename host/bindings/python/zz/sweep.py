"""Runs a pipeline at many points: in this process, in others, or on the machines of a cluster."""

import logging
import os
import uuid

from zz import front
from zz.crew import Crew
from zz.dispatch import Dispatch
from zz.inputs import expect, expect_path
from zz.results import UNITS, _dataframe
from zz.store import Store, is_url
from zz.work import Work

_log = logging.getLogger("zz")


def _absolute(store):
    place = expect_path(store=store)
    return place if is_url(place) else os.path.abspath(place)


class Sweep:
    """The outcomes of a sweep, as they come: an iterator of zz.Outcome. See zz.sweep().

    Use it as a context manager, or call close(), to end it early. One that is left ends when Python forgets it.
    """

    def __init__(self, pipeline, points, executor, store, workers, point_seconds, keep, parameters):
        if keep not in ("results", "figures"):
            raise ValueError(f"keep={keep!r}: expected \"results\" or \"figures\"")
        if "time_limit" in parameters:
            raise TypeError("time_limit is a setting of stages, and goes into the pipeline or into the points; how long a "
                            f"point may take is point_seconds={parameters['time_limit']!r}")
        expect(point_seconds=(point_seconds, float, "seconds, more than 0"), workers=(workers, int, "how many points are computed at once"))
        if point_seconds is not None and not point_seconds > 0:
            raise ValueError(f"point_seconds={point_seconds!r}: expected seconds, more than 0")
        self._points = points
        # Workers elsewhere may not reach the store.
        here = store is not None and (executor is None or isinstance(executor, int))
        work = Work(uuid.uuid4().hex, os.getcwd(), pipeline, parameters, point_seconds, keep == "results",
                    _absolute(store) if here else "")
        self._store = Store(store) if store is not None else None
        self._dispatch = Dispatch(points, work, self._store, Crew(executor, workers) if executor is not None else None)
        self._outcomes = self._dispatch.outcomes()  # it must not know the sweep: a circle would outlive its last user
        self._rows = []
        self._told = False  # why no point has figures
        self._arguments = set()  # the names of what the points give

    def __iter__(self):
        return self

    def __next__(self):
        outcome = next(self._outcomes)
        self._rows.append(outcome.table_rows())
        self._arguments.update(outcome.columns())
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
        self._dispatch.end()

    def _all_rows(self):
        """Computes what is left. In the order of the points."""
        for _ in self:
            pass
        rows = sorted((rows for rows in self._rows if rows), key=lambda rows: rows[0]["index"])
        reasons = {rows[0]["reason"] for rows in rows}
        if len(reasons) == 1 and "" not in reasons and not self._told:
            self._told = True
            _log.warning("none of the %d points has figures, all for one reason: %s", len(rows), *reasons)
        return [row for of_point in rows for row in of_point]

    def to_dataframe(self):
        """Computes what is left, and returns a pandas.DataFrame: a row for each point, in the order of the points, with
        its arguments, figures, status and reason."""
        return _dataframe(self._all_rows())

    def pareto(self, first="energy", second="latency"):
        """Computes what is left, and returns the points that no other one beats: less is better in both figures.

        A dict for each as to_dataframe() has it, by ascending `first`. A point that is equal to one of them is one too.

        >>> for point in sweep.pareto("energy", "latency"):
        ...     print(point["index"], point["energy"], point["latency"])
        """
        return front.unbeaten(front.with_figures(self._all_rows(), (first, second)), first, second)

    def page(self, first="energy", second="latency"):
        """Computes what is left, and returns a page for a browser, as text: the points by two figures, and which none beats."""
        return front.page(self._all_rows(), sorted(self._arguments), first, second, UNITS)


def sweep(pipeline, points=None, *, executor=None, store=None, workers=None, point_seconds=None, keep="results",
          **parameters):
    """Runs a pipeline at many points, and returns a Sweep: an iterator of the outcomes, as they come.

    pipeline:    as for zz.run(); or the points, when each of them names its own as "pipeline".
    points:      an iterable of dicts of arguments for zz.run(), threads and plugins included; and `labels`, a dict of
                 columns for the tables. It is read as workers need points, so it may be a generator.
    executor:    who computes: None for this process, a number of processes, any concurrent.futures.Executor (threads,
                 processes, Dask's Client.get_executor(), mpi4py.futures), or a function that makes one.
    store:       an SQLite file, or the URL of a PostgreSQL database (postgresql://...). Points that it has are not computed
                 again, unless an input file has changed since. Points that are computed here share the proven mappings of
                 layers in it.
    workers:     how many points the executor computes at once, if it does not tell.
    point_seconds: how long a point may take; then it ends with zz.TimedOut.
    keep:        "results" to have the whole results of every point, "figures" for those of tables alone, which takes less
                 memory and room in the store.
    parameters:  arguments for zz.run() that all points have in common.

    A point that is infeasible, wrong or too slow is an outcome like others, and says why. Points of workers that were
    killed run again, at most twice. Figures do not depend on the executor. docs/clusters.md shows clusters.

    >>> points = [{"accelerator": chip, "workload": network} for chip in chips for network in networks]
    >>> for outcome in zz.sweep("pipeline.yaml", points, executor=8, store="sweep.sqlite"):
    ...     print(outcome.point, outcome.energy if outcome.status == "done" else outcome.reason)
    """
    if points is None:
        pipeline, points = None, pipeline
    if isinstance(points, (str, bytes, dict)) or not hasattr(points, "__iter__"):
        raise TypeError(f"points={points!r}: expected an iterable of dicts, each with arguments for zz.run()")
    return Sweep(pipeline, points, executor, store, workers, point_seconds, keep, parameters)
