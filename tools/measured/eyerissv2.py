"""An element of Eyeriss v2: cycles of the layers of a pruned MobileNet (width 0.5, inputs of 128 x 128), as Sparseloop's artifact has them.

Eight layers come with sizes and densities. Of the others totals alone are given: their sizes are those of the network, the product
of their densities is what Sparseloop's total leaves of the operations. So zz repeats these totals, and says nothing of its own there.
"""
import functools

import runs
from points import Point

BITS = {"W": 8, "I": 8, "O": 20, "O_final": 8}
#: Channels and rows of the outputs of each pair of layers, by channel and by point.
PAIRS = [(16, 32, 64), (32, 64, 32), (64, 64, 32), (64, 128, 16), (128, 128, 16), (128, 256, 8), *[(256, 256, 8)] * 5, (256, 512, 4), (512, 512, 4)]


@functools.cache
def network():
    """Sizes of loops by layer."""
    made = [{"B": 1, "K": 16, "C": 3, "OY": 64, "OX": 64, "FY": 3, "FX": 3}]
    for before, behind, rows in PAIRS:
        made += [{"B": 1, "G": before, "OY": rows, "OX": rows, "FY": 3, "FX": 3}, {"B": 1, "K": behind, "C": before, "OY": rows, "OX": rows}]
    return {f"L{number:02}": sizes for number, sizes in enumerate([*made, {"B": 1, "K": 1000, "C": 512}], 1)}


def operations(sizes):
    total = 1
    for size in sizes.values():
        total *= size
    return total


def densities(row):
    if row["density_inputs"]:
        return {"I": float(row["density_inputs"]), "W": float(row["density_weights"])}
    return {"I": 1.0, "W": int(row["cycles_sparseloop"]) / operations(network()[row["layer"]])}


def layer(row):
    sizes = network()[row["layer"]]
    if row["M"]:
        sizes = {"B": 1, "K": int(row["M"]), "C": int(row["C"]), "OY": int(row["E"]), "OX": int(row["F"])}
    data = "[iy][ix]" if "FY" in sizes else "[oy][ox]" if "OY" in sizes else ""
    weights = "".join(f"[{loop.lower()}]" for loop in ("G", "K", "C", "FY", "FX") if loop in sizes)
    inputs = "".join(f"[{loop.lower()}]" for loop in ("B", "G", "C") if loop in sizes) + data
    outputs = "".join(f"[{loop.lower()}]" for loop in ("B", "G", "K", "OY", "OX") if loop in sizes)
    relations = ["ix=1*ox+1*fx", "iy=1*oy+1*fy"] if "FY" in sizes else []
    made = runs.layer("Conv", f"O{outputs}+=W{weights}*I{inputs}", sizes, BITS, relations)
    made["sparsity"] = {operand: {"density": density} for operand, density in densities(row).items()}
    return made, {"spatial_mapping": {}, "temporal_ordering": [[loop, size] for loop, size in sizes.items() if size > 1]}


def points(rows):
    for row, evaluation in runs.evaluated(rows, runs.machine("eyerissv2_pe"), layer, runs.PRESCRIBED):
        cycles, dense = evaluation["array_cycle"], operations(network()[row["layer"]])
        yield Point("all", row["layer"], float(row["cycles_measured"]), cycles, dense)
        if row["M"]:
            yield Point("sizes", row["layer"], float(row["cycles_measured"]), cycles, dense)
            yield Point("sparseloop", row["layer"], float(row["cycles_sparseloop"]), cycles, dense)
