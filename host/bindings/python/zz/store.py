"""The file in which a sweep keeps what it has computed."""

import contextlib
import hashlib
import json
import os
import sqlite3
import time
import zlib

from zz import errors
from zz.outcome import Outcome

_LAYOUT = 2
_TABLES = """
CREATE TABLE inputs (id INTEGER PRIMARY KEY, files TEXT NOT NULL UNIQUE, example BLOB NOT NULL);
CREATE TABLE points (key BLOB NOT NULL, inputs INTEGER NOT NULL REFERENCES inputs, status TEXT NOT NULL, seconds REAL,
  said BLOB NOT NULL, results BLOB, PRIMARY KEY (key, inputs)) WITHOUT ROWID;
"""

#: Seconds to wait for another sweep that writes.
_TIMEOUT = 60

#: Outcomes of so many seconds are written together, because disks take their time.
_SECONDS_TOGETHER = 0.25


def _readable(value):
    """What a point has, for whoever looks into the table."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def _packed(said, example):
    """A text as what it adds to another one: points of a sweep differ in little."""
    packer = zlib.compressobj(zdict=example)
    return packer.compress(said) + packer.flush()


def _said(packed, example):
    """What _packed() was given, as JSON: point, reason, stage, rows and counters."""
    return json.loads(zlib.decompressobj(zdict=example).decompress(packed))


def _digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


class Store:
    """An SQLite file with two tables: `points`, one row for each that did not fail, and `inputs`, the digests of
    the files that they depend on, with what the first of their points said. Several sweeps may use it at once."""

    def __init__(self, path):
        self._path = os.fspath(path)
        self._same = {}  # files of a row of inputs -> whether they are what they were
        self._digests = {}
        self._known, self._numbers = {}, {}  # rows of inputs, and which row files have
        self._waiting = []  # (key, outcome)
        self._written = time.monotonic()
        with self._explained():
            self._file = sqlite3.connect(self._path, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False)
            with self._changing():
                layout, = self._file.execute("PRAGMA user_version").fetchone()
                tables, = self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()
                if layout == 0 and tables == 0:
                    for statement in _TABLES.split(";"):
                        self._file.execute(statement)
                    self._file.execute(f"PRAGMA user_version = {_LAYOUT}")
                elif layout != _LAYOUT:
                    raise errors.Error(f"the file '{self._path}' is no store of this zz; name another one")

    @contextlib.contextmanager
    def _explained(self):
        try:
            yield
        except sqlite3.Error as problem:
            raise errors.Error(f"the store '{self._path}': {problem}; what it has stays, and the sweep can go on from it"
                               ) from problem

    @contextlib.contextmanager
    def _changing(self):
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            self._known, self._numbers = {}, {}  # what was rolled back may be among them
            raise

    def _unchanged(self, files):
        if files not in self._same:
            self._same[files] = True
            for path, digest in json.loads(files).items():
                if path not in self._digests:
                    self._digests[path] = _digest(path)
                self._same[files] = self._same[files] and self._digests[path] == digest
        return self._same[files]

    def _inputs(self, number):
        """The files of a row of inputs, and the text that its points are told by."""
        if number not in self._known:
            self._known[number] = self._file.execute("SELECT files, example FROM inputs WHERE id = ?", (number,)).fetchone()
        return self._known[number]

    def _number_of_inputs(self, files, said):
        """The row of inputs of these files; a new one has this text for an example."""
        if files not in self._numbers:
            self._file.execute("INSERT OR IGNORE INTO inputs (files, example) VALUES (?, ?)", (files, said))
            self._numbers[files], = self._file.execute("SELECT id FROM inputs WHERE files = ?", (files,)).fetchone()
        return self._numbers[files]

    def find(self, key):
        """The outcome under a key, if all files that it depends on are as they were."""
        with self._explained():
            rows = self._file.execute("SELECT inputs, status, seconds, said, results FROM points WHERE key = ?", (key,)).fetchall()
        for inputs, status, seconds, said, results in rows:
            files, example = self._inputs(inputs)
            if self._unchanged(files):
                _, reason, stage, figures, counters = _said(said, example)
                kinds = {"infeasible": errors.NoResult, "not found": errors.NotFound}
                error = kinds[status](reason, (), stage) if status in kinds else None
                outcome = Outcome(error=error, rows=figures, counters=counters, seconds=seconds, content=results)
                outcome.stored = True
                return outcome
        return None

    def add(self, outcomes):
        """Keeps (key, outcome) pairs: what failed runs again."""
        self._waiting += [(key, outcome) for key, outcome in outcomes
                          if outcome._inputs is not None and outcome.status != "failed"]
        if time.monotonic() - self._written > _SECONDS_TOGETHER:
            self.write()

    def write(self):
        """Writes what has been added."""
        rows = []
        for key, outcome in self._waiting:
            files = json.dumps(outcome._inputs, sort_keys=True)
            said = json.dumps([outcome.point, outcome.reason, getattr(outcome.error, "stage", ""), outcome.rows, outcome.counters],
                              default=_readable).encode()
            rows.append((files, said, (key, outcome.status, outcome.seconds, outcome._content)))
        self._waiting = []
        if not rows:
            return
        with self._explained(), self._changing():
            for files, said, (key, status, seconds, content) in rows:
                number = self._number_of_inputs(files, said)
                self._file.execute("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?)",
                                   (key, number, status, seconds, _packed(said, self._inputs(number)[1]), content))

        self._written = time.monotonic()

    def close(self):
        """Writes what has been added; after it there is nothing more to call."""
        try:
            self.write()
        finally:
            self._file.close()
