"""usage: inner_fusion.py ZZ_HOST

With inner_fusion, nodes that follow each other on a core exchange tensors in a memory below its topmost one: the energy falls by
what is told, and nothing else of the schedule changes. A core without such a memory is told of, and nothing changes.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
inputs = pathlib.Path(__file__).resolve().parent.parent / "inputs"
LOCAL = """
  local:
    size: 4096
    r_cost: 0.25
    w_cost: 0.5
    area: 0
    latency: 1
    operands: [I1, O]
    ports:
      - {name: r_port_1, type: read, bandwidth_min: 256, bandwidth_max: 256, allocation: ["I1, tl", "O, tl", "O, th"]}
      - {name: w_port_1, type: write, bandwidth_min: 256, bandwidth_max: 256, allocation: ["I1, fh", "O, fl", "O, fh"]}
    served_dimensions: [D1, D2]

  sram:"""
SAME = ("latency", "cns_sha256", "transfers_sha256", "memory_traces", "links")


def run(folder, dump_folder, *more):
    done = subprocess.run([host, "stream.yaml", "--set", f"dump_folder={dump_folder}", *more], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / dump_folder / "schedule_complete.json").read_text()), done.stderr


def fused(folder, dump_folder, *more):
    return run(folder, dump_folder, "--set", "IntraCoreMappingStage.inner_fusion=true", *more)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for path in inputs.iterdir():
        shutil.copy(path, folder)
    # Rows of the second layer are those of the first one; on one core each follows the one that it reads.
    mapping = folder / "stream_mapping.yaml"
    mapping.write_text(mapping.read_text().replace("[0, 1]", "[0]"))

    without, _ = run(folder, "without")
    none, warned = fused(folder, "none")
    assert "'inner_fusion' changes nothing: no core has a memory for outputs and inputs" in warned, warned
    assert none == without and "exchanges" not in none

    core = folder / "stream_core.yaml"
    core.write_text(core.read_text().replace("\n  sram:", LOCAL))
    without, _ = run(folder, "local")
    exchanged, warned = fused(folder, "exchanged")
    assert "changes nothing" not in warned, warned
    assert exchanged["exchanges"] and all(row[3] == "local" for row in exchanged["exchanges"]), exchanged["exchanges"]
    saved = exchanged["metrics"]["inner_fusion_saved"]
    assert saved > 0 and abs(without["energy"] - exchanged["energy"] - saved) < 1e-9 * without["energy"], (without["energy"], saved)
    assert exchanged["metrics"]["inner_fusion_tensors"] == len({tuple(row[0]) for row in exchanged["exchanges"]})
    for key in SAME:
        assert without[key] == exchanged[key], key

    # Costs of exchanges are kept, too.
    kept = ("--set", "node_hw_performances_path=costs.zz")
    fused(folder, "first", *kept)
    again, _ = fused(folder, "again", *kept)
    assert again["energy"] == exchanged["energy"] and again["exchanges"] == exchanged["exchanges"]

    # Numbers in blocks stay where they are, and a line names the layer.
    workload = folder / "stream_workload.yaml"
    text = workload.read_text()
    block = "{bits: 8, scale: {bits: 8, every: 8}}"
    assert text.count("{W: 8, I: 8, O: 16, O_final: 8}") == 2
    text = text.replace("O: 16, O_final: 8", f"O: 32, O_final: {block}", 1)
    first, second = text.split("name: second")
    workload.write_text(first + "name: second" + second.replace("I: 8", f"I: {block}", 1))
    without, _ = run(folder, "blocks")
    left, warned = fused(folder, "blocks_left")
    assert "'inner_fusion' leaves the results of 1 layer where they are, as numbers in blocks" in warned and "'first'" in warned, warned
    assert left["energy"] == without["energy"] and "exchanges" not in left
print("exchanged")
