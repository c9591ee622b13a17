"""usage: drawn_fused.py ZZ_HOST PIPELINE.yaml

Runs a pipeline that fuses layers, opens the page of the groups in headless Chromium, and checks loops, tiles and rooms against
fused_groups.yaml. Ends with 77 (skipped) without Chromium.
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

import yaml

from browser import browse, chromium_or_skip

host, pipeline = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
chromium = chromium_or_skip()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([host, pipeline], cwd=folder, capture_output=True, check=True)
    out = pathlib.Path(folder) / "out"
    if not (out / "fused_groups.html").exists():
        print("skipped: this build has no Vega")
        sys.exit(77)
    groups = yaml.safe_load((out / "fused_groups.yaml").read_text())
    drawn = browse(chromium, out / "fused_groups.html").shapes

layers = groups["layers"]
shared = [iterations for _, iterations, *_ in max((layer.get("shared", []) for layer in layers), key=len)]
assert shared and [int(loop[1]) for loop in drawn["loop"]] == shared, (drawn["loop"], layers)
stay = [layer["name"] for layer in layers if layer.get("roles", {}).get("O", [""])[0] == "exchanged"]
assert stay and sorted(tile[0] for tile in drawn["tile"]) == sorted(stay), (drawn["tile"], stay)
room = collections.Counter()
for layer, what, bits in drawn["room"]:
    room[int(layer)] += float(bits)
    assert what in stay or "." in what, what
inputs = pathlib.Path(__file__).resolve().parents[1] / "inputs"
capacity = yaml.safe_load((inputs / "accelerator.yaml").read_text())["memories"]["buffer"]["size"]
fused = [layer for layer in layers if "shared" in layer or "roles" in layer]
assert len(room) == len(fused) and 0 < max(room.values()) <= capacity, room
