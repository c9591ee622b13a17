"""usage: compared_schedules.py ZZ_HOST PIPELINE.yaml

Runs the pipeline with whole layers, then with its own cuts beside that, opens the page in headless Chromium, and compares what it
shows of both with their result files. Ends with 77 (skipped) without Chromium.
"""
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from browser import browse, chromium_or_skip


def run(host, folder, *words):
    done = subprocess.run([host, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    if "no Vega" in done.stderr:
        print("skipped: this build has no Vega")
        sys.exit(77)


def main():
    host, pipeline = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    chromium = chromium_or_skip()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(host, folder, pipeline, "--set", "hint_loops=[]", "--set", "dump_folder=before")
        run(host, folder, pipeline, "--set", "VisualizationStage.compare=before/schedule.vg.json")
        saved = {"before": json.loads((folder / "before/schedule_complete.json").read_text()),
                 "now": json.loads((folder / "out/schedule_complete.json").read_text())}
        drawn = browse(chromium, folder / "out/schedule.html")
    if saved["before"]["latency"] == saved["now"]["latency"]:
        sys.exit("the schedules do not differ")
    sums = collections.Counter()
    for resource, _, cycles in drawn.shapes["time"]:
        sums[resource] += float(cycles)
    for which, schedule in saved.items():
        of_this = {resource: total for resource, total in sums.items() if resource.endswith(", " + which)}
        if "core 0, " + which not in of_this:
            sys.exit(f"core 0 of '{which}' is not drawn: {sums}")
        for resource, total in of_this.items():
            if not math.isclose(total, schedule["latency"], rel_tol=1e-9):
                sys.exit(f"{resource}: {total} instead of {schedule['latency']}")
    if len(sums) != sum(resource.endswith((", before", ", now")) for resource in sums):
        sys.exit(f"resources of neither: {sums}")
    nodes = sum(len(schedule["cns"]) for schedule in saved.values())
    if len(drawn.shapes["node"]) != nodes:
        sys.exit(f"{len(drawn.shapes['node'])} nodes instead of {nodes}")
    text = "".join(drawn.text)
    change = f"Latency {saved['before']['latency']:,.0f} → {saved['now']['latency']:,.0f} cycles"
    if change not in text:
        sys.exit(f"the page does not say '{change}'")
    print(f"{nodes} nodes and {len(sums)} bars of both schedules")


main()
