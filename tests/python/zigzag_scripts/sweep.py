"""Sizes of a memory and criteria, as a table of pandas."""

import sys

import pandas

from zigzag.api import get_hardware_performance_zigzag
from zigzag.utils import open_yaml

inputs, outputs = sys.argv[1:]
rows = []
for size in (64, 4096):
    accelerator = open_yaml(f"{inputs}/accelerator.yaml")
    accelerator["memories"][next(iter(accelerator["memories"]))]["size"] = size
    for opt in ("energy", "latency", "EDP"):
        energy, latency, results = get_hardware_performance_zigzag(
            open_yaml(f"{inputs}/workload.yaml"), accelerator, f"{inputs}/mapping.yaml", opt=opt,
            dump_folder=f"{outputs}/{size}-{opt}", loma_show_progress_bar=False, lpf_limit=5)
        rows.append({"size": size, "opt": opt, "energy": energy, "latency": latency,
                     **{f"energy of {operand}": sum(levels)
                        for operand, levels in results[0][0].mem_energy_breakdown.items()}})
table = pandas.DataFrame(rows).set_index(["size", "opt"])
for size in (64, 4096):
    assert table.loc[(size, "energy"), "energy"] == table.loc[size]["energy"].min()
    assert table.loc[(size, "latency"), "latency"] == table.loc[size]["latency"].min()
print(table.to_string())
