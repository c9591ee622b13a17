"""A genetic search with Stream's API, and its pictures."""

import os
import sys

from stream.api import optimize_allocation_ga
from stream.utils import CostModelEvaluationLUT
from stream.visualization.memory_usage import plot_memory_usage
from stream.visualization.perfetto import convert_scme_to_perfetto_json
from stream.visualization.schedule import plot_timeline_brokenaxes, visualize_timeline_plotly
from zigzag.utils import pickle_load

inputs, outputs = sys.argv[1:]
experiment_id = "small-fused-genetic_algorithm"
scme = optimize_allocation_ga(
    hardware=f"{inputs}/stream_accelerator.yaml",
    workload=f"{inputs}/stream_workload.yaml",
    mapping=f"{inputs}/stream_mapping.yaml",
    mode="fused",
    layer_stacks=[(0, 1)],
    nb_ga_generations=4,
    nb_ga_individuals=4,
    experiment_id=experiment_id,
    output_path=outputs,
    skip_if_exists=True,
)
folder = f"{outputs}/{experiment_id}"
cost_lut = CostModelEvaluationLUT(f"{folder}/cost_lut.pickle")
for node in cost_lut.get_nodes():
    for core in cost_lut.get_cores(node):
        assert cost_lut.get_cme(node, core).energy_total > 0
plot_memory_usage(scme, (0,), (100,), fig_path=f"{folder}/memory.svg", show_dram=True)
plot_timeline_brokenaxes(scme, True, (0, 50), (40, 40), True, fig_path=f"{folder}/timeline.svg")
visualize_timeline_plotly(scme, draw_dependencies=True, fig_path=f"{folder}/schedule.html", cost_lut=cost_lut)
convert_scme_to_perfetto_json(scme, cost_lut, json_path=f"{folder}/scme.json")
assert pickle_load(f"{folder}/scme.pickle").latency == scme.latency
assert max(node.get_end() for node in scme.workload.node_list) <= scme.latency
assert {node.chosen_core_allocation for node in scme.workload.node_list} <= {0, 1}
print(len(scme.workload.node_list), scme.latency, scme.energy, sorted(os.listdir(folder)))
