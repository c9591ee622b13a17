"""What `zz-host why --format=json` says adds up: parts to figures, layers to the total, and ports to stalls.

usage: why_json.py ZZ_HOST
"""
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOST = pathlib.Path(sys.argv[1]).resolve()
PIPELINE = SOURCE / "configs/pipelines/small_cnn_simba_like.yaml"


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def printed(folder, *words):
    return subprocess.run([HOST, "why", PIPELINE, *words, "-q"], cwd=folder, check=True, capture_output=True, text=True).stdout


def check_changes(one, complaints):
    """What changes of the machine save is of the best mapping, which a mapping of the run may not beat."""
    name = one.get("layer", "total")
    if one["fastest"] > one["latency"] * (1 + 1e-9):
        complaints.append(f"{name}: the fastest mapping is slower than that of the run")
    for limit in one["limits"]:
        if "of_unrolling" not in limit and limit["cycles"] > one["fastest"] * (1 + 1e-9):
            complaints.append(f"{name}: faster than {limit}")
    for help in one["helps"]:
        if not near(help["latency"] + help["saved"], one["fastest"]) or help["saved"] < 0.01 * one["fastest"]:
            complaints.append(f"{name}: {help}")
        if help["lower_bound"] > help["latency"] * (1 + 1e-9):
            complaints.append(f"{name}: better than its bound: {help}")


def check_parts(one, complaints):
    name = one.get("layer", "total")
    if not near(sum(part["cycles"] for part in one["latency_parts"]), one["latency"]):
        complaints.append(f"{name}: its parts are not its latency")
    if not near(sum(part["pJ"] for part in one["energy_parts"]), one["energy"]):
        complaints.append(f"{name}: its parts are not its energy")
    if not near(sum(limit["cycles"] for limit in one["limits"]), one["latency"]):
        complaints.append(f"{name}: its limits are not its latency")
    if one["limited_by"] != max(one["limits"], key=lambda limit: limit["cycles"])["limiter"]:
        complaints.append(f"{name}: limited by something else than the first limit")
    for help in one["helps"]:
        if not near(help["latency"] + help["saved"], one["latency"]) or help["saved"] < 0.01 * one["latency"]:
            complaints.append(f"{name}: {help}")


complaints = []
with tempfile.TemporaryDirectory() as folder:
    found = json.loads(printed(folder, "--format=json", "--mapping"))
    of_machine = json.loads(printed(folder, found["layers"][0]["layer"], "--format=json"))
    rows = list(csv.DictReader(io.StringIO(printed(folder, "--format=csv", "--mapping"))))
    energies = list(csv.DictReader(io.StringIO(printed(folder, "--format=csv", "--energy", "--mapping"))))
assert (found["format"], found["version"]) == ("zz-why", 1)
layers, total = found["layers"], found["total"]
for one in [*layers, total]:
    check_parts(one, complaints)
for one in of_machine["layers"]:
    check_changes(one, complaints)
for layer in layers:
    evaluation = layer["evaluation"]
    stalls = evaluation["latency_total0"] - evaluation["ideal_temporal_cycle"]
    if max(port["stall"] for port in layer["ports"]) != stalls:
        complaints.append(f"{layer['layer']}: no port falls behind by the {stalls} cycles that the units wait")
for kind, amounts in (("latency_parts", {"cycles"}), ("energy_parts", {"pJ", "low", "high"})):
    for part in total[kind]:
        same = [one for layer in layers for one in layer[kind] if all(one[text] == part[text] for text in part.keys() - amounts)]
        if not all(near(sum(one[amount] for one in same), part[amount]) for amount in amounts):
            complaints.append(f"total: {part} is not the sum of the layers'")
if not near(sum(float(row["cycles"]) for row in rows), total["latency"]):
    complaints.append("the rows of the CSV are not the latency")
if not near(sum(float(row["pJ"]) for row in energies), total["energy"]):
    complaints.append("the rows of the CSV are not the energy")
print("\n".join(complaints) or f"{len(layers)} layers, {len(rows)} parts")
sys.exit(1 if complaints else 0)
