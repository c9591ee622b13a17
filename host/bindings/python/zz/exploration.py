"""Explorations of spaces of designs over a store, by zz's strategies or by any other program's."""

import contextlib
import html
import json
import logging
import math
import os
import pathlib
import shutil
import tempfile
import weakref

from zz import _zz, errors
from zz.inputs import Inputs, expect_names, expect_path
from zz.pipelines import run
from zz.results import _dataframe
from zz.space import Space
from zz.stage import Stage
from zz.stage_list import stages as all_stages
from zz.store import is_url

_STAGE = "ExplorationStage"
# What a store tells of its space, and what it is where a pipeline says nothing.
_PARTS_OF_SPACES = {"axes": None, "linked": None, "metrics": None, "constraints": None, "figures": "separate",
                    "objectives": ["latency", "energy"]}


def _as_dict(pipeline):
    """A pipeline as a dict, with paths that count from the folder of its file made whole."""
    if isinstance(pipeline, (list, tuple)):
        return {"version": 1, "stages": list(pipeline)}
    if isinstance(pipeline, dict):
        return {**pipeline, "stages": list(pipeline.get("stages") or ())}
    if not isinstance(pipeline, (str, os.PathLike)):
        raise TypeError(f"pipeline={pipeline!r}: expected a path, text, a dict or a list of stages")
    path = os.fspath(pipeline)
    if "\n" in path:
        return _zz.read_yaml("<pipeline>", path)
    inputs = Inputs(os.path.dirname(os.path.abspath(path)))
    read = _zz.read_yaml(path)
    read["parameters"] = inputs.settings(read.get("parameters") or {})
    read["stages"] = [_with_whole_paths(inputs, entry) for entry in read["stages"]]
    return read


def _with_whole_paths(inputs, entry):
    if not isinstance(entry, dict):
        return entry
    return {name: inputs.settings(settings) if isinstance(settings, dict) else settings for name, settings in entry.items()}


def _name(entry):
    return next(iter(entry), None) if isinstance(entry, dict) else entry


def _reads_inputs(entry, known):
    """Whether a stage only reads what points are made of: it hands down a network or an accelerator, and needs none."""
    if isinstance(entry, Stage) or isinstance(entry, type):
        return False
    stage = known.get(_name(entry))
    made = {"workload", "accelerator"}
    return stage is not None and any(port["key"] in made for port in stage["provides"]) and not any(
        port["key"] in made and not port["optional"] for port in stage["consumes"])


def _with_stage(pipeline, settings):
    """A pipeline with an ExplorationStage below the stages that read inputs; settings change those of one that it has."""
    pipeline = _as_dict(pipeline)
    for place, entry in enumerate(pipeline["stages"]):
        if _name(entry) in (_STAGE, "org.zz." + _STAGE):
            own = entry[_name(entry)] if isinstance(entry, dict) else {}
            pipeline["stages"][place] = {_STAGE: {**(own or {}), **settings}}
            return pipeline, pipeline["stages"][place][_STAGE]
    known = {}
    for stage in all_stages():
        known.update((name, stage) for name in (stage["name"], stage["id"], *stage["aliases"]))
    place = 0
    while place < len(pipeline["stages"]) and _reads_inputs(pipeline["stages"][place], known):
        place += 1
    pipeline["stages"].insert(place, {_STAGE: dict(settings)})
    return pipeline, pipeline["stages"][place][_STAGE]


class Exploration:
    """What is known of a space of designs. See zz.explore()."""

    def __init__(self, pipeline, space, settings, run_arguments):
        told = {**(space.settings() if space is not None else {}), **settings}
        self._pipeline, self._settings = _with_stage(pipeline, told)
        if space is None:
            if "axes" not in self._settings:
                raise TypeError(f"space=None: the pipeline has no {_STAGE} that tells one")
            space = Space(self._settings["axes"], **{name: self._settings[name] for name in ("linked", "metrics", "constraints")
                                                     if self._settings.get(name)})
        if settings.get("store"):
            _zz.trust_server(settings["store"])  # the caller's word, where the pipeline's may be a stranger's
        if not self._settings.get("store"):
            folder = tempfile.mkdtemp(prefix="zz-space-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._settings["store"] = os.path.join(folder, "space.sqlite")
        if not is_url(self._settings["store"]):
            self._settings["store"] = os.path.abspath(self._settings["store"])
        self._space = space
        self._run_arguments = run_arguments
        self._asked = set()

    @property
    def space(self):
        """The zz.Space."""
        return self._space

    @property
    def store(self):
        """The path of the store, or its URL, for zz-host front, why and merge, and for any tool that reads SQL."""
        place = self._settings["store"]
        return place if is_url(place) else pathlib.Path(place)

    def _chain(self, **settings):
        """The pipeline with further settings of its ExplorationStage."""
        stages = [{_STAGE: {**self._settings, **settings}} if _name(entry) == _STAGE else entry
                  for entry in self._pipeline["stages"]]
        return {**self._pipeline, "stages": stages}

    def _run(self, **settings):
        """Lets the host look at points; what it finds is in the store."""
        with contextlib.suppress(errors.NoResult):  # no point is on the front: rows say why
            run(self._chain(**settings), **self._run_arguments)

    def _begun(self):
        """Whether the store is of this space as it is now."""
        found = _zz.stored_space(self._settings["store"])
        if found is None:
            return False
        known = json.loads(found)
        same = all((known.get(name) or None) == (self._settings.get(name) or usual) for name, usual in _PARTS_OF_SPACES.items())
        return same and list(known["axes"]) == list(self._settings["axes"])

    def _view(self, name):
        """Rows of a view of the store as dicts; none where it is not of this space yet."""
        return json.loads(_zz.stored_rows(self._settings["store"], name)) if self._begun() else []

    def _points(self):
        return _zz.stored_points(self._settings["store"]) if self._begun() else []

    @property
    def rows(self):
        """A dict for each point that is known: point, the axes, figures, metrics, bounds of figures, state ("done", "beyond"
        a constraint, "infeasible") and reason."""
        return self._view("figures")

    @property
    def front(self):
        """The points that no other known one beats, by the objectives: dicts as `zz-host front` has them, in its order."""
        return self._view("front")

    def to_dataframe(self):
        """rows as a pandas.DataFrame."""
        return _dataframe(self.rows)

    def __len__(self):
        """How many points are known, those without figures included."""
        return len(self._points())

    def point(self, point, **parameters):
        """The results of the chain below at a point, given by number or settings: zz.Results with layers, as of zz.run()."""
        number = self._space.index(point)
        return run(self._chain(point=number), **{**self._run_arguments, **parameters})

    def why(self, point):
        """In a sentence, as `zz-host why` has it: what became of a point, given by number or settings."""
        number = self._space.index(point)
        if not self._begun():
            return "nothing is known of it yet: no run has looked at it"
        return json.loads(_zz.point_story(self._settings["store"], number))["why"]

    def ask(self, n=1):
        """The settings of up to `n` points that are not known yet and were not handed out before: dicts with a value for each
        name of the space. They are spread over the space; an empty list says that all are known. Your own choice of points
        serves evaluate() and tell() as well."""
        known = self._asked.union(self._points())
        size, found = len(self._space), []
        step = _spread(size)
        for place in range(size):
            if len(found) == n:
                break
            number = place * step % size
            if number not in known:
                found.append(number)
        self._asked.update(found)
        return [self._space[number] for number in found]

    def evaluate(self, points):
        """Lets zz find the figures of points, or of one, given by numbers or settings, and returns their rows, in this order.
        What the store has is not computed again. A point without figures has its reason in its row."""
        numbers = [self._space.index(point) for point in _listed(points)]
        if numbers:
            self._run(points=sorted(set(numbers)))
        return self._rows_of(numbers)

    def tell(self, points, figures):
        """Stores figures of points that something else has measured or computed, and returns their rows.

        figures: for each point, or for one, a dict with all figures of the space, as {"energy": 2.5e6, "latency": 1200}. The
        store takes them as they are, without a bound; what it has of a point stays.
        """
        numbers, figures = [self._space.index(point) for point in _listed(points)], _listed(figures)
        if len(numbers) != len(figures):
            raise ValueError(f"{len(numbers)} points and {len(figures)} dicts of figures: expected one for each")
        if numbers:
            self._run(given={str(number): dict(own) for number, own in zip(numbers, figures)})
        return self._rows_of(numbers)

    def _rows_of(self, numbers):
        rows = {number: json.loads(_zz.stored_rows_of(self._settings["store"], number))[0] for number in set(numbers)}
        return [rows[number] for number in numbers]

    def __repr__(self):
        return f"<zz exploration: {len(self)} of {len(self._space)} points known, {len(self.front)} on the front>"

    def _repr_html_(self):
        rows = self.front
        head = "".join(f"<th>{html.escape(name)}</th>" for name in (rows[0] if rows else ()))
        body = "".join("<tr>" + "".join(f"<td>{html.escape(f'{cell:.6g}' if isinstance(cell, float) else str(cell))}</td>"
                                        for cell in row.values()) + "</tr>" for row in rows)
        ideal = ("<p>ideal points: each figure is of its own best mapping</p>"
                 if self._settings.get("figures", "separate") == "separate" else "")
        return (f"<p>{len(self)} of {len(self._space)} points known, {len(rows)} on the front</p>"
                f"<table><tr>{head}</tr>{body}</table>{ideal}")


def _listed(given):
    """One point, or the figures of one, as a list of one."""
    return [given] if isinstance(given, (dict, int)) else list(given)


def _spread(size):
    """A step that visits each of so many points once, neighbours far from each other: near the golden section."""
    step = max(1, round(size * 0.618034))
    while math.gcd(step, size) > 1:
        step += 1
    return step


def explore(pipeline, space=None, *, objectives=None, figures=None, strategy=None, tolerance=None, samples=None, seed=None,
            store=None, threads=1, plugins=(), plugin_paths=(), log_level=logging.WARNING, progress=None, **parameters):
    """Explores a space of designs, and returns a zz.Exploration: the front, all rows, and ways to go on.

    pipeline:   as for zz.run(). An ExplorationStage is put below its stages that read a network or an accelerator; settings of
                one that it has give way to those here.
    space:      a zz.Space; None takes that of the pipeline's ExplorationStage.
    objectives: two or three figures that are to be low: "energy", "latency", "edp" or metrics. None: latency and energy.
    figures:    by which mappings a point has its figures: "separate", "latency", "energy", "edp", "latency within 5%" or a
                metric. None: "separate".
    strategy:   "grid", "proof", "random" or "sobol"; "ask" looks at no point: ask(), evaluate() and tell() do. None: that of
                the pipeline's ExplorationStage, else "grid".
    tolerance:  of "proof"; samples and seed: of "random" and "sobol".
    store:      the file of SQLite, or the URL of a PostgreSQL server (postgresql://...), that keeps what was found; what it has
                is not computed again. None: a file for this object.
    threads ... progress, parameters: as for zz.run().

    docs/design-spaces.md says what points, figures and proofs are. A space none of whose points is feasible has an empty
    front, and rows that say why.

    >>> exploration = zz.explore("pipeline.yaml", space, objectives=["latency", "area"], strategy="proof", store="space.sqlite")
    >>> exploration.front
    """
    if space is not None and not isinstance(space, Space):
        raise TypeError(f"space={space!r}: expected a zz.Space")
    expect_names('a list of figures, as ["latency", "area"]', objectives=objectives)
    if objectives is not None:
        objectives = [name.lower() if name.lower() in ("energy", "latency", "edp") else name for name in objectives]
    asks = strategy == "ask"
    given = {"objectives": objectives, "figures": figures, "strategy": None if asks else strategy,
             "tolerance": tolerance, "samples": samples, "seed": seed, "store": expect_path(store=store) or None}
    exploration = Exploration(
        pipeline, space, {name: value for name, value in given.items() if value is not None},
        {"threads": threads, "plugins": plugins, "plugin_paths": plugin_paths, "log_level": log_level, "progress": progress,
         **parameters})
    if not asks:
        exploration._run()
    return exploration
