"""Figures behind zigzag-llm's pictures: energy by memory and operand, cycles by cause."""

from zigzag import api
from zigzag.visualization.results.plot_cme import bar_plot_cost_model_evaluations_breakdown

api.get_hardware_performance_zigzag(
    workload="inputs/prefill.onnx", accelerator="inputs/hardware/generic.yaml", mapping="inputs/mapping/weights.yaml", opt="EDP",
    dump_folder="outputs", pickle_filename="outputs/cmes.pickle")
_, _, ((_, layers),) = api.get_hardware_performance_zigzag(
    "inputs/prefill.onnx", "inputs/hardware/generic.yaml", "inputs/mapping/weights.yaml", opt="EDP")
cmes = [cme for cme, _ in layers]
bar_plot_cost_model_evaluations_breakdown(cmes, save_path="outputs/all_layers.svg")
for cme in cmes:
    told = cme.__jsonrepr__()["outputs"]["energy"]
    memories = sum(sum(told["memory_energy_breakdown_per_level"][operand]) for operand in ("W", "I", "O"))
    assert abs(told["operational_energy"] + memories - cme.energy_total) <= 1e-6 * cme.energy_total
    causes = [cme.ideal_cycle, cme.ideal_temporal_cycle - cme.ideal_cycle, cme.latency_total0 - cme.ideal_temporal_cycle,
              cme.latency_total1 - cme.latency_total0, cme.latency_total2 - cme.latency_total1]
    assert min(causes) >= 0 and abs(sum(causes) - cme.latency_total2) < 1e-6
