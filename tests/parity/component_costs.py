"""The forms of core/components against published points: CACTI's SRAM, and the converters' survey.

usage: component_costs.py ZZ_HOST

The points lie in ../shared/ledger beside the checkout. Judged are those that tools/fit_components keeps back: it is the same half here,
and what the program says is asked of the program. The coefficients must be those that the tool finds.
"""
import csv
import json
import pathlib
import runpy
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOST = pathlib.Path(sys.argv[1]).resolve()
LEDGER = SOURCE.parent / "shared/ledger"
TOOL = SOURCE / "tools/fit_components"
TRANSISTORS = {"itrs-hp": "high_performance", "itrs-lstp": "low_standby_power"}
# Figure, share of points, and how far from them at most.
FLOORS = [("energy", 2 / 3, 0.25), ("energy", 0.9, 0.5), ("write_energy", 0.9, 0.25), ("area", 0.9, 0.25), ("leakage", 0.9, 0.25),
          ("access_time", 0.9, 0.25)]
COLUMNS = {"energy": "read_energy_pJ", "write_energy": "write_energy_pJ", "area": "area_mm2", "leakage": "leakage_mW_per_bank",
           "access_time": "access_time_ns"}


def answer(row):
    done = subprocess.run([HOST, "cost", "sram", "--size", str(8 * int(row["size_bytes"])), "--width", row["width_bits"],
                           "--node", row["technology_nm"], "--transistors", TRANSISTORS[row["cell"]], "--format=json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


if not (LEDGER / "cacti7_sram.csv").exists():
    print(f"skipped: no published points at {LEDGER}")
    sys.exit(77)
complaints = []
half = runpy.run_path(str(TOOL))["Sram"].half
rows = [row for row in csv.DictReader(open(LEDGER / "cacti7_sram.csv")) if half(row) == 1]
answers = [answer(row) for row in rows]
for figure, share, most in FLOORS:
    ratios = [one[figure]["value"] / float(row[COLUMNS[figure]]) for one, row in zip(answers, rows)]
    near = sum(abs(ratio - 1) <= most for ratio in ratios) / len(ratios)
    print(f"{figure}: {near:.0%} of {len(rows)} points within {most:.0%}")
    if near < share:
        complaints.append(f"{figure}: {near:.1%} of the points are within {most:.0%}; it must be {share:.1%}")
for figure, column in COLUMNS.items():
    inside = sum(one[figure]["low"] <= float(row[column]) <= one[figure]["high"] for one, row in zip(answers, rows)) / len(rows)
    if inside < 0.9:
        complaints.append(f"{figure}: {inside:.1%} of the points are in the range that is told; nine in ten must be")
if any(one["standing"] != "fitted" for one in answers):
    complaints.append("points inside of what is fitted are not told to be")
fit = subprocess.run([sys.executable, TOOL, "--data", LEDGER, "--check"], capture_output=True, text=True)
if fit.returncode != 0:
    complaints.append(f"tools/fit_components: {fit.stdout}{fit.stderr}")
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
