"""A lab of Stream's tutorial: layer by layer on a machine whose cores are joined by more than one bus."""

import os
import re
import sys

sys.path.insert(0, ".")
from zigzag.utils import pickle_load

from stream.api import optimize_allocation_ga
from stream.utils import CostModelEvaluationLUT
from stream.visualization.memory_usage import plot_memory_usage
from stream.visualization.perfetto import convert_scme_to_perfetto_json

workload, accelerator = "lab1/inputs/workload/network.yaml", "lab1/inputs/hardware/two_buses.yaml"
name = re.split(r"/|\.", accelerator)[-2]
experiment_id = f"{name}-lbl-genetic_algorithm"
folder = f"lab1/outputs/{experiment_id}"
for again in range(2):
    if not os.path.exists(f"{folder}/scme.pickle"):
        scme = optimize_allocation_ga(
            hardware=accelerator, workload=workload, mapping="lab1/inputs/mapping/mapping.yaml", mode="lbl", layer_stacks=None,
            nb_ga_generations=4, nb_ga_individuals=4, experiment_id=experiment_id, output_path="lab1/outputs",
            skip_if_exists=True)
    else:
        again = pickle_load(f"{folder}/scme.pickle")
        assert (again.latency, again.energy) == (scme.latency, scme.energy)
table = CostModelEvaluationLUT(f"{folder}/cost_lut.pickle")
plot_memory_usage(scme, (0,), (100,), fig_path=f"{folder}/memory.svg", show_dram=True)
convert_scme_to_perfetto_json(scme, table, json_path=f"{folder}/scme.json")
nodes = sorted(scme.workload.node_list, key=lambda node: node.start)
assert nodes[-1].end <= scme.latency and {node.chosen_core_allocation for node in nodes} <= {0, 1}
assert sorted(os.listdir(folder)) == ["cost_lut.pickle", "memory.svg", "scme.json", "scme.pickle"]
