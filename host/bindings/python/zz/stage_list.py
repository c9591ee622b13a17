"""The stages that pipelines may name."""

import difflib
import html
import json
import os

from zz import _zz
from zz.inputs import expect_paths


class StageDescription(dict):
    """What a stage says of itself; its fields are attributes too.

    name, id, aliases, summary, doc; settings: dicts with name, type, default, unit, allowed, doc; consumes and provides: keys
    of the context; metrics and writes: what it adds to results; plugin and file: where it is from.
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a stage has no field '{name}'; it has {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __repr__(self):
        return f"<{self['name']}: {self['summary']}>"

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td><code>{html.escape(one['name'])}</code></td><td>{html.escape(json.dumps(one.get('default')))}</td>"
            f"<td>{html.escape(one.get('unit') or '')}</td><td style='text-align:left'>{html.escape(one.get('doc') or '')}</td></tr>"
            for one in self["settings"])
        table = "<table><tr><th>setting</th><th>default</th><th>unit</th><th>meaning</th></tr>" + rows + "</table>"
        return f"<b>{html.escape(self['name'])}</b> {html.escape(self['summary'])}{table if rows else ''}"


class StageList(list):
    """Descriptions of stages, in the order of their names; ``list["LomaStage"]`` finds one by name or alias."""

    def __getitem__(self, index):
        if not isinstance(index, str):
            return super().__getitem__(index)
        for stage in self:
            if index == stage["name"] or index in stage["aliases"]:
                return stage
        names = {_without_ending(name): name for stage in self for name in (*stage["aliases"], stage["name"])}
        near = difflib.get_close_matches(_without_ending(index), names, 1)
        raise KeyError(f"there is no stage '{index}'" + (f"; did you mean '{names[near[0]]}'?" if near else ""))

    def _repr_html_(self):
        rows = "".join(f"<tr><td><code>{html.escape(stage['name'])}</code></td>"
                       f"<td style='text-align:left'>{html.escape(stage['summary'])}</td></tr>" for stage in self)
        return f"<table><tr><th>stage</th><th>what it does</th></tr>{rows}</table>"


def _without_ending(name):
    """Names are compared without "Stage", whatever their capital letters."""
    return name.lower().removesuffix("stage") or name.lower()


def stages(*, plugins=(), plugin_paths=()):
    """All stages that a pipeline may name, with those of more plugins: files, or folders of such.

    >>> zz.stages()["LomaStage"].settings
    """
    expect_paths(plugins=plugins, plugin_paths=plugin_paths)
    found = json.loads(_zz.stages_as_json([os.fspath(file) for file in plugins],
                                          [os.fspath(folder) for folder in plugin_paths]))
    return StageList(sorted((StageDescription(stage) for stage in found), key=lambda stage: stage["name"]))
