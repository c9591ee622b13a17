"""Stream's main script of 2025 for the genetic search: a fused network in stacks of layers, its pictures and trace."""

import json
import logging as _logging
import re

from stream.api import optimize_allocation_ga
from stream.utils import CostModelEvaluationLUT
from stream.visualization.memory_usage import plot_memory_usage
from stream.visualization.perfetto import convert_scme_to_perfetto_json
from stream.visualization.schedule import visualize_timeline_plotly

_logging.basicConfig(level=_logging.INFO)

accelerator = "stream/inputs/examples/hardware/quad_core.yaml"
workload = "stream/inputs/examples/workload/network.yaml"
experiment_id = f"{accelerator.split('/')[-1].split('.')[0]}-{re.split(r'/|[.]', workload)[-2]}-fused-genetic_algorithm"
scme = optimize_allocation_ga(
    hardware=accelerator, workload=workload, mapping="stream/inputs/examples/mapping/quad_core.yaml", mode="fused",
    layer_stacks=[tuple(range(0, 1)), (1,)], nb_ga_generations=4, nb_ga_individuals=4, experiment_id=experiment_id,
    output_path="outputs", skip_if_exists=False)
folder = f"outputs/{experiment_id}"
table = CostModelEvaluationLUT(f"{folder}/cost_lut.pickle")
visualize_timeline_plotly(scme, draw_dependencies=True, draw_communication=True, fig_path=f"{folder}/schedule.html", cost_lut=table)
plot_memory_usage(scme, (0,), (100,), fig_path=f"{folder}/memory.svg")
convert_scme_to_perfetto_json(scme, table, json_path=f"{folder}/scme.json")
with open(f"{folder}/scme.json") as file:
    assert json.load(file)
costs = [table.get_cme(node, core).energy_total for node in table.get_nodes() for core in table.get_cores(node)]
assert costs and min(costs) > 0
