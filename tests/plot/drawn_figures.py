"""usage: drawn_figures.py ZZ_HOST PIPELINE.yaml

Runs the pipeline, opens the page that it draws in headless Chromium, and compares what the browser drew with the result
files of the same run: the labels of the shapes say which figure each of them shows. Ends with 77 (skipped) without Chromium.
"""
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from browser import browse, chromium_or_skip


def memories(inputs, operand):
    chain = inputs["accelerator"]["mem_hierarchy_dict"]
    links = inputs["layer"]["memory_operand_links"] if isinstance(inputs["layer"], dict) else {"O": "O", "W": "I2", "I": "I1"}
    return [re.search(r"instance=([^,]+),", level)[1] for level in chain[links[operand]]]


def saved_energies(result):
    """{(memory, operand, direction): pJ} without zeros."""
    energies = {("MAC", "MAC", "-"): result["outputs"]["energy"]["operational_energy"]}
    for operand, levels in result["outputs"]["energy"]["memory_energy_breakdown_per_level_per_operand"].items():
        for memory, directions in zip(memories(result["inputs"], operand), levels):
            energies.update({(memory, operand, direction): pj for direction, pj in directions.items()})
    return {key: pj for key, pj in energies.items() if pj}


def saved_latencies(result):
    latency, utilization = result["outputs"]["latency"], result["outputs"]["spatial"]["mac_utilization"]
    ideal = utilization["stalls"] * latency["computation"]
    ideal_in_time = ideal / utilization["ideal"]
    return {"ideal computation": ideal, "spatial stall": ideal_in_time - ideal,
            "temporal stall": latency["computation"] - ideal_in_time, "data loading": latency["data_onloading"],
            "data off-loading": latency["data_offloading"]}


def saved_nest(result):
    """Loops from the outermost, and per operand where its memories begin and end."""
    inputs = result["inputs"]
    pairs = lambda levels: [re.fullmatch(r"\((\w+), (\S+)\)", loop).groups() for level in levels for loop in level]
    outermost_first = lambda loops, word: [f"{word} {name} in [0, {size})" for name, size in reversed(loops)]
    temporal = pairs(inputs["temporal_mapping"]["O"])
    loops = outermost_first(temporal, "for") + outermost_first(pairs(inputs["spatial_mapping"]["O"]), "parfor")
    cells = set()
    for operand, levels in inputs["temporal_mapping"].items():
        end = len(temporal)
        for memory, level in zip(memories(inputs, operand), levels):
            if level:
                cells.add((operand, str(end - len(level)), str(end - 1), memory))
            end -= len(level)
    return tuple(loops), tuple(sorted(cells))


#: Causes of parts, by the sums that result files have.
CAUSES = {"ideal": "ideal computation", "idle": "spatial stall", "remainder": "spatial stall", "stall": "temporal stall",
          "onloading": "data loading", "offloading": "data off-loading", "wait": "data off-loading"}


def drawn_latencies(shapes):
    """{label of the result: {sum: cycles}}, without the network as a whole."""
    figures = collections.defaultdict(lambda: dict.fromkeys(CAUSES.values(), 0.0))
    for label, cause, cycles in shapes:
        if label != "all layers":
            figures[label][CAUSES[cause]] += float(cycles)
    return figures


def same(drawn, saved):
    return drawn.keys() == saved.keys() and all(math.isclose(drawn[k], saved[k], rel_tol=1e-9, abs_tol=1e-6) for k in saved)


def with_what_is_beside(shapes):
    """Energies of a direction with those of scales and metadata, which are shapes of their own."""
    sums = collections.defaultdict(float)
    for *what, direction, energy in shapes:
        sums[(*what, direction.split()[0])] += float(energy)
    return [(*what, energy) for what, energy in sums.items()]


def by_label(shapes):
    """{label of the result: {what it shows: figure}}"""
    figures = collections.defaultdict(dict)
    for label, *what, figure in shapes:
        figures[label][tuple(what) if len(what) > 1 else what[0] if what else "total"] = float(figure)
    return figures


def layer_name(result):
    layer = result["inputs"]["layer"]
    return layer["name"] if isinstance(layer, dict) else None


def match(what, drawn, results, saved):
    """Each drawn result is that of one file. Short names may repeat, so one is looked for among those of its name."""
    left = list(results)
    for label, figures in drawn.items():
        name = label.split(": ", 1)[1] if ": " in label else None
        found = next((r for r in left if layer_name(r) == name and same(figures, saved(r))), None)
        if found is None:
            sys.exit(f"{what} of '{label}' is in no result file: {figures}")
        left.remove(found)
    if left:
        sys.exit(f"{what}: not drawn: {[layer_name(r) for r in left]}")


def check_equal_layers(shapes, results):
    """The bars of a network have all energy of its layers, the largest first; a page of one layer has none."""
    layers = [r for r in results if layer_name(r)]
    bars = collections.defaultdict(float)
    for label, *_, energy in shapes:
        bars[label] += float(energy)
    if not bars:
        assert len(layers) < 2 or len({layer_name(r) for r in layers}) < len(layers), len(layers)
        return
    expected = sum(r["outputs"]["energy"]["energy_total"] for r in layers)
    drawn = list(bars.values())
    assert math.isclose(sum(drawn), expected, rel_tol=1e-9), (sum(drawn), expected)
    counts = [int(label.rpartition("(x ")[2].rstrip(")")) if label.endswith(")") and "(x " in label else 1 for label in bars]
    assert sum(counts) == len(layers), (counts, len(layers))


def main():
    host, pipeline = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    chromium = chromium_or_skip()
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([host, pipeline], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        out = pathlib.Path(folder) / "out"
        page = out / "visualization.html"
        if not page.exists():
            if "no Vega" in run.stderr:
                print("skipped: this build has no Vega")
                sys.exit(77)
            sys.exit(f"no page: {run.stderr}")
        results = [json.loads(path.read_text()) for path in out.glob("*_complete.json")]
        specifications = [json.loads(path.read_text()) for path in out.glob("*.vg.json")]
        shapes = browse(chromium, page).shapes

    match("energy", by_label(with_what_is_beside(shapes["energy"])), results, saved_energies)
    check_equal_layers(shapes["equal layers"], results)
    match("total energy", by_label(shapes["total energy"]), results, lambda r: {"total": r["outputs"]["energy"]["energy_total"]})
    match("latency", drawn_latencies(shapes["latency"]), results, saved_latencies)
    totals = by_label(shapes["total latency"])
    whole = totals.pop("all layers", None)
    if whole and not math.isclose(whole["total"], sum(one["total"] for one in totals.values()), rel_tol=1e-9):
        sys.exit(f"all layers: {whole} is not the sum of {totals}")
    match("total latency", totals, results, lambda r: {"total": sum(r["outputs"]["latency"].values())})

    layers = [r for r in results if layer_name(r)]
    nests = collections.defaultdict(lambda: (["?"] * len(shapes["loop"]), []))
    for result, depth, text in shapes["loop"]:
        nests[result][0][int(depth)] = text
    for result, *cell in shapes["cell"]:
        nests[result][1].append(tuple(cell))
    drawn_nests = sorted((tuple(t for t in loops if t != "?"), tuple(sorted(cells))) for loops, cells in nests.values())
    if drawn_nests != sorted(map(saved_nest, layers)):
        sys.exit(f"the loop nests differ: {drawn_nests}")

    chains = results[0]["inputs"]["accelerator"]["mem_hierarchy_dict"]
    sizes = results[0]["inputs"]["accelerator"]["mem_size_dict"]
    saved_memories = {(re.search("instance=([^,]+),", level)[1], str(bits))
                      for operand in chains for level, bits in zip(chains[operand], sizes[operand])}
    if {(name, bits) for name, _, _, bits in shapes["memory"]} != saved_memories:
        sys.exit(f"the memories differ: {shapes['memory']}")
    if len(specifications) != (4 if layers else 3) + bool(shapes["equal layers"]):
        sys.exit(f"{len(specifications)} specifications beside the page")
    counts = ", ".join(f"{len(found)} × {kind}" for kind, found in sorted(shapes.items()))
    print(f"{len(results)} results as in their files: {counts}")


main()
