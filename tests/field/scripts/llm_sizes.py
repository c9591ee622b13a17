"""A language model from ONNX whose nodes say their bits, one head of one block, multiplied up to the whole, as zigzag-llm does."""

import os
import pickle

from zigzag import api

PRODUCTS = {"key_proj": 4 * 12, "mul_qk_t": 12 * 12, "feedforward_expand": 12}


def simulate(stage):
    folder = f"outputs/decoder_{stage}"
    api.get_hardware_performance_zigzag(
        workload=f"inputs/{stage}.onnx", accelerator="inputs/hardware/generic.yaml", mapping="inputs/mapping/weights.yaml",
        opt="EDP", dump_folder=folder, pickle_filename=f"{folder}/cmes.pickle", nb_spatial_mappings_generated=3)
    with open(f"{folder}/cmes.pickle", "rb") as file:
        return pickle.load(file)


bits = {}
for stage in ("prefill", "decode"):
    cmes = simulate(stage)
    shown = [next(cme for cme in cmes if name in cme.layer.name) for name in PRODUCTS]
    whole = [cme * PRODUCTS[name] for name, cme in zip(PRODUCTS, shown)]
    for factor, one, many in zip(PRODUCTS.values(), shown, whole):
        assert abs(many.energy_total - factor * one.energy_total) <= 1e-9 * many.energy_total
        assert many.latency_total2 == factor * one.latency_total2
    bits[stage] = dict(shown[0].layer.operand_precision.data.items())
    assert os.path.exists(f"outputs/decoder_{stage}/overall_simple.json")
# The attributes of the nodes: weights of 4 bits, activations of 16, sums of 32.
assert {str(operand): size for operand, size in bits["prefill"].items()} == {"I": 16, "W": 4, "O": 32, "O_final": 16}, bits
