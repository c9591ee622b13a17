"""Pictures of results, for notebooks: those of VisualizationStage, as pages that need no network."""

import html
import itertools
import logging
import os
import tempfile

from zz import _zz
from zz._zz import Value
from zz.inputs import _json
from zz.stage import Setting, Stage, _entry

_log = logging.getLogger("zz")
_errors = 4  # the level of the host's messages from which on they are told
_numbers = itertools.count()
_given = {}  # number of a drawing at work -> its results


class _GivenResults(Stage):
    """Yields results that are there already."""

    leaf = True
    number = Setting(int, "of the drawing")

    def run(self, context):
        yield from _given[self.number]


def _drawable(thing):
    """The evaluations of single layers, and of schedules, in a result: its own, else those that came with it."""
    if isinstance(thing, Value) and thing.type == "evaluation":
        return [thing] if thing.get("layer") is not None or thing.get("schedule") is not None else []
    if not isinstance(thing, (tuple, list, Value)):
        return []
    return [evaluation for part in thing for evaluation in _drawable(part)]


def _draw(drawn, folder):
    """Runs VisualizationStage over results that are there. The native run: zz.pipelines makes results, which are drawn here."""
    pipeline = {"version": 1, "stages": ["VisualizationStage", drawn], "parameters": {"dump_folder": folder}}
    text = _json(pipeline)
    run = _zz.Run(path="<pipeline>", text=text, set=[], plugins=[], plugin_paths=[], arguments=[],
                  files={"<pipeline>": text.encode(), drawn["PythonStage"]["file"]: b""}, threads=1, log_level=_errors)
    try:
        while run.next() is not None:
            pass
    finally:
        for _, message in run.messages():
            _log.error("%s", message)
        run.close()


def page_of(result):
    """The page of VisualizationStage for a result, as text; None when it says nothing of layers, or this build has no Vega."""
    drawable = _drawable(result)
    if not drawable:
        return None
    number = next(_numbers)
    _given[number] = [(evaluation, None) for evaluation in drawable]
    try:
        with tempfile.TemporaryDirectory() as folder:
            _draw(_entry(_GivenResults(number=number)), folder)
            for name in ("schedule.html", "visualization.html"):
                path = os.path.join(folder, name)
                if os.path.exists(path):
                    with open(path, encoding="utf-8") as file:
                        return file.read()
    finally:
        del _given[number]
    return None


def frame(page, height=560):
    """A page as a part of another one: it runs its own script and nothing else."""
    return (f'<iframe sandbox="allow-scripts allow-downloads" srcdoc="{html.escape(page)}" '
            f'style="width:100%;height:{height}px;border:1px solid #ccc"></iframe>')
