"""ZigZag's main script: a network from the checkout's inputs, a pickle, bars, loops and stalls of ports."""

import os
import pickle
from datetime import datetime

from zigzag import api
from zigzag.cost_model.cost_model import CostModelEvaluation
from zigzag.visualization import bar_plot_cost_model_evaluations_breakdown, print_mapping

folder = f"outputs/{datetime.now()}"
pickle_filename = f"{folder}/cmes.pickle"
energy, latency, answers = api.get_hardware_performance_zigzag(
    workload="zigzag/inputs/workload/network.yaml", accelerator="zigzag/inputs/hardware/chip.yaml",
    mapping="zigzag/inputs/mapping/chip.yaml", opt="energy", dump_folder=folder, pickle_filename=pickle_filename)
print(f"{energy:.2e} pJ, {latency:.2e} cycles")

with open(pickle_filename, "rb") as file:
    cmes = pickle.load(file)
first: CostModelEvaluation = cmes[0]
bar_plot_cost_model_evaluations_breakdown(cmes[0:5], save_path=f"{folder}/breakdown.svg")
print_mapping(first)
for memory, ports in zip([level.memory_instance.name for level in first.mem_level_list], first.stall_slack_comb_collect):
    print(f"  {memory}: {ports}")
stall, onload, offload = (first.latency_total0 - first.ideal_temporal_cycle, first.latency_total1 - first.latency_total0,
                          first.latency_total2 - first.latency_total1)
assert first.ideal_temporal_cycle + stall + onload + offload == first.latency_total2
assert sum(cme.energy_total for cme in cmes) == energy and sum(cme.latency_total2 for cme in cmes) == latency
assert os.path.getsize(f"{folder}/breakdown.svg") > 1000
