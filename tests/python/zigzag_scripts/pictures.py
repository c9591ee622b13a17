"""Plots and prints of what a call gave, as in tutorials."""

import os
import sys

from zigzag.api import get_hardware_performance_zigzag
from zigzag.mapping.utils import get_memory_names, get_spatial_loops, get_temporal_loops
from zigzag.visualization import visualize_memory_hierarchy_graph
from zigzag.visualization.results.plot_cme import bar_plot_cost_model_evaluations_breakdown
from zigzag.visualization.results.print_mapping import print_mapping

inputs, outputs = sys.argv[1:]
energy, latency, results = get_hardware_performance_zigzag(
    f"{inputs}/workload.yaml", f"{inputs}/accelerator.yaml", f"{inputs}/mapping.yaml", dump_folder=outputs)
cmes = [result[0] for result in results[0][1]]
bar_plot_cost_model_evaluations_breakdown(cmes[0:5], save_path=os.path.join(outputs, "breakdown.png"))
visualize_memory_hierarchy_graph(cmes[0].accelerator.memory_hierarchy, save_path=os.path.join(outputs, "hierarchy.svg"))
print_mapping(results[0][0])
print_mapping(cmes[0], offsets=3)
loops = get_temporal_loops(cmes[0])
product = 1
for _, (_, size), memories in loops + get_spatial_loops(cmes[0]):
    product *= size
    assert set(memories) <= {*get_memory_names(cmes[0]), ""}
assert product == cmes[0].layer.total_mac_count
