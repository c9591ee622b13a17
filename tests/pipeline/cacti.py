"""A binary of CACTI, here one that plays it, answers for SRAM; and what leaks follows from its answer.

usage: cacti.py ZZ_HOST
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOST = pathlib.Path(sys.argv[1]).resolve()
# It is started in its own folder, with a configuration that ends with what was asked for: 8 KB, 8 bytes wide, 32 nm.
PROGRAM = """#!/usr/bin/env python3
import os, sys
assert sys.argv[1] == "-infile" and os.path.basename(os.getcwd()) == "cacti", (sys.argv, os.getcwd())
lines = open(sys.argv[2]).read().splitlines()
assert lines[0] == "-size (bytes) 1", lines
for wanted in ("-size (bytes) 8192", "-block size (bytes) 8", "-technology (u) 0.032", '-Data array cell type - "itrs-lstp"',
               "-output/input bus width 64", '-cache type "ram"'):
    assert wanted in lines, (wanted, lines)
open("starts", "a").write("x")
print("    Access time (ns): 0.5")
print("    Total dynamic read energy per access (nJ): 0.0025")
print("    Total dynamic write energy per access (nJ): 0.0035")
print("    Total leakage power of a bank (mW): 4")
print("    Cache height x width (mm): 0.2 x 0.3")
"""
STAGES = """  - AcceleratorParserStage
  - ComponentCostStage: {technology_node: 32, transistors: low_standby_power, cacti: cacti/cacti}
  - LeakageStage
"""


def prepare(folder):
    shutil.copytree(SOURCE / "tests/inputs", folder, dirs_exist_ok=True)
    accelerator = folder / "accelerator.yaml"
    accelerator.write_text(accelerator.read_text().replace("r_cost: 5\n    w_cost: 6\n    area: 0", "auto_cost_extraction: true"))
    pipeline = folder / "pipeline.yaml"
    pipeline.write_text(pipeline.read_text().replace("  - AcceleratorParserStage\n", STAGES))
    (folder / "cacti").mkdir()
    (folder / "cacti/cacti").write_text(PROGRAM)
    (folder / "cacti/cacti").chmod(0o755)
    (folder / "cacti/cache.cfg").write_text("-size (bytes) 1")


def run(folder):
    return subprocess.run([HOST, "pipeline.yaml"], cwd=folder, capture_output=True, text=True)


def energies(folder):
    return json.loads((folder / "out/first_complete.json").read_text())["outputs"]["energy"]


def without_area(text):
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("area:"))


def table(done):
    return done.stdout[:done.stdout.index("tried for each layer")]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prepare(folder)
    done = run(folder)
    assert done.returncode == 0, done.stderr
    assert "buffer: r_cost 2.5 pJ (2.5 to 2.5), w_cost 3.5 pJ (3.5 to 3.5), area 0.06 mm2" in done.stderr, done.stderr
    assert (folder / "cacti/starts").read_text() == "x"
    found = energies(folder)
    totals = json.loads((folder / "out/overall_simple.json").read_text())
    leaked = 4 * totals["latency"] * 0.5
    assert "leakage_energy [pJ]" in done.stdout and f" {leaked:.0f} " in done.stdout, done.stdout

    # The same costs typed in by hand.
    accelerator = folder / "accelerator.yaml"
    accelerator.write_text(accelerator.read_text().replace("auto_cost_extraction: true", "r_cost: 2.5\n    w_cost: 3.5\n    area: 0.06"))
    pipeline = folder / "pipeline.yaml"
    text = pipeline.read_text()
    pipeline.write_text(text.replace("  - LeakageStage\n", "  - LeakageStage: {leakage_power: 4, cycle_time: 0.5}\n"))
    again = run(folder)
    assert again.returncode == 0, again.stderr
    assert energies(folder) == found
    # CACTI answers with values alone: only the area is told besides.
    area = "area: 0.06 mm2\n"
    assert table(done).count(area) == 1 and without_area(table(again)) == without_area(table(done)), (done.stdout, again.stdout)
    assert (folder / "cacti/starts").read_text() == "x"
    found = energies(folder)
    totals = json.loads((folder / "out/overall_simple.json").read_text())
    leaked = 4 * totals["latency"] * 0.5
    assert "leakage_energy [pJ]" in done.stdout and f" {leaked:.0f} " in done.stdout, done.stdout

    # The same costs typed in by hand.
    accelerator = folder / "accelerator.yaml"
    accelerator.write_text(accelerator.read_text().replace("auto_cost_extraction: true", "r_cost: 2.5\n    w_cost: 3.5\n    area: 0.06"))
    pipeline = folder / "pipeline.yaml"
    text = pipeline.read_text()
    pipeline.write_text(text.replace("  - LeakageStage\n", "  - LeakageStage: {leakage_power: 4, cycle_time: 0.5}\n"))
    again = run(folder)
    assert again.returncode == 0, again.stderr
    assert energies(folder) == found
    # Costs that are typed in have no ranges, and those of CACTI each the value alone.
    area = "area: 0.06 mm2\n"
    assert table(done).count(area) == 1 and without_area(table(again)) == without_area(table(done)), (done.stdout, again.stdout)
    assert (folder / "cacti/starts").read_text() == "x"

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prepare(folder)
    (folder / "cacti/cacti").write_text("#!/bin/sh\necho ERROR: no such technology; exit 3\n")
    done = run(folder)
    assert done.returncode == 2 and "ended with 3" in done.stderr and "no such technology" in done.stderr, done.stderr
    (folder / "cacti/cache.cfg").unlink()
    done = run(folder)
    assert done.returncode == 2 and "cache.cfg is missing" in done.stderr, done.stderr
    (folder / "cacti/cacti").unlink()
    done = run(folder)
    assert done.returncode == 2 and "cacti" in done.stderr, done.stderr
