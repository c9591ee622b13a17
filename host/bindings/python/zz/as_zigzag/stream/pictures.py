"""Pictures of schedules: a page and a trace of zz's own, timelines and the use of memories."""

import os
import shutil
import tempfile
import threading

import zz
from zz.drawing import Drawing

_COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#bab0ac")
_LEFT, _ROW, _WIDTH = 130, 26, 900


class _Given(zz.Stage):
    """Yields a result that is there already."""

    leaf = True
    lock = threading.Lock()  # one at a time: the result is handed over here
    result = None

    def run(self, context):
        yield _Given.result, None


def _drawn(scme, file, path):
    """Writes one of the files of VisualizationStage to a path."""
    with tempfile.TemporaryDirectory() as folder, _Given.lock:
        _Given.result = scme._evaluation
        zz.run(["VisualizationStage", _Given], dump_folder=folder)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        shutil.copyfile(os.path.join(folder, file), path)


def visualize_timeline_plotly(scme, draw_dependencies=False, draw_communication=True, fig_path="outputs/schedule.html",
                              layer_ids=None, cost_lut=None):
    """A page with cores, links and memories over time. It always has dependencies and transfers, which may be hidden there."""
    if layer_ids:
        raise ValueError("layer_ids cannot be chosen on zz: the page shows all layers")
    _drawn(scme, "schedule.html", fig_path)


def convert_scme_to_perfetto_json(scme, cost_lut, json_path, layer_ids=None, process_name="zz"):
    """A trace for https://ui.perfetto.dev, with cores, links and memories. Returns its text."""
    if layer_ids:
        raise ValueError("layer_ids cannot be chosen on zz: the trace has all layers")
    _drawn(scme, "schedule.perfetto.json", json_path)
    with open(json_path, encoding="utf-8") as file:
        return file.read()


def _sections(scme, section_start_percent, percent_shown):
    return [(start / 100 * scme.latency, (start + share) / 100 * scme.latency)
            for start, share in zip(section_start_percent, percent_shown, strict=True)]


class _Panels:
    """Rows over the sections of time that are shown beside each other."""

    def __init__(self, rows, row_height, sections):
        self.drawing = Drawing(_LEFT + _WIDTH + 20, 60 + rows * row_height)
        self.row_height, self.sections = row_height, sections
        self.width = (_WIDTH - 20 * (len(sections) - 1)) / len(sections)
        for number, section in enumerate(sections):
            left = _LEFT + number * (self.width + 20)
            self.drawing.line(left, self.drawing.height - 30, left + self.width, self.drawing.height - 30)
            self.drawing.text(left, self.drawing.height - 16, f"{section[0]:.4g}", size=7)
            self.drawing.text(left + self.width, self.drawing.height - 16, f"{section[1]:.4g}", "end", 7)
        self.drawing.text(_LEFT + _WIDTH / 2, self.drawing.height - 4, "cycles", "middle")

    def name(self, row, words):
        self.drawing.text(_LEFT - 6, 30 + (row + 0.6) * self.row_height, words, "end")

    def spans(self, start, end):
        """(left, right) in the drawing, for each section that shows a part of it."""
        for number, (first, last) in enumerate(self.sections):
            if start < last and end > first:
                left, scale = _LEFT + number * (self.width + 20), self.width / (last - first)
                yield left + (max(start, first) - first) * scale, left + (min(end, last) - first) * scale

    def top(self, row):
        return 30 + row * self.row_height


def plot_timeline_brokenaxes(scme, draw_dependencies=True, section_start_percent=(0, 50, 95), percent_shown=(5, 5, 5),
                             plot_data_transfer=False, fig_path="outputs/schedule_plot.png"):
    """The nodes of each core over time, layers by colour; with plot_data_transfer a row for each link. What waits for what
    is on the page of visualize_timeline_plotly."""
    schedule = scme._value
    cores = sorted({node.core for node in schedule.nodes})
    transfers = [one for one in schedule.transfers if one.end > one.start] if plot_data_transfer else []
    links = sorted({link for transfer in transfers for link in transfer.links})
    layers = sorted({node.layer for node in schedule.nodes})
    panels = _Panels(len(cores) + len(links), _ROW, _sections(scme, section_start_percent, percent_shown))
    panels.drawing.text(_LEFT, 16, f"latency {scme.latency:.4g} cycles, energy {scme.energy:.4g} pJ", bold=True)
    bars = [(cores.index(node.core), node.start, node.end, _COLOURS[layers.index(node.layer) % len(_COLOURS)])
            for node in schedule.nodes]
    bars += [(len(cores) + links.index(link), transfer.start, transfer.end, "#c0c0c0")
             for transfer in transfers for link in transfer.links]
    for row, words in enumerate([f"core {core}" for core in cores] + [f"link {link}" for link in links]):
        panels.name(row, words)
    for row, start, end, colour in bars:
        for left, right in panels.spans(start, end):
            panels.drawing.rectangle(left, panels.top(row) + 3, max(right - left, 0.1), _ROW - 6, colour, colour)
    panels.drawing.save(fig_path)


def plot_memory_usage(scme, section_start_percent=(0,), percent_shown=(100,), show_dram=False, show_human_bytes=True,
                      fig_path="outputs/memory_usage.png", fig_size=(16, 9)):
    """The use of each memory over time, in bytes, to the height of its peak."""
    accelerator = scme._value.accelerator
    memories = accelerator.top_memories
    traces = [trace for trace in scme._value.memory if trace.peak > 0 and (
        show_dram or list(memories[trace.memory].cores) != [accelerator.offchip_core])]
    panels = _Panels(len(traces), 60, _sections(scme, section_start_percent, percent_shown))
    for row, trace in enumerate(traces):
        memory = memories[trace.memory]
        panels.name(row, f"{memory.name}, core {', '.join(map(str, memory.cores))}")
        peak = trace.peak / 8
        panels.drawing.text(_LEFT + _WIDTH, panels.top(row) + 6, f"peak {peak / 1024:.4g} KiB of {memory.size / 8192:.4g}"
                            if show_human_bytes else f"peak {peak:.0f} bytes of {memory.size / 8:.0f}", "end", 7)
        steps = [tuple(step) for step in trace.bits]
        for (start, bits), (end, _) in zip(steps, [*steps[1:], (scme.latency, 0)]):
            height = 48 * bits / trace.peak
            for left, right in panels.spans(start, end) if bits else ():
                panels.drawing.rectangle(left, panels.top(row) + 58 - height, right - left, height, "#4e79a7", "#4e79a7")
    panels.drawing.save(fig_path)
