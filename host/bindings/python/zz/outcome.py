"""What has become of a point of a sweep."""

import math
import os
import zlib

from zz import _zz, errors
from zz.results import Result, Results


def rows_of(results):
    """The figures of a point for tables: a dict for each result; for each layer where no stage adds them up."""
    rows = []
    for number, result in enumerate(results):
        several = {"result": number, **result._summary["settings"]} if len(results) > 1 else {}
        rows += [{**several, **row} for row in ([result.total] if result.total else result.layers)]
    return rows


def _cell(value):
    """An argument in a table: a description goes by its name."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value["name"] if isinstance(value, dict) and isinstance(value.get("name"), str) else value


def packed(results):
    """Results as bytes, for other processes and for files."""
    parts = []
    for evaluation, extra in results:
        content = _zz._bytes_of_result(evaluation, extra)
        parts += [len(content).to_bytes(8, "little"), content]
    return zlib.compress(b"".join(parts), 1)


def _unpacked(content):
    content = zlib.decompress(content)
    results, place = [], 0
    while place < len(content):
        begin = place + 8
        place = begin + int.from_bytes(content[place:begin], "little")
        results.append(Result(*_zz._result_of_bytes(content[begin:place])))
    return results


class Outcome:
    """What has become of a point of a sweep.

    index:    which point, counted from 0.
    point:    its arguments, as they were given.
    labels:   its columns of tables that are no arguments.
    status:   "done", "infeasible" (it is proven that nothing legal exists), "not found" (a search that has not looked at
              everything found nothing) or "failed".
    error:    why it is not done: zz.NoResult when infeasible, zz.NotFound when not found; None when done.
    seconds:  how long it took, on the worker that computed it.
    counters: what stages counted there.
    stored:   True when it comes from the store.
    """

    def __init__(self, *, error=None, rows=(), content=None, counters=None, seconds=None, inputs=None):
        self.index = self.point = None
        self.labels = {}
        self.error = error
        self.rows = list(rows)
        self.counters = counters or {}
        self.seconds = seconds
        self.stored = False
        self._figures_alone = False
        self._content = content
        #: gives the results, where an exploration has kept the figures alone
        self._again = None
        #: {path: SHA-256} of the files that it depends on; None when one of them changed meanwhile
        self._inputs = inputs

    @property
    def status(self):
        if self.error is None:
            return "done"
        if isinstance(self.error, errors.NotFound):
            return "not found"
        return "infeasible" if isinstance(self.error, errors.NoResult) else "failed"

    @property
    def reason(self):
        """Why it is not done, as text; "" when done."""
        return str(self.error or "")

    @property
    def results(self):
        """The zz.Results, as of zz.run(). Raises the error of a point that is not done. One that an exploration has found, which
        keeps figures alone, is run for them."""
        self._need_done()
        if self._again is not None:
            return self._again()
        if self._content is None:
            raise errors.Error("the results of this sweep were not kept: it ran with keep=\"figures\"")
        return Results(_unpacked(self._content), counters=self.counters, seconds=self.seconds)

    def _need_done(self):
        if self.error is not None:
            raise self.error

    def _figure(self, name):
        self._need_done()
        if len(self.rows) != 1:
            raise AttributeError(f"there are {len(self.rows)} rows of figures: choose one, as rows[0][\"{name}\"]")
        return self.rows[0][name]

    @property
    def energy(self):
        """Of all layers, in pJ. Raises the error of a point that is not done."""
        return self._figure("energy")

    @property
    def latency(self):
        """Of all layers, in cycles. Raises the error of a point that is not done."""
        return self._figure("latency")

    def columns(self):
        """What tables have of its point: {column: argument or label}."""
        return {**{name: _cell(value) for name, value in self.point.items() if name != "labels"}, **self.labels}

    def table_rows(self):
        """Its rows in Sweep.to_dataframe()."""
        of_point = {"index": self.index, **self.columns(), "status": self.status, "reason": self.reason}
        # Tables have both columns, also where no point is done.
        none = {"energy": math.nan, "latency": math.nan}
        return [{**of_point, **row, "seconds": self.seconds} for row in self.rows or [none]]

    def __repr__(self):
        if self.error is not None:
            return f"<zz outcome {self.index}: {self.status}: {self.reason}>"
        figures = ", ".join(f"{name}={self.rows[0][name]:.6g}" for name in ("energy", "latency")
                            if len(self.rows) == 1 and name in self.rows[0])
        return f"<zz outcome {self.index}: {figures or f'{len(self.rows)} rows'}>"
