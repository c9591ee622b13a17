"""Which points of a sweep no other point beats, and their picture."""

import difflib
import html
import logging
import math
import os

from zz import _zz

_log = logging.getLogger("zz")

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 860, 460, 90, 40, 20, 60
_STYLE = """body { font: 14px sans-serif; margin: 2em }
text { font: 12px sans-serif; fill: #333 } line { stroke: #dcdcdc } polyline { fill: none; stroke: #f58518 }
circle { fill: #4c78a8; fill-opacity: 0.6 } circle.best { fill: #f58518; fill-opacity: 1 }"""


def with_figures(rows, names):
    """The rows that have these figures; says how many are passed over, as points may be that an exploration has found.

    Raises ValueError for a name that none of the rows that are done has.
    """
    rows = [row for row in rows if row.get("status", "done") == "done"]
    known = sorted({name for row in rows for name, value in row.items() if _is_number(value)})
    for name in names:
        if known and name not in known:
            near = difflib.get_close_matches(str(name), known, 1)
            raise ValueError(f"{name!r} is no figure of this sweep" + (f"; did you mean {near[0]!r}?" if near else ""))
    found = [row for row in rows if all(_is_number(row.get(name)) for name in names)]
    if len(found) < len(rows):
        _log.warning("%d of %d points lack %s, and are passed over", len(rows) - len(found), len(rows), " or ".join(map(repr, names)))
    return found


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def unbeaten(rows, first, second):
    """The rows such that no other one is as good in both figures and better in one, by ascending `first`; less is better."""
    best = [rows[place] for place in _zz.unbeaten([[row[first], row[second]] for row in rows])]
    return sorted(best, key=lambda row: (row[first], row[second]))


def _ticks(low, high):
    """Round numbers, at most seven, from at most `low` to at least `high`."""
    step = 10 ** math.floor(math.log10((high - low) or abs(high) or 1))
    step = next(step * factor for factor in (0.2, 0.5, 1, 2, 5) if (high - low) / (step * factor) <= 5)
    begin = math.floor(low / step)
    ticks = [begin * step]
    while ticks[-1] < high:
        ticks.append((begin + len(ticks)) * step)
    return ticks if len(ticks) > 1 else [ticks[0], ticks[0] + step]


def _label(row, arguments):
    """What tells a point from others: "point 3: accelerator tpu_like, loma_lpf_limit 6"."""
    told = [f"{name} {os.path.basename(row[name]) if isinstance(row[name], str) else row[name]}" for name in arguments
            if name in row and not isinstance(row[name], (dict, list))]
    return f"point {row['index']}" + (": " + ", ".join(told) if told else "")


def page(rows, arguments, first, second, units):
    """A page for a browser, as text: each row as a point, those that none beats in another colour and joined."""
    rows = with_figures(rows, (first, second))
    if not rows:
        return '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"></head><body>no point has figures</body></html>\n'
    across = _ticks(min(row[first] for row in rows), max(row[first] for row in rows))
    up = _ticks(min(row[second] for row in rows), max(row[second] for row in rows))
    low = _HEIGHT - _BOTTOM

    def x(value):
        return _LEFT + (value - across[0]) / (across[-1] - across[0]) * (_WIDTH - _LEFT - _RIGHT)

    def y(value):
        return low - (value - up[0]) / (up[-1] - up[0]) * (low - _TOP)

    def title(name):
        return html.escape(f"{name} [{units[name]}]" if units.get(name) else name)

    best = unbeaten(rows, first, second)
    shapes = [f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{_TOP}" y2="{low}"/>'
              f'<text x="{x(tick):.1f}" y="{low + 18}" text-anchor="middle">{tick:.6g}</text>' for tick in across]
    shapes += [f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
               f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.6g}</text>' for tick in up]
    shapes.append(f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 12}" text-anchor="middle">{title(first)}</text>')
    shapes.append(f'<text transform="translate(16,{low / 2}) rotate(-90)" text-anchor="middle">{title(second)}</text>')
    corners = []  # of steps: a straight line would promise points that are not there
    for row in best:
        corners += [(row[first], corners[-1][1]) if corners else (row[first], row[second]), (row[first], row[second])]
    shapes.append(f'<polyline points="{" ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in corners)}"/>')
    chosen = {id(row) for row in best}
    for row in rows:
        told = html.escape(f"{_label(row, arguments)}; {first} {row[first]:.6g}, {second} {row[second]:.6g}")
        kind = "best" if id(row) in chosen else "other"
        shapes.append(f'<circle class="{kind}" cx="{x(row[first]):.1f}" cy="{y(row[second]):.1f}" r="5">'
                      f'<title>{told}</title></circle>')
    items = "\n".join(f"<li>{html.escape(_label(row, arguments))}: {first} {row[first]:.6g}, {second} {row[second]:.6g}</li>"
                      for row in best)
    body = "\n".join(shapes)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>zz: a sweep</title><style>\n{_STYLE}\n'
            f'</style></head><body><h1>A sweep: {len(rows)} points</h1>\n<svg width="{_WIDTH}" height="{_HEIGHT}">\n{body}\n'
            f'</svg>\n<p>No other point beats these {len(best)}:</p>\n<ul>\n{items}\n</ul></body></html>\n')
