"""The store in which a sweep keeps what it has computed."""

import hashlib
import json
import os

from zz import _zz, errors
from zz.outcome import Outcome

#: Seconds to wait for other sweeps that write; many may use one file.
_PATIENCE = 60


def is_url(place):
    """Whether it names a database of a server, and no file."""
    return _zz.ResultStore.is_on_server(place)


def _readable(value):
    """What a point has, for whoever looks into the table."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def _digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


class Store:
    """The outcomes in a store, which explorations and other sweeps may use as well. Those that failed are not among them."""

    def __init__(self, place):
        place = os.fspath(place)
        if not is_url(place) and not os.path.isdir(os.path.dirname(place) or "."):
            raise errors.InputError(f"the store '{place}' cannot be made: its folder is not there")
        self._store = _zz.ResultStore(place, _PATIENCE)
        self._same = {}  # files of outcomes -> whether they are what they were
        self._digests = {}

    def _unchanged(self, files):
        if files not in self._same:
            known = json.loads(files)
            for path in known.keys() - self._digests.keys():
                self._digests[path] = _digest(path)
            self._same[files] = all(self._digests[path] == digest for path, digest in known.items())
        return self._same[files]

    def find(self, key, one):
        """The outcome under a key, if all files that it depends on are as they were. `one`: a result is all of the point, so that
        the figures that explorations keep are those of it."""
        outcomes = self._store.outcomes(key)
        for files, status, seconds, said, results in outcomes:
            if self._unchanged(files):
                _, reason, stage, rows, counters = json.loads(said)
                kinds = {"infeasible": errors.NoResult, "not found": errors.NotFound}
                error = kinds[status](reason, (), stage) if status in kinds else None
                outcome = Outcome(error=error, rows=rows, counters=counters, seconds=seconds, content=results)
                outcome.stored = True
                return outcome
        return self._of_exploration(key) if one and not outcomes else None

    def _of_exploration(self, key):
        """A point that an exploration has found: its figures."""
        figures = {name: value for name, value in self._store.figures(key).items() if value == value}
        if not {"energy", "latency"} <= figures.keys():
            return None
        outcome = Outcome(rows=[figures], seconds=0.0)
        outcome.stored = outcome._figures_alone = True
        return outcome

    def add(self, outcomes):
        """Keeps (key, one, outcome) each: what failed runs again. Explorations find their figures."""
        for key, one, outcome in outcomes:
            if outcome._inputs is None or outcome.status == "failed":
                continue
            said = json.dumps([outcome.point, outcome.reason, getattr(outcome.error, "stage", ""), outcome.rows, outcome.counters],
                              default=_readable)
            self._store.add_outcome(key, json.dumps(outcome._inputs, sort_keys=True), outcome.status, outcome.seconds,
                                    said.encode(), outcome._content or b"")
            if one:
                self._add_figures(key, outcome)
        self._written(self._store.write_if_due)

    def _add_figures(self, key, outcome):
        if outcome.status != "done":
            self._store.add_failure(key, " ".join(outcome.reason.split()))
            return
        row, = outcome.rows
        if "energy" in row and "latency" in row:
            for name, value in (("energy", row["energy"]), ("latency", row["latency"]), ("edp", row["energy"] * row["latency"])):
                self._store.add_figure(key, name, value)

    def _written(self, write):
        try:
            write()
        except errors.Error as problem:
            raise type(problem)(f"{problem}; what it has stays, and the sweep can go on from it") from problem

    def close(self):
        """Writes what has been added; after it there is nothing more to call."""
        try:
            if self._store is not None:
                self._written(self._store.write)
        finally:
            self._store = None
