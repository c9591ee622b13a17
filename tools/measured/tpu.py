"""A TPU v6e: times of the products of a language model's layers, measured by others.

The mapping is the plain one of a compiler for weight-stationary arrays: all inputs come into the vector memory, and weights stream
through it, each tile of them once. The first results must wait until the inputs are there.
"""
import runs
import zz
from points import Point

MACHINE = runs.MACHINES.parents[2] / "configs/accelerators/tpu_v6e.yaml"
BITS = {"W": 16, "I": 16, "O": 32, "O_final": 16}
#: Read off the half of the rows that is not kept back, to the mapping below: `efficiency` of the array, and of the port of the HBM.
EFFICIENCY = {"array": 0.88, "hbm": 0.91}
#: The same for a roofline: shares of the peak and of the bandwidth.
ROOFLINE = (0.8, 0.91)


def machine(calibrated):
    made = runs.read(MACHINE)
    if calibrated:
        made["operational_array"]["efficiency"] = EFFICIENCY["array"]
        for port in made["memories"]["hbm"]["ports"]:
            port["efficiency"] = EFFICIENCY["hbm"]
    return made


def layer(row):
    sizes = {"B": int(row["tokens"]), "C": int(row["C"]), "K": int(row["K"])}
    units = {loop: min(512, sizes[loop]) for loop in ("C", "K")}
    order = [["B", sizes["B"]], *([loop, -(-sizes[loop] // units[loop])] for loop in ("C", "K"))]
    return (runs.layer("Gemm", "O[b][k]+=I[b][c]*W[c][k]", sizes, BITS),
            {"spatial_mapping": {"D1": [f"K, {units['K']}"], "D2": [f"C, {units['C']}"]},
             "temporal_ordering": [entry for entry in order if entry[1] > 1]})


def points(rows):
    """Nanoseconds of the rows whose name says what ran."""
    rows = [row for row in rows if row["kind"] == "product" and row["in_domain"] == "1"]
    for part, calibrated in (("published", False), ("calibrated", True)):
        found = runs.evaluated(rows, machine(calibrated), layer, runs.PRESCRIBED, ignore_capacity=True)
        for row, evaluation in found:
            period = evaluation["accelerator.clock_period"]
            operations, data = zz._zz.roofline(evaluation)
            peak, bandwidth = ROOFLINE
            yield Point(part, "{layer} {tokens} x {C} x {K}".format(**row), float(row["measured_ns"]), evaluation["latency_total2"] * period,
                        max(operations, data) * period, max(operations / peak, data / bandwidth) * period)
