"""Eyeriss: processing time of the chip by layer, and the energies of the analysis before it."""
import pathlib

import runs
from points import Point

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
BITS = {"W": 16, "I": 16, "O": 16, "O_final": 16}
CORE_MHZ = 200
MAC_ENERGY = 0.9  # pJ, of configs/accelerators/eyeriss_like.yaml


def machine():
    return runs.read(CONFIGS / "accelerators/eyeriss_like.yaml")


def shipped_mapping():
    """That of convolutions."""
    return next(entry for entry in runs.read(CONFIGS / "mappings/eyeriss_like.yaml") if entry["name"] == "default")


def grouped_convolution(sizes, stride):
    return runs.layer("Conv", "O[b][g][k][oy][ox]+=W[g][k][c][fy][fx]*I[b][g][c][iy][ix]", sizes, BITS,
                      [f"ix={stride}*ox+1*fx", f"iy={stride}*oy+1*fy"])


def mapped(sizes, stride):
    return grouped_convolution(sizes, stride), {"spatial_mapping": shipped_mapping()["spatial_mapping"]}


def chip_layer(row):
    groups = int(row["groups"])
    return mapped({"B": int(row["batch"]), "G": groups, "K": int(row["K"]) // groups, "C": int(row["C_per_group"]),
                   **{loop: int(row[loop]) for loop in ("OY", "OX", "FY", "FX")}}, row["stride"])


def jssc17_points(rows):
    """Cycles of processing at 200 MHz, without loading from DRAM: the mapping as shipped, its loops ordered for least latency."""
    search = ["SpatialMappingGeneratorStage", {"LomaStage": {"loma_lpf_limit": 6}}]
    for row, evaluation in runs.evaluated(rows, machine(), chip_layer, search):
        yield Point(row["network"], row["layer"], float(row["processing_latency_ms"]) * CORE_MHZ * 1000, evaluation["latency_total2"],
                    runs.roofline(evaluation))


#: Layers of AlexNet as the analysis has them: K of a group, C of a group, OY = OX, FY = FX, stride, groups. fc1 sees 6 x 6 inputs.
ALEXNET = {"conv1": (96, 3, 55, 11, 4, 1), "conv2": (128, 48, 27, 5, 1, 2), "conv3": (384, 256, 13, 3, 1, 1), "conv4": (192, 192, 13, 3, 1, 2),
           "conv5": (128, 192, 13, 3, 1, 2), "fc1": (4096, 256, 1, 6, 1, 1), "fc2": (4096, 4096, 1, 1, 1, 1), "fc3": (1000, 4096, 1, 1, 1, 1)}


def analysed_layer(row):
    k, c, output, kernel, stride, groups = ALEXNET[row["layer"]]
    return mapped({"B": int(row["batch"]), "G": groups, "K": k, "C": c, "OY": output, "OX": output, "FY": kernel, "FX": kernel}, stride)


def isca16_points(rows):
    """Energies in 1e9 MAC energies, with the two decimals of the source: the mapping as shipped, its loops ordered for least
    energy. Every read of a scratchpad counts."""
    search = ["SpatialMappingGeneratorStage", {"OptimalTemporalMappingStage": {"objective": "energy", "time_limit": 20}}]
    found = runs.evaluated(rows, machine(), analysed_layer, search, "MinimalEnergyStage", access_same_data_considered_as_no_access=False)
    for row, evaluation in found:
        memories = [(level["memory"], level["energy"]) for operand in evaluation["operands"] for level in operand["levels"]]
        energies = {"alu": evaluation["mac_energy"], "dram": sum(energy for name, energy in memories if name == "dram"),
                    "rf": sum(energy for name, energy in memories if name.endswith("scratchpad"))}
        for part, energy in energies.items():
            yield Point(part, row["layer"], float(row[part + "_e9"]), round(energy / MAC_ENERGY / 1e9, 2))
