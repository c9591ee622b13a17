"""usage: blocks_on_one_core.py ZZ_HOST

A machine of one core by the model for several gives layers with numbers in blocks the energies that the core has alone, and each
tensor with its scales crosses to off-chip memory once.
"""
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import yaml

host = pathlib.Path(sys.argv[1]).resolve()
inputs = pathlib.Path(__file__).resolve().parent.parent / "inputs"
SINGLE = """
version: 1
parameters: {workload: stream_workload.yaml, accelerator: stream_core.yaml, mapping: alone_mapping.yaml, loma_lpf_limit: 6, dump_folder: alone}
stages: [WorkloadParserStage, AcceleratorParserStage, WorkloadStage, CompleteSaveStage, STAGES]
"""
# Several of the mappings of least latency have other energies.
STAGES = "MinimalEnergyStage, SpatialMappingGeneratorStage, MinimalEnergyStage, LomaStage, CostModelStage"
# As the dataflows of the core say for each of several.
UNROLLED = """
- name: default
  memory_operand_links: {O: O, W: I2, I: I1}
  spatial_mapping: {D1: ["K, 4"], D2: ["C, 4"]}
"""
WIDTH = 1024
# The files of tests/inputs have O[b][k][oy][ox] += W[k][c] * I[b][c][iy][ix]; sizes of the first and the second layer:
PIXELS, SIZES = 16, {"first": (8, 4), "second": (4, 8)}


def run(folder, pipeline, *more):
    done = subprocess.run([host, pipeline, *more], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def bits_of(rows, length, kind):
    """Rows of numbers in blocks, with a scale for each block that begins in a row."""
    return rows * (length * kind["bits"] + math.ceil(length / kind["scale"]["every"]) * kind["scale"]["bits"])


def words(bits, width):
    return math.ceil(bits / width)


def check(folder, seed):
    pick = random.Random(seed).choice
    kind = lambda: {"bits": pick([4, 6, 8]), "scale": {"bits": pick([4, 8, 16]), "every": pick([2, 3, 4, 8])}}
    # The tensor between both layers has one type.
    weights, between = {name: kind() for name in SIZES}, kind()
    layers = yaml.safe_load((inputs / "stream_workload.yaml").read_text())
    for layer in layers:
        layer["operand_precision"] = {"W": weights[layer["name"]], "I": between, "O": 32, "O_final": between}
    (folder / "stream_workload.yaml").write_text(yaml.safe_dump(layers))
    run(folder, "stream.yaml", "--set", "hint_loops=[]", "--set", f"IntraCoreMappingStage.stages=[{STAGES}]")
    run(folder, "alone.yaml")
    schedule = json.loads((folder / "out/schedule_complete.json").read_text())
    on_chip = 0
    for layer in schedule["layers"]:
        alone = json.loads((folder / f"alone/{layer['layer']}_complete.json").read_text())["outputs"]
        assert alone["energy"]["energy_total"] == layer["energy_total"], (seed, layer, alone["energy"])
        on_chip += layer["energy_total"]
    assert schedule["energy_breakdown"]["total_cn_onchip_energy"] == on_chip, (seed, on_chip)

    # Weights and the first input come, and the last output goes: at 10 pJ for 64 bits off-chip, 0.5 on the link, and 200 to write
    # and 100 to read a word in the core.
    come = [bits_of(k, c, weights[name]) for name, (k, c) in SIZES.items()] + [bits_of(PIXELS, SIZES["first"][1], between)]
    go = bits_of(PIXELS, SIZES["second"][0], between)
    expected = on_chip + sum(10.5 * words(bits, 64) + 200 * words(bits, WIDTH) for bits in come) + 10.5 * words(go, 64) + 100 * words(go, WIDTH)
    assert abs(schedule["energy"] - expected) < 1e-9 * expected, (seed, schedule["energy"], expected)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for path in inputs.iterdir():
        shutil.copy(path, folder)
    mapping = folder / "stream_mapping.yaml"
    mapping.write_text(mapping.read_text().replace("[0, 1]", "[0]"))
    (folder / "alone_mapping.yaml").write_text(UNROLLED)
    # Parts of a word cost parts of its access.
    core = folder / "stream_core.yaml"
    core.write_text(core.read_text().replace("bandwidth_min: 256", "bandwidth_min: 1").replace("bandwidth_max: 256", f"bandwidth_max: {WIDTH}")
                    .replace("r_cost: 1\n", "r_cost: 100\n").replace("w_cost: 2\n", "w_cost: 200\n"))
    (folder / "alone.yaml").write_text(SINGLE.replace("STAGES", STAGES))
    for seed in range(8):
        check(folder, seed)
print("the same")
