"""usage: drawn_schedule.py ZZ_HOST PIPELINE.yaml

Runs a pipeline for several cores, opens the pages that it draws in headless Chromium, and compares what the browser drew, and the
traces for Perfetto, with schedule_complete.json of the same run. A pipeline that yields several schedules is compared with its
last one. Ends with 77 (skipped) without Chromium.
"""
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from browser import browse, chromium_or_skip


AT_WORK = ("computing", "stalls and loading within nodes", "slowed by its streams")


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {str(found)[:2000]}\ninstead of {str(expected)[:2000]}")


def check_close(what, found, expected):
    if not math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-6):
        sys.exit(f"{what}: {found} instead of {expected}")


def layer_id(label):
    return int(str(label).split(":")[0])


def numbers(texts):
    return tuple(float(text) for text in texts)


def rows_of(bars):
    """{row: its bars, sorted}"""
    rows = collections.defaultdict(list)
    for row, bar in bars:
        rows[row].append(bar)
    return {row: sorted(found) for row, found in rows.items()}


def bars_of_links(saved, kind):
    """What the file says of each link that is used: the bars of transfers or reservations, sorted."""
    def bar(i):
        if kind == "transfer":
            tensor, bits, *_, start, end = saved["transfers"][i][:7]
            return (i, start, end, bits)
        (layer, sub_id), _, _, start, end, *_ = saved["blocks"][i]
        return (layer, sub_id, start, end)
    lists = [link[kind + "s"] for link in saved["links"]]
    return sorted(sorted(map(bar, found)) for found in lists if found)


def check_page(drawn, specification, saved, with_links):
    shapes = drawn.shapes
    tables = {data["name"]: data.get("values") for data in specification["data"]}
    total = tables["schedule"][0]
    check("latency", total["latency"], saved["latency"])
    check("energy", total["energy"], saved["energy"])
    shown = "".join(drawn.text)
    if f"latency {saved['latency']:,} cycles" not in shown:
        sys.exit(f"the latency {saved['latency']} is not in the page's text")

    nodes = sorted((layer_id(label), int(sub_id), int(row.split()[1]), float(start), float(end))
                   for label, sub_id, row, start, end, _ in shapes["node"])
    transfers = rows_of((row, (int(i), *numbers(rest))) for i, row, *rest in shapes["transfer"])
    blocks = rows_of((row, (layer_id(label), int(sub_id), *numbers(rest))) for label, sub_id, row, *rest in shapes["block"])
    on_links = {"transfer": bars_of_links(saved, "transfer"), "block": bars_of_links(saved, "block")}
    all_bars = len(saved["cns"]) + (sum(map(len, on_links["transfer"] + on_links["block"])) if with_links else 0)
    drawn_bars = len(nodes) + len(shapes["transfer"]) + len(shapes["block"])
    if drawn_bars < all_bars:
        # Only the first ones, which the page says.
        if f"The first {drawn_bars} of {all_bars} bars" not in shown:
            sys.exit("the page does not say that it shows only some bars")
        if not set(nodes) <= {tuple(cn) for cn in saved["cns"]}:
            sys.exit("the page shows nodes that are not in the schedule")
    else:
        check("nodes", nodes, sorted(tuple(cn) for cn in saved["cns"]))
        check("transfers", sorted(transfers.values()), on_links["transfer"] if with_links else [])
        check("reservations", sorted(blocks.values()), on_links["block"] if with_links else [])

    shares = {row: float(share) for row, share in shapes["row"]}
    for core, busy in saved["busy_cycles_per_core"].items():
        if f"core {core}" in shares:
            check_close(f"share of core {core}", shares.pop(f"core {core}") * saved["latency"], busy)
        else:
            check(f"busy cycles of core {core}, which is not drawn", busy, 0)
    active = sorted(link["active_cycles"] for link in saved["links"] if link["transfers"] or link["blocks"])
    idle_cores = [row for row in shares if row.startswith("core ") and "→" not in row and "↔" not in row]
    for row in idle_cores:
        check(row, shares.pop(row), 0)
    for found, expected in zip(sorted(shares.values()), active):
        check_close("share of a link", found * saved["latency"], expected)
    check("links", len(shares), len(active) if with_links else 0)

    check_close("terms of the energy", sum(term["energy"] for term in tables["energy_terms"]), saved["energy"])
    check("links with bits", len(tables["link_bits"]), len(active))
    for name in [term["term"] for term in tables["energy_terms"]] + [link["link"] for link in tables["link_bits"]]:
        if name not in shown:
            sys.exit(f"the tables of the page lack '{name}'")

    memories = [(label.split(": ", 1)[1], int(peak), int(capacity)) for label, peak, capacity in shapes["memory"]]
    check("memories", memories, [(m["name"], m["peak_bits"], m["capacity_bits"]) for m in saved["memory"] if m["peak_bits"] > 0])
    steps = collections.defaultdict(list)
    for step in tables["steps"]:
        steps[step["memory"]].append([step["start"], step["bits"]])
    traces = [trace["trace_cycle_bits"] for trace, m in zip(saved["memory_traces"], saved["memory"]) if m["peak_bits"] > 0]
    check_waits(drawn, tables, saved)
    check("use of memories", list(steps.values()), [[s for s in trace if s[0] <= total["until"]] for trace in traces])


def check_waits(drawn, tables, saved):
    """Each cycle of each resource is told once: bars add up to the latency, and cores compute as long as the file says."""
    times = collections.defaultdict(dict)
    for resource, use, cycles in drawn.shapes["time"]:
        times[resource][use] = float(cycles)
    for resource, uses in times.items():
        check_close(f"times of {resource}", sum(uses.values()), saved["latency"])
    for core, busy in saved["busy_cycles_per_core"].items():
        uses = times.get(f"core {core}", {})
        check_close(f"core {core} at work", sum(uses.get(use, 0) for use in AT_WORK), busy)
    used_links = [link for link in saved["links"] if link["transfers"] or link["blocks"]]
    check("resources", len([name for name in times if "→" in name or "↔" in name or name == "bus"]), len(used_links))

    shown = "".join(drawn.text)
    pieces = collections.Counter(layer_id(label) for (label, *_) in saved["cns"])
    check("pieces", {layer_id(cut["layer"]): cut["pieces"] for cut in tables["cuts"]}, dict(pieces))
    for cut in tables["cuts"]:
        for text in (cut["layer"], cut["loops"], cut["not_larger"], cut["not_smaller"]):
            if text not in shown:
                sys.exit(f"the table of cuts lacks '{text}' of layer {cut['layer']}")


def check_trace(trace, saved):
    events = trace["traceEvents"]
    if "cycle" not in trace["otherData"]["note"]:
        sys.exit("the trace does not say what its times are")
    check("latency of the trace", trace["otherData"]["latency_cycles"], saved["latency"])
    check("energy of the trace", trace["otherData"]["energy_pJ"], saved["energy"])
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    times = [e["ts"] for e in events if e["ph"] != "M"]
    check("order of the events", times, sorted(times))

    slices, busy = collections.defaultdict(list), collections.Counter()
    nodes = []
    for e in events:
        if e["ph"] != "X":
            continue
        track = tracks[e["pid"], e["tid"]]
        slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        if e["cat"] == "node":
            core = int(track.split(":")[0].split()[1])
            busy[core] += e["dur"]
            nodes.append((e["args"]["layer"], e["args"]["sub_id"], core, e["ts"], e["ts"] + e["dur"]))
    check("nodes of the trace", sorted((*n[:4], round(n[4], 6)) for n in nodes),
          sorted((*cn[:4], round(cn[4], 6)) for cn in saved["cns"]))
    for core, cycles in saved["busy_cycles_per_core"].items():
        check_close(f"busy cycles of core {core} in the trace", busy[int(core)], cycles)
    for track, found in slices.items():
        for (_, end), (start, _) in zip(found, found[1:]):
            if end > start + 1e-6:
                sys.exit(f"slices of track {tracks[track]} overlap at {start}")
    for kind, category in (("transfer", "transfer"), ("block", "reservation")):
        check(f"{category}s of the trace", sum(e.get("cat") == category for e in events),
              sum(len(link[kind + "s"]) for link in saved["links"]))

    counters = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "C":
            counters[e["name"]].append([e["ts"], e["args"]["bits"]])
    check("counters", sorted(counters.values()), sorted(t["trace_cycle_bits"] for t in saved["memory_traces"] if t["trace_cycle_bits"]))

    flows = collections.defaultdict(dict)
    for e in events:
        if e["ph"] in "stf":
            flows[e["id"]][e["ph"]] = e
            if not any(start <= e["ts"] <= end for start, end in slices[e["pid"], e["tid"]]):
                sys.exit(f"an arrow is tied to nothing: {e}")
    on_cores = saved["busy_cycles_per_core"].keys()
    if bool(flows) != any(str(t[2]) in on_cores and str(t[3]) in on_cores for t in saved["transfers"]):
        sys.exit(f"{len(flows)} arrows")
    for number, flow in flows.items():
        if not {"s", "f"} <= flow.keys() or flow["s"]["tid"] == flow["f"]["tid"]:
            sys.exit(f"arrow {number} does not lead from one core to another: {flow}")


def check_front(drawn, specification, saved):
    points = next(data["values"] for data in specification["data"] if data["name"] == "points")
    shown = sorted((int(point), float(latency), float(energy), genes) for point, latency, energy, genes in drawn.shapes["point"])
    check("points", shown, [(p["point"], p["latency"], p["energy"], " ".join(map(str, p["genes"]))) for p in points])
    for one, next_one in zip(points, points[1:]):
        if not (one["energy"] < next_one["energy"] and one["latency"] > next_one["latency"]):
            sys.exit(f"point {one['point']} beats the next one")
    check("last point", [points[-1]["latency"], points[-1]["energy"], points[-1]["genes"], points[-1]["yielded"]],
          [saved["latency"], saved["energy"], saved["genes"], True])
    text = "".join(drawn.text)
    for point in points:
        if f"{point['latency']:,.0f}" not in text or not all(layer in text for layer in point["allocation"]):
            sys.exit(f"point {point['point']} is not in the table")
    return points


def main():
    host, pipeline = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    chromium = chromium_or_skip()
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([host, pipeline], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        if "no Vega" in run.stderr:
            print("skipped: this build has no Vega")
            sys.exit(77)
        out = pathlib.Path(folder) / "out"
        # Of several results the last one is the last point of the front.
        files = sorted(out.glob("schedule_complete*.json"), key=lambda file: (len(file.stem), file.stem))
        saved = json.loads(files[-1].read_text())
        pages = sorted(out.glob("*.html"))
        front = None
        schedules = {}
        for page in pages:
            specification = json.loads(page.with_suffix(".vg.json").read_text())
            if page.stem == "front":
                continue  # drawn_front.py looks at it
            if page.stem.endswith("_front"):
                front = check_front(browse(chromium, page), specification, saved)
            else:
                schedules[page] = specification
        totals = lambda page: next(d["values"][0] for d in schedules[page]["data"] if d["name"] == "schedule")
        # Several results have a page each; together they are the front.
        stems = collections.defaultdict(list)
        for page in schedules:
            stems[page.stem.rstrip("0123456789").rstrip("_")].append((totals(page)["latency"], totals(page)["energy"]))
        for stem, found in stems.items():
            if len(found) > 1:
                check(f"results of {stem}", sorted(found), sorted((p["latency"], p["energy"]) for p in front))
        compared = 0
        for page in schedules:
            if (totals(page)["latency"], totals(page)["energy"]) != (saved["latency"], saved["energy"]):
                continue
            check_page(browse(chromium, page), schedules[page], saved, "without_links" not in page.stem)
            check_trace(json.loads(page.with_suffix(".perfetto.json").read_text()), saved)
            compared += 1
        if compared < len(stems):
            sys.exit(f"only {compared} of {sorted(p.name for p in schedules)} show the schedule that was saved")
    print(f"{len(pages)} pages; {compared} of the schedule that was saved: {len(saved['cns'])} nodes, "
          f"{len(saved['transfers'])} transfers, {len(saved['blocks'])} reservations; points of the front: {len(front or [])}")


main()
