"""usage: drawn_front.py ZZ_HOST PIPELINE.yaml

Runs a pipeline that makes several schedules, opens the page that compares them in headless Chromium, and checks each point
against the picture of its schedule, which the page links to. Ends with 77 (skipped) without Chromium.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from browser import browse, chromium_or_skip


def tables_of(path):
    return {data["name"]: data.get("values") for data in json.loads(path.read_text())["data"]}


def fail(text):
    sys.exit(text)


def check_point(point, schedule, text, pipeline):
    total = schedule["schedule"][0]
    if (point["latency"], point["energy"]) != (total["latency"], total["energy"]):
        fail(f"point {point['point']} is not the schedule of {point['page']}: {point} {total}")
    for cut in schedule["cuts"]:
        if not point["allocation"][cut["layer"]].startswith(cut["loops"] + ", core"):
            fail(f"point {point['point']}, {cut['layer']}: {point['allocation'][cut['layer']]} is not {cut}")
    if point["nodes"] != sum(cut["pieces"] for cut in schedule["cuts"]):
        fail(f"point {point['point']} has {point['nodes']} nodes")
    figures = {"bound": point["latency"], "energy_bound": point["energy"], "edp_bound": point["latency"] * point["energy"]}
    if "SearchHintLoopsStage" not in pipeline:
        figures = {"bound": point["latency"]}
    for bound, figure in figures.items():
        if not 0 < point[bound] <= figure * (1 + 1e-9):
            fail(f"point {point['point']}: {bound} {point[bound]} of {figure}")
        percent = 100 * (figure / point[bound] - 1)
        if not any(f"{percent + rounding:.1f} %" in text for rounding in (1e-6, -1e-6)):
            fail(f"the table does not say how far point {point['point']} is above its {bound}")
    if f"{point['latency']:,.0f}" not in text:
        fail(f"point {point['point']} is not in the table")


def main():
    host, pipeline = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    chromium = chromium_or_skip()
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([host, pipeline], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            fail(run.stderr)
        if "no Vega" in run.stderr:
            print("skipped: this build has no Vega")
            sys.exit(77)
        out = pathlib.Path(folder) / "out"
        points = tables_of(out / "front.vg.json")["points"]
        drawn = browse(chromium, out / "front.html")
        text = "".join(drawn.text)
        pages = {page.name for page in out.glob("schedule*.html")}
        if {point["page"] for point in points} != pages or not pages <= set(drawn.links):
            fail(f"pages {sorted(pages)}, links {drawn.links}")
        for point in points:
            check_point(point, tables_of(out / point["page"].replace(".html", ".vg.json")), text, pipeline.read_text())

    if len(points) < 2:
        fail("a single point is no front")
    shown = sorted((int(point), float(latency), float(energy)) for point, latency, energy, *_ in drawn.shapes["point"])
    if shown != [(point["point"], point["latency"], point["energy"]) for point in points]:
        fail(f"the picture shows {shown}")
    beaten = {one["point"] for one in points for other in points
              if other["latency"] <= one["latency"] and other["energy"] <= one["energy"]
              and (other["latency"], other["energy"]) != (one["latency"], one["energy"])}
    if beaten != {point["point"] for point in points if not point["best"]}:
        fail(f"points that others beat: {beaten}")
    print(f"{len(points)} points with their schedules, {len(beaten)} of which others beat")


main()
