"""Two runs side by side: of two pipelines, or of one by the rules of zz and by those of ZigZag or Stream."""

import json
import logging
import os

from zz import _zz, pictures
from zz.inputs import expect
from zz.pipelines import Run
from zz.results import Result, Results, _dataframe


def _row(layer, sides):
    """The figures of a layer; sides: what is added to their names -> whose they are."""
    row = {"layer": layer["layer"]}
    for figure, key in (("energy", "energy_total"), ("latency", "latency_total2")):
        for ending, side in sides.items():
            row[figure + ending] = layer[side][key] if layer[side] else None
    for figure in ("energy_low", "energy_high"):  # of costs that were filled in
        if any(layer[side] and figure in layer[side] for side in sides.values()):
            for ending, side in sides.items():
                row[figure + ending] = layer[side].get(figure) if layer[side] else None
    if "first" in sides.values():
        for ending, side in sides.items():
            row["limited_by" + ending] = layer[side]["limited_by"] if layer[side] else None
    return row


class SideBySide(dict):
    """What ``zz-host compare FIRST SECOND --format=json`` prints, without its errors."""

    _sides = {"_first": "first", "_second": "second"}

    def __init__(self, content, page):
        super().__init__(content)
        self._page = page

    @property
    def layers(self):
        """A dict for each layer of all results: layer, energy_first and energy_second [pJ], latency_first and
        latency_second [cycles], limited_by_first and limited_by_second; None where a run has no such layer, or does not
        know. Of costs that were filled in also energy_low_first and so on, the ends of the range."""
        return [_row(layer, self._sides) for result in self["results"] for layer in result["layers"]]

    @property
    def total(self):
        """The same for the sum or the schedule of the first result; None where there is none."""
        first = self["results"][0]["total"] if self["results"] else None
        return _row(first, self._sides) if first else None

    def to_dataframe(self):
        """A pandas.DataFrame of `layers`."""
        return _dataframe(self.layers)

    def page(self):
        """A page for a browser, as text: two bars for each layer."""
        return self._page

    def _repr_html_(self):
        return pictures.frame(self._page)


class Comparison(dict):
    """What ``zz-host compare --format=json`` prints, without its errors."""

    _sides = {"": "zz", "_original": "original"}

    @property
    def compat(self):
        """The rules of the other way: a value of the setting `compat`, with the exceptions without which it is refused."""
        return self["with"]

    @property
    def refused(self):
        """Why ZigZag or Stream refuses the pipeline, or None."""
        return self["refused"]

    @property
    def layers(self):
        """A dict for each layer of all results: layer, energy and energy_original [pJ], latency and latency_original
        [cycles]; None where there is no such layer."""
        return [_row(layer, self._sides) for result in self["results"] for layer in result["layers"]]

    @property
    def total(self):
        """The same for the sum or the schedule of the first result; None where there is none."""
        first = self["results"][0]["total"] if self["results"] else None
        return _row(first, self._sides) if first else None

    @property
    def by_rule(self):
        """A dict for each rule that moves a layer: layer, rule, and by how much energy [pJ] and latency [cycles]."""
        return [{"layer": layer["layer"], "rule": rule, "energy": moved["energy_total"], "latency": moved["latency_total2"]}
                for result in self["results"] for layer in result["layers"] for rule, moved in layer["by_rule"].items()]

    def to_dataframe(self):
        """A pandas.DataFrame of `layers`."""
        return _dataframe(self.layers)


def _name_and_figures(run, which, parameters, options):
    if isinstance(run, Results):
        return which, _zz.figures(list(run))
    if isinstance(run, Result):
        return which, _zz.figures([run])
    name = os.fspath(run) if isinstance(run, (str, os.PathLike)) else ""
    if name and "\n" not in name and _zz.is_of_earlier_run(name):
        return name, ""
    with Run(run, parameters, log_level=logging.CRITICAL, **options) as working:
        return name if name and "\n" not in name else which, working._run.figures()


def compare(pipeline, other=None, *, with_=None, by_rule=False, threads=1, plugins=(), plugin_paths=(), **parameters):
    """Two runs side by side, layer by layer. Writes no files.

    With `other`: two runs, each a pipeline, a folder of results, an archive, a file of what --format=json printed, or
    what run() and map() returned. The parameters are for both.

    Without it the pipeline runs both ways, and it is shown where the figures differ from ZigZag's or Stream's:
    with_:      "zigzag-3.8.5", "zigzag-3.9" or "stream-0.0.8"; without it ZigZag 3.9, and on several cores Stream.
    by_rule:    finds the rules that cause the differences, exactly; the pipeline runs more often for it.
    What ZigZag or Stream lacks is left out of their way, and what they refuse is said (docs/deviations.md).

    Everything else is as for run().

    >>> zz.compare("pipeline.yaml", "wider.yaml").to_dataframe()
    >>> found = zz.compare("pipeline.yaml", with_="zigzag-3.9", by_rule=True, loma_lpf_limit=6)
    >>> found.total, found.by_rule
    """
    expect(with_=(with_, str, '"zigzag-3.8.5", "zigzag-3.9" or "stream-0.0.8"'), by_rule=(by_rule, bool, "True or False"))
    options = {"threads": threads, "plugins": plugins, "plugin_paths": plugin_paths}
    if other is not None:
        if with_ is not None or by_rule:
            raise TypeError("with_ and by_rule are of one pipeline, but two runs are to be compared")
        expect(other=(other, (str, os.PathLike, dict, list, tuple, Result, Results), "a pipeline, or what a run has left"))
        first = _name_and_figures(pipeline, "first", parameters, options)
        second = _name_and_figures(other, "second", parameters, options)
        content, page = _zz.side_by_side(*first, *second)
        return SideBySide(json.loads(content), page)
    with Run(pipeline, parameters, log_level=logging.CRITICAL, **options) as run:
        return Comparison(json.loads(run._run.compare(with_ or "", by_rule)))
