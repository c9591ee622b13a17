"""Energy by memory, operand and direction, and latency by cause, as bars."""

from zz.as_zigzag.pictures.bar_chart import BarChart
from zz.drawing import Drawing
from zz.as_zigzag.values.data_movement import DataDirection

_HUES = ((78, 121, 167), (242, 142, 43), (89, 161, 79), (176, 122, 161), (225, 87, 89))
_LATENCY = (("Ideal computation", "#59a14f"), ("Spatial stall", "#edc948"), ("Temporal stall", "#e15759"),
            ("Data loading", "#4e79a7"), ("Data off-loading", "#b07aa1"))
_ARRAY = "#202020"


def _colour(operand, direction):
    """Operands differ by hue, directions by lightness."""
    white = 0.18 * direction
    return "#" + "".join(f"{round(part + (255 - part) * white):02x}" for part in _HUES[operand % len(_HUES)])


def _short(name):
    return "/".join(name.split("/")[-2:])


def _energy(cme, memories):
    stacks = {name: [] for name in memories}
    for number, (operand, levels) in enumerate(cme.mem_energy_breakdown_further.items()):
        mem_op = cme.layer.memory_operand_links.layer_to_mem_op(operand)
        for level, energies in zip(cme.accelerator.memory_hierarchy.get_memory_levels(mem_op), levels):
            stacks[level.name] += [(f"{operand} {direction}", energies.get(direction), _colour(number, place))
                                   for place, direction in enumerate(DataDirection)]
    return [("MAC", [("MAC", cme.mac_energy, _ARRAY)]), *stacks.items()]


def _latency(cme):
    cycles = (cme.ideal_cycle, cme.ideal_temporal_cycle - cme.ideal_cycle, cme.latency_total0 - cme.ideal_temporal_cycle,
              cme.latency_total1 - cme.latency_total0, cme.latency_total2 - cme.latency_total1)
    return [("", [(label, amount, colour) for (label, colour), amount in zip(_LATENCY, cycles)])]


def _draw(charts, width, save_path):
    drawing = Drawing(width, 290 * len(charts))
    for number, chart in enumerate(charts):
        chart.draw(drawing, 290 * number, 290)
    drawing.save(save_path)


def bar_plot_cost_model_evaluations_breakdown(cmes, save_path):
    """Two panels with a group for each layer; sums are left out."""
    cmes = [cme for cme in cmes if hasattr(cme, "layer")]
    if not cmes:
        raise ValueError("there is no result of a layer to draw, only sums")
    memories = sorted({(level.memory_instance.size, level.name) for cme in cmes for level in cme.mem_level_list})
    names = [name for _, name in memories]
    titles = [f"{cme.layer.id}: {_short(cme.layer.name)}" for cme in cmes]
    charts = [BarChart("Energy (pJ)", [(title, _energy(cme, names)) for title, cme in zip(titles, cmes)]),
              BarChart("Latency (cycles)", [(title, _latency(cme)) for title, cme in zip(titles, cmes)],
                       names_below=False)]
    _draw(charts, max(720, 214 + 12 * len(cmes) * (len(names) + 2)), save_path)


def bar_plot_cost_model_evaluations_total(cmes, labels, fig_title="", save_path="plot_total.png"):
    """Energy and latency of whole networks beside each other; in ZigZag 2."""
    charts = [BarChart(f"{fig_title} Energy (pJ)".strip(), [
        (label, [("", [("MAC", cme.mac_energy, _ARRAY),
                       *((operand, sum(levels), _colour(number, 0))
                         for number, (operand, levels) in enumerate(cme.mem_energy_breakdown.items()))])])
        for label, cme in zip(labels, cmes, strict=True)], names_below=False),
        BarChart("Latency (cycles)", [(label, _latency(cme)) for label, cme in zip(labels, cmes)], names_below=False)]
    _draw(charts, max(480, 214 + 60 * len(cmes)), save_path)
