"""Accelerators, networks and mappings as parts of a notebook: pictures that need no network."""

import html

from zz.boxes import tree
from zz.drawing import Drawing

_ROW, _BOX, _INDENT = 22, 360, 12
_MOST_LAYERS = 300


def _size(bits):
    for unit, factor in (("MiB", 8 << 20), ("KiB", 8 << 10), ("B", 8)):
        if isinstance(bits, (int, float)) and bits >= factor:
            return f"{bits / factor:g} {unit}"
    return f"{bits} bit"


def _levels_below(memories):
    """{memory: those directly below it}; the array, None, is below the lowest of each operand."""
    below = {name: [] for name in memories}
    for operand in dict.fromkeys(operand for memory in memories.values() for operand in memory.get("operands", ())):
        inner = None
        for name, memory in memories.items():
            if operand in memory.get("operands", ()):
                below[name] += [inner] if inner not in below[name] else []
                inner = name
    return below


def _core(core):
    memories = {name: memory for name, memory in (core.get("memories") or {}).items() if isinstance(memory, dict)}
    lines = {name: (name, f"{_size(memory.get('size'))} · {', '.join(map(str, memory.get('operands', ())))}",
                    f"{memory.get('r_cost', '?')} / {memory.get('w_cost', '?')} pJ") for name, memory in memories.items()}
    array = core.get("operational_array") or {}
    if array:
        lines[None] = (" x ".join(map(str, array.get("sizes", ()))) + " units", ", ".join(map(str, array.get("dimensions", ()))),
                       f"{array.get('unit_energy', '?')} pJ")
    below = {name: [inner for inner in inners if inner in lines] for name, inners in _levels_below(memories).items()}
    return tree(lines, below).svg()


def of_accelerator(data):
    title = f"<b>{html.escape(str(data.get('name', 'accelerator')))}</b>"
    cores = data.get("cores")
    if not cores:
        return f"<div>{title}<br>{_core(data)}</div>"
    named = cores.items() if isinstance(cores, dict) else enumerate(cores)
    parts = [f"<div style='display:inline-block;vertical-align:top;margin-right:16px'>core {html.escape(str(name))}<br>"
             f"{_core(core) if isinstance(core, dict) else html.escape(str(core))}</div>" for name, core in named]
    return f"<div>{title}<br>{''.join(parts)}</div>"


def _macs(layer):
    product = 1
    for size in layer.get("loop_sizes", ()):
        product *= size
    return product


def _lanes(edges):
    """A column beside the boxes for each edge that passes others."""
    busy = []  # until which row each lane is taken
    lanes = {}
    for start, end in edges:
        lane = next((number for number, until in enumerate(busy) if until <= start), len(busy))
        busy[lane:lane + 1] = [end]
        lanes[start, end] = lane
    return lanes, len(busy)


def of_workload(layers):
    shown = layers[:_MOST_LAYERS]
    row_of = {layer.get("id"): row for row, layer in enumerate(shown)}
    edges = sorted({(row_of[source], row) for row, layer in enumerate(shown)
                    for source in (layer.get("operand_source") or {}).values() if row_of.get(source, row) < row})
    lanes, count = _lanes([(start, end) for start, end in edges if end > start + 1])
    left = (count + 1) * _INDENT
    drawing = Drawing(left + _BOX + 8, len(shown) * _ROW + 8)
    for start, end in edges:
        x = left - (lanes[start, end] + 1) * _INDENT if (start, end) in lanes else None
        upper, lower = start * _ROW + 4 + _ROW / 2, end * _ROW + 4 + _ROW / 2
        if x is None:
            drawing.line(left + 20, upper, left + 20, lower)
        else:
            drawing.line(x, upper, left, upper)
            drawing.line(x, upper, x, lower)
            drawing.line(x, lower, left, lower)
    for row, layer in enumerate(shown):
        y = row * _ROW + 4
        drawing.rectangle(left, y, _BOX, _ROW - 6, "#dce6f0")
        sizes = " ".join(f"{name}{size}" for name, size in zip(layer.get("loop_dims", ()), layer.get("loop_sizes", ())))
        drawing.text(left + 6, y + 11, str(layer.get("name", layer.get("id"))), bold=True)
        drawing.text(left + _BOX - 6, y + 11, f"{layer.get('operator_type', '')} · {sizes} · {_macs(layer):,} MACs", "end")
    more = f"<p>{len(layers) - len(shown)} more layers</p>" if len(layers) > len(shown) else ""
    return f"<div>{drawing.svg()}{more}</div>"


def _nest(entry):
    lines = []
    for number, loop in enumerate(reversed(entry.get("temporal_ordering") or ())):
        dimension, size = (loop[0], loop[1]) if isinstance(loop, list) else str(loop).replace(" ", "").split(",")
        lines.append("  " * number + f"for {dimension} in {size}")
    inside = "  " * len(lines)
    for dimension, loops in (entry.get("spatial_mapping") or {}).items():
        lines.append(f"{inside}parfor {', '.join(' in '.join(str(loop).replace(' ', '').split(',')) for loop in loops)} on {dimension}")
    for dimension, loops in (entry.get("spatial_mapping_hint") or {}).items():
        lines.append(f"{inside}parfor some of {', '.join(map(str, loops))} on {dimension}")
    return "\n".join(lines) or "any order, any unrolling"


def of_mapping(entries):
    parts = [f"<b>{html.escape(str(entry.get('name')))}</b><pre>{html.escape(_nest(entry))}</pre>" for entry in entries]
    return f"<div>{''.join(parts)}</div>"
