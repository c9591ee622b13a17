"""The page of the ledger: a table, and for each set what zz predicts over what was measured, both logarithmic. It needs no network."""
import html
import math

import sets

SIDE, LEFT, BOTTOM, TOP = 300, 58, 46, 10
LOW = SIDE - BOTTOM
STYLE = """body { font: 14px sans-serif; margin: 2em; max-width: 70em } h2 { margin: 0 0 .2em; font-size: 1em }
figure { display: inline-block; margin: 2em 1.5em 0 0; vertical-align: top; width: 340px } figcaption { color: #444; font-size: 12px }
text { font: 11px sans-serif; fill: #333 } line { stroke: #dcdcdc } line.equal { stroke: #333 } line.twice { stroke: #999; stroke-dasharray: 4 3 }
circle { fill: #4c78a8; fill-opacity: .45 } td, th { padding: .15em .9em .15em 0; text-align: right; border-bottom: 1px solid #e4e4e4 }
td:first-child, th:first-child, td:nth-child(2), th:nth-child(2) { text-align: left }"""


def decades(values):
    """Powers of ten around the values, at least one decade."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return list(range(low, max(high, low + 1) + 1))


def power(exponent):
    return f'10<tspan dy="-4" font-size="9">{exponent}</tspan>'


def scatter(points):
    """An SVG: a point for each row, the line on which they should lie, and those of twice and of half."""
    ticks = decades([value for point in points for value in (point.measured, point.predicted)])
    scale = (SIDE - LEFT - TOP) / (ticks[-1] - ticks[0])

    def x(value):
        return LEFT + (math.log10(value) - ticks[0]) * scale

    def y(value):
        return LOW - (math.log10(value) - ticks[0]) * (LOW - TOP) / (ticks[-1] - ticks[0])

    shapes = []
    shown = ticks[::max(1, len(ticks) // 5)]
    for tick in shown:
        at = 10.0 ** tick
        shapes.append(f'<line x1="{x(at):.1f}" x2="{x(at):.1f}" y1="{TOP}" y2="{LOW}"/><line x1="{LEFT}" x2="{SIDE - TOP}" y1="{y(at):.1f}" y2="{y(at):.1f}"/>'
                      f'<text x="{x(at):.1f}" y="{LOW + 15}" text-anchor="middle">{power(tick)}</text><text x="{LEFT - 5}" y="{y(at) + 4:.1f}" text-anchor="end">{power(tick)}</text>')
    first, last = 10.0 ** ticks[0], 10.0 ** ticks[-1]
    shapes += [f'<line class="{kind}" x1="{x(first * right):.1f}" y1="{y(first * up):.1f}" x2="{x(last / up):.1f}" y2="{y(last / right):.1f}"/>'
               for kind, right, up in (("equal", 1, 1), ("twice", 1, 2), ("twice", 2, 1))]
    shapes += [f'<circle cx="{x(point.measured):.1f}" cy="{y(point.predicted):.1f}" r="2.5"><title>{html.escape(point.row)}: measured '
               f'{point.measured:g}, predicted {point.predicted:g}</title></circle>' for point in points]
    shapes.append(f'<text x="{(LEFT + SIDE) / 2}" y="{SIDE - 12}" text-anchor="middle">measured or published</text>'
                  f'<text transform="translate(12,{LOW / 2}) rotate(-90)" text-anchor="middle">predicted</text>')
    return f'<svg width="{SIDE}" height="{SIDE}">{"".join(shapes)}</svg>'


def write(points, head, rows, path):
    """`points`: {"set/part": Points}; `head`, `rows`: the table, as texts."""
    table = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    figures = "\n".join(f"<figure><h2>{html.escape(name)}</h2>{scatter(own)}<figcaption>{html.escape(sets.part_of(name).says)}</figcaption></figure>"
                        for name, own in points.items())
    path.write_text(f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>zz: the ledger</title><style>
{STYLE}
</style></head><body><h1>What zz predicts, over what was measured or published</h1>
<p>Each point is a row. On the full line both are equal; on the others they differ by a factor of two.</p>
<table><thead><tr>{"".join(f"<th>{html.escape(cell)}</th>" for cell in head)}</tr></thead><tbody>{table}</tbody></table>
{figures}
</body></html>
""", encoding="utf-8")
