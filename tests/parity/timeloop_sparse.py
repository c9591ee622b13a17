"""The sparse designs of timeloop-accelergy-exercises against what Timeloop says of them.

usage: timeloop_sparse.py REPOSITORY [--energies]

REPOSITORY is a checkout of github.com/Accelergy-Project/timeloop-accelergy-exercises, whose designs come with Timeloop's outputs.
Prints a table of cycles and operations, and with --energies one of the energies of each memory [pJ]. Ends with 1 where operations or
the cycles of the units are not those that docs/other-tools.md explains.
"""
import math
import pathlib
import re
import sys

try:
    import zz
except ImportError:
    print("no package zz: skipped")
    sys.exit(77)

DESIGNS = "workspace/example_designs/example_designs/sparseloop"
STAGES = ["TimeloopStage", "WorkloadStage", "SpatialMappingConversionStage", "TemporalOrderingConversionStage", "CostModelStage"]


def told(statistics):
    """What Timeloop's file says: {"cycles", "of_units", "operations", "energies": {(memory, data space): pJ}}."""
    levels = re.split(r"\n=== (\w+) ===\n", statistics)
    made = {"energies": {}}
    for name, text in zip(levels[1::2], levels[2::2]):
        parts = re.split(r"\n    (\w+):\n", text)
        for space, body in zip(parts[1::2], parts[2::2]):
            energy = re.search(r"Energy \(total\) +: ([\d.]+) pJ", body)
            if energy:
                made["energies"][name, space] = float(energy.group(1))
        if "Compute energy" in text:
            made["of_units"] = int(re.search(r"Cycles +: (\d+)", text).group(1))
            computes = re.search(r"(?:Actual )?Computes \(total\) +: (\d+)", text)
            made["operations"] = int(re.search(r"Actual Computes \(total\) +: (\d+)", text).group(1)) if "Actual" in text else int(computes.group(1))
    made["cycles"] = int(re.findall(r"\nCycles: (\d+)", statistics)[-1])
    return made


def of_units(design):
    """What zz says of the design under its mapping, or else under that which Timeloop's mapper found."""
    outputs = design / "ref_outputs/default_problem"
    mapping = design / "mapping.yaml"
    mapping = mapping if mapping.exists() else outputs / "timeloop-mapper.map.yaml"
    [result] = zz.run(STAGES, problem=design / "problem.yaml", architecture=design / "arch.yaml", energies=outputs / "timeloop-mapper.ERT.yaml",
                      timeloop_mapping=mapping, log_level=4)
    made = result.evaluation.to_python()
    unit = made["accelerator"]["operational_array"]["unit_energy"]
    return {"array": made["array_cycle"], "latency": made["latency_total2"], "operations": made["mac_energy"] / unit,
            "energies": {(level["memory"], operand["operand"]): level["energy"] for operand in made["operands"] for level in operand["levels"]}}


def operands(names):
    """Data spaces that zz calls W, I and O: in these files weights, or B, and so on."""
    return {name: "O" if name in ("Z", "Outputs") else "W" if name in ("Weights", "B") else "I" for name in names}


def main():
    designs = pathlib.Path(sys.argv[1]) / DESIGNS
    with_energies = "--energies" in sys.argv[2:]
    if not designs.is_dir():
        print(f"skipped, not there: {designs}")
        return 77
    print("| design | Timeloop: cycles, of its units, operations | zz: cycles of the array, latency, operations |\n|---|---|---|")
    wrong, energies = [], []
    for design in sorted(designs.iterdir()):
        theirs, ours = told((design / "ref_outputs/default_problem/timeloop-mapper.stats.txt").read_text()), of_units(design)
        print(f"| {design.name} | {theirs['cycles']:,}, {theirs['of_units']:,}, {theirs['operations']:,} "
              f"| {ours['array']:,.2f}, {ours['latency']:,.2f}, {ours['operations']:,.2f} |")
        # Timeloop rounds counts of an instance up.
        if not 0 <= theirs["operations"] - ours["operations"] < 1 + 1e-4 * ours["operations"]:
            wrong.append(f"{design.name}: {ours['operations']} operations, Timeloop has {theirs['operations']}")
        gating = "gating" in (design / "arch.yaml").read_text() or "SUDU" in design.name
        if not gating and not math.ceil(ours["array"] - 1e-6) - 1 <= theirs["of_units"] <= math.ceil(ours["array"] - 1e-6) + 1:
            wrong.append(f"{design.name}: {ours['array']} cycles of the array, Timeloop has {theirs['of_units']}")
        known = operands({space for _, space in theirs["energies"]})
        for (memory, space), energy in theirs["energies"].items():
            energies.append((design.name, memory, space, energy, ours["energies"].get((memory, known[space]), math.nan)))
    if with_energies:
        print("\n| design | memory | data space | Timeloop [pJ] | zz [pJ] |\n|---|---|---|---:|---:|")
        for name, memory, space, theirs, ours in energies:
            print(f"| {name} | {memory} | {space} | {theirs:,.2f} | {ours:,.2f} |")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
