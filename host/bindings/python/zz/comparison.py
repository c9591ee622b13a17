"""A pipeline by the rules of zz and by those of ZigZag or Stream, side by side."""

import json
import logging

from zz.pipelines import Run
from zz.results import _dataframe


def _row(layer):
    row = {"layer": layer["layer"]}
    for figure, key in (("energy", "energy_total"), ("latency", "latency_total2")):
        for name, side in ((figure, "zz"), (figure + "_original", "original")):
            row[name] = layer[side][key] if layer[side] else None
    return row


class Comparison(dict):
    """What ``zz-host compare --format=json`` prints, without its errors."""

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
        return [_row(layer) for result in self["results"] for layer in result["layers"]]

    @property
    def total(self):
        """The same for the sum or the schedule of the first result; None where there is none."""
        first = self["results"][0]["total"] if self["results"] else None
        return _row(first) if first else None

    @property
    def by_rule(self):
        """A dict for each rule that moves a layer: layer, rule, and by how much energy [pJ] and latency [cycles]."""
        return [{"layer": layer["layer"], "rule": rule, "energy": moved["energy_total"], "latency": moved["latency_total2"]}
                for result in self["results"] for layer in result["layers"] for rule, moved in layer["by_rule"].items()]

    def to_dataframe(self):
        """A pandas.DataFrame of `layers`."""
        return _dataframe(self.layers)


def compare(pipeline, *, with_=None, by_rule=False, threads=1, plugins=(), plugin_paths=(), **parameters):
    """Runs a pipeline both ways, and shows where the figures differ. Writes no files.

    with_:      "zigzag-3.8.5", "zigzag-3.9" or "stream-0.0.8"; without it ZigZag 3.9, and on several cores Stream.
    by_rule:    finds the rules that cause the differences, exactly; the pipeline runs more often for it.
    Everything else is as for run().

    What ZigZag or Stream lacks is left out of their way, and what they refuse is said (docs/deviations.md).

    >>> found = zz.compare("pipeline.yaml", with_="zigzag-3.9", by_rule=True, loma_lpf_limit=6)
    >>> found.total, found.by_rule
    """
    with Run(pipeline, parameters, threads=threads, plugins=plugins, plugin_paths=plugin_paths,
             log_level=logging.CRITICAL) as run:
        return Comparison(json.loads(run._run.compare(with_ or "", by_rule)))
