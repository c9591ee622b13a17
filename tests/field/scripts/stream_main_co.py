"""Stream's main script of 2025 for constrained optimisation: `mode`, stacks of layers, a core file off chip, a table of costs."""

import os

from zigzag.datatypes import LayerOperand

from stream.api import optimize_allocation_co
from stream.utils import CostModelEvaluationLUT
from stream.visualization.memory_usage import plot_memory_usage
from stream.visualization.perfetto import convert_scme_to_perfetto_json

experiment_id = "quad_core-two_layers-fused-constraint_optimization"
scme = optimize_allocation_co(
    hardware="stream/inputs/examples/hardware/quad_core_offchip.yaml", workload="stream/inputs/testing/workload/two_layers.onnx",
    mapping="stream/inputs/examples/mapping/quad_core.yaml", mode="fused", layer_stacks=[(0, 1)], experiment_id=experiment_id,
    output_path="outputs", skip_if_exists=True)
folder = f"outputs/{experiment_id}"
assert os.path.exists(f"{folder}/cost_lut_post_co.pickle")
table = CostModelEvaluationLUT(f"{folder}/cost_lut_post_co.pickle")
plot_memory_usage(scme, (0,), (100,), fig_path=f"{folder}/memory.svg")
convert_scme_to_perfetto_json(scme, table, json_path=f"{folder}/scme.json")
assert scme.latency > 0 and scme.energy > 0
# Elements of 8 bits, as Stream then counted whatever the types of the file.
assert table.get_nodes()[0].operand_precision[LayerOperand("W")] == 8
