"""Labs of ZigZag's tutorial: one layer on chips that differ, prescribed and free unrollings, and what pictures show."""

import os
import sys

sys.path.insert(0, ".")
import logging as _logging

from zigzag.api import get_hardware_performance_zigzag
from zigzag.utils import pickle_load
from zigzag.visualization import bar_plot_cost_model_evaluations_breakdown, print_mapping
from zigzag.visualization.graph.memory_hierarchy import visualize_memory_hierarchy_graph
from zigzag.visualization.results.plot_cme import bar_plot_cost_model_evaluations_total

_logging.basicConfig(level=_logging.INFO, format="%(asctime)s - %(levelname)s - %(message)s")

every = []
for lab, mapping in (("lab1", "zigzag/inputs/mapping/chip.yaml"), ("lab2", "zigzag/inputs/mapping/open.yaml")):
    folder = f"{lab}/outputs"
    energy, latency, _ = get_hardware_performance_zigzag(
        workload="zigzag/inputs/workload/network.yaml", accelerator="zigzag/inputs/hardware/chip.yaml", mapping=mapping,
        opt="latency", dump_folder=folder, pickle_filename=f"{folder}/list_of_cmes.pickle", nb_spatial_mappings_generated=2)
    cmes = pickle_load(f"{folder}/list_of_cmes.pickle")
    assert (sum(cme.energy_total for cme in cmes), sum(cme.latency_total2 for cme in cmes)) == (energy, latency)
    visualize_memory_hierarchy_graph(cmes[0].accelerator.memory_hierarchy, save_path=f"{folder}/mem_hierarchy.svg")
    bar_plot_cost_model_evaluations_breakdown(cmes, save_path=f"{folder}/breakdown.svg")
    for cme in cmes:
        print_mapping(cme)
        assert 0 < cme.mac_utilization2 <= cme.mac_spatial_utilization <= 1
    every.append((cmes[0], latency))
bar_plot_cost_model_evaluations_total([cme for cme, _ in every], labels=["lab1", "lab2"], save_path="total.svg")
assert os.path.getsize("total.svg") > 1000
