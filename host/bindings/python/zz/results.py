"""Results of a pipeline, as Python, pandas and notebooks want them."""

import difflib
import html
import json

from zz import _zz, errors, pictures
from zz.inputs import expect, how_to_install

#: Units of the columns of tables.
UNITS = {"energy": "pJ", "latency": "cycles", "energy_mJ": "mJ", "clock": "ns", "area": "mm2", "cycles": "cycles", "pJ": "pJ", "scales": "pJ", "metadata": "pJ",
         "latency_ms": "ms", "frames_per_second": "1/s", "tokens_per_second": "1/s", "power": "W", "leakage_power": "mW",
         "tops": "TOP/s", "tops_per_watt": "TOP/s/W", "tops_per_mm2": "TOP/s/mm2"}

#: Tables have at most so many columns, and these before others.
_MOST_COLUMNS = 8
_FIRST = ["layer", "energy", "latency", "energy_mJ", "latency_ms", "utilization", "limited_by", "scales", "metadata", "optimum_gap", "optimum_second_gap",
          "power", "area"]


def _value_of_bytes(content):
    """Of pickles: functions of the native module have no name that pickle accepts."""
    return _zz._value_of_bytes(content)


class Result(tuple):
    """One result: ``evaluation, extra = result``. Figures of the evaluation are attributes of the result too."""

    def __new__(cls, evaluation, extra=None):
        return super().__new__(cls, (evaluation, extra))

    @property
    def evaluation(self):
        """The evaluation, or what else the first stage hands up."""
        return self[0]

    @property
    def extra(self):
        """What came with it; the results of single layers of a sum, among others."""
        return self[1]

    @property
    def _summary(self):
        if "_summarised" not in self.__dict__:
            told = _zz.summary(self[0], self[1])
            self.__dict__["_summarised"] = {**told, "layers": [_in_units(row) for row in told["layers"]],
                                            "total": told["total"] and _in_units(told["total"])}
        return self.__dict__["_summarised"]

    @property
    def layers(self):
        """One dict of figures for each layer: layer, energy [pJ], latency [cycles], utilization [0 to 1] ..."""
        return self._summary["layers"]

    @property
    def total(self):
        """The same for all layers together; of a result with one layer, that layer."""
        if self._summary["total"] is not None:
            return self._summary["total"]
        return self.layers[0] if len(self.layers) == 1 else None

    @property
    def search(self):
        """What was searched, in sentences: among which mappings the layers are proven best and what is not compared, how
        many are not proven, or how many of how many mappings were tried."""
        return self._summary["search"]

    @property
    def energy(self):
        """Of all layers, in pJ."""
        return self.total["energy"]

    @property
    def latency(self):
        """Of all layers, in cycles."""
        return self.total["latency"]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self[0], name)

    def __getitem__(self, key):
        """``result["energy"]``: a figure of all layers; else a part of the evaluation. Numbers as of a tuple."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        total = self.total or {}
        try:
            return total[key] if key in total else self[0][key]
        except KeyError as problem:
            near = difflib.get_close_matches(key, total, 1)
            if not near or "did you mean" in str(problem):
                raise
        raise KeyError(f"a result has no {key!r}; did you mean {near[0]!r}?")

    def layer(self, name):
        """The figures of the layer of that name: ``result.layer("conv1")["energy"]``. Raises KeyError."""
        for row in self.layers:
            if row["layer"] == name:
                return row
        raise KeyError(_no_layer(name, self.layers))

    def __dir__(self):
        return [*super().__dir__(), *(self[0].keys() if hasattr(self[0], "keys") else ())]

    def to_dataframe(self, *, all=False):
        """A pandas.DataFrame with a row for each layer; ``.attrs["units"]`` has the units of the columns. At most eight
        columns, the figures that are read first; with ``all=True`` every one."""
        return _dataframe(self.layers, all)

    def explain(self, layer=None, *, mapping=False, energy=False, search=False, factor=2):
        """In words: what limits the layers, or one of them, and what a change of the machine saves; ``zz-host why`` prints
        the same.

        Each port, memory and array dimension is made ``factor`` times as large, and the layers are mapped anew.
        ``mapping=True`` explains the mappings as they are: where their cycles go, and what would help without other ones;
        ``search=True`` then searches other unrollings as well. ``energy=True`` also says where the energy goes, and what
        would lower it.

        >>> print(results.explain("stage1/block1/conv1"))
        """
        expect(layer=(layer, str, "the name of a layer"), mapping=(mapping, bool, "True or False"), energy=(energy, bool, "True or False"),
               search=(search, bool, "True or False"), factor=(factor, int, "how many times as large"))
        return _zz.why(self[0], self[1], layer or "", mapping, energy, search, factor)

    def parts(self, energy=False):
        """A pandas.DataFrame with what the latency of each layer is made of, or the energy: the rows add up to it.

        >>> results.parts().groupby("limiter").cycles.sum()
        """
        kind = "energy_parts" if energy else "latency_parts"
        rows = [{"layer": layer["layer"], **part} for layer in json.loads(_zz.parts(self[0], self[1])) for part in layer[kind]]
        return _dataframe(rows)

    def __reduce__(self):
        return (Result, (self[0], self[1]))

    def __repr__(self):
        total = self.total
        figures = f"energy={total['energy']:.6g} pJ, latency={total['latency']:.6g} cycles, " if total else ""
        return f"<zz result: {figures}{len(self.layers)} layers>"

    def __str__(self):
        """The table of the layers, and what was searched."""
        return "\n".join([_text(self._table_rows()), *self._sentences()])

    def _table_rows(self):
        total = self._summary["total"]
        return [*self.layers, *([{**total, "layer": "total"}] if total is not None else [])]

    def _sentences(self):
        return [*self._summary["rates"].splitlines(), *self.search]

    def _table(self):
        return _table(self._table_rows()) + "".join(f"<p>{html.escape(sentence)}</p>" for sentence in self._sentences())

    def page(self):
        """A page of pictures for a browser, as text: of layers energy by memory, latency by cause, memory hierarchy and loop
        nests; of a schedule the timeline, what resources wait for, and the cuts. None where there is nothing to draw.

        >>> pathlib.Path("result.html").write_text(results.page())
        """
        return pictures.page_of(self)

    def _repr_html_(self):
        page = self.page()
        return self._table() + (pictures.frame(page) if page else "")


class Results(list):
    """All results of a run. With one result, its figures are attributes here too: ``results.energy``."""

    def __init__(self, results, counters=None, seconds=None):
        super().__init__(results)
        #: what stages counted, as {"mappings evaluated": 1234}
        self.counters = counters or {}
        #: how long the run took
        self.seconds = seconds

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if len(self) != 1:
            raise AttributeError(f"there are {len(self)} results: choose one, as results[0].{name}")
        return getattr(self[0], name)

    def __getitem__(self, key):
        """``results["energy"]``: of the only result, as Result has it. Numbers and slices as of a list."""
        if not isinstance(key, str):
            try:
                return super().__getitem__(key)
            except IndexError:
                raise IndexError(f"there is no result {key}: there are {len(self)}, counted from 0") from None
        if len(self) != 1:
            raise KeyError(f"there are {len(self)} results: choose one, as results[0][{key!r}]")
        return self[0][key]

    def __dir__(self):
        return [*super().__dir__(), *(dir(self[0]) if len(self) == 1 else ())]

    def to_dataframe(self, *, all=False):
        """A pandas.DataFrame with a row for each layer of each result; with several results, `result` counts them. Columns
        are those of Result.to_dataframe()."""
        if len(self) == 1:
            return self[0].to_dataframe(all=all)
        rows, told = [], ["result"]
        for number, result in enumerate(self):
            told += [name for name in result._summary["settings"] if name not in told]
            for row in result.layers:
                rows.append({"result": number, **result._summary["settings"], **row})
        return _dataframe(rows, all, told)

    def __reduce__(self):
        return (Results, (list(self), self.counters, self.seconds))

    def __repr__(self):
        return f"<zz results: {list(self)!r}>"

    def __str__(self):
        return "\n\n".join(map(str, self)) if self else repr(self)

    def _repr_html_(self):
        return self[0]._repr_html_() if len(self) == 1 else "".join(result._table() for result in self)


def _in_units(row):
    """A row with mJ and ms beside pJ and cycles, where the clock is known."""
    if not row.get("clock"):
        return row
    told = {}
    for name, value in row.items():
        told[name] = value
        if name == "latency":
            told["energy_mJ"] = row["energy"] * 1e-9
            told["latency_ms"] = row["latency"] * row["clock"] * 1e-6
    return {**told, "latency_ms": row.get("latency_ms", told["latency_ms"])}


def _no_layer(name, rows):
    near = difflib.get_close_matches(str(name), [row["layer"] for row in rows], 1)
    return f"there is no layer {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")


def _unit(name):
    """Of a column; "" without."""
    return UNITS.get(name) or _zz.metric_columns().get(name, "")


def _shown(rows):
    """The columns that tables show: those that say something, at most eight, the first ones of _FIRST before others. Columns
    that stages declare come behind energy and latency."""
    # A gap of 0 is a proof.
    told = [name for name in (rows[0] if rows else {})
            if any(row.get(name) not in ("", None) and (row[name] != 0 or name == "optimum_gap") for row in rows)]
    if len(told) <= _MOST_COLUMNS:
        return told
    first = [*_FIRST[:3], *_zz.metric_columns(), *_FIRST[3:]]
    kept = sorted(told, key=lambda name: first.index(name) if name in first else len(first))[:_MOST_COLUMNS]
    return [name for name in told if name in kept]


def _dataframe(rows, every=True, told=()):
    try:
        import pandas
    except ImportError:
        raise errors.Error(f"a table as a DataFrame needs pandas: {how_to_install('pandas')}") from None
    frame = pandas.DataFrame(rows)
    if not every and len(frame.columns) > _MOST_COLUMNS + len(told):
        shown = _shown([{name: value for name, value in row.items() if name not in told} for row in rows])
        frame = frame[[*told, *shown]]
    frame.attrs["units"] = {name: _unit(name) for name in frame.columns if _unit(name)}
    return frame


def _cell(name, value):
    if name == "utilization" and value == value:
        return f"{value:.2%}"
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.4g}"
    return html.escape(str(value))


def _head(name):
    return f"{name} [{_unit(name)}]" if _unit(name) else name


def _text(rows):
    """The table for a terminal: numbers to the right, all else to the left."""
    shown = _shown(rows)
    cells = [[html.unescape(_cell(name, row.get(name, ""))) for name in shown] for row in rows]
    widths = [max(map(len, column)) for column in zip(map(_head, shown), *cells)]
    right = [any(isinstance(row.get(name), (int, float)) for row in rows) for name in shown]

    def line(words):
        return "  ".join(word.rjust(width) if numbers else word.ljust(width)
                         for word, width, numbers in zip(words, widths, right)).rstrip()

    return "\n".join([line(map(_head, shown)), *map(line, cells)])


def _table(rows):
    shown = _shown(rows)
    heads = "".join(f"<th>{html.escape(_head(name))}</th>" for name in shown)
    body = "".join("<tr>" + "".join(f"<td>{_cell(name, row.get(name, ''))}</td>" for name in shown) + "</tr>"
                   for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
