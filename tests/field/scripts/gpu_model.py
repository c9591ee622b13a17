"""A model of a GPU: ports of one name and ports that serve the same, a template filled by annealing over unit counts."""

import math
import pathlib
import random
import re

from zigzag import api

random.seed(7)


def evaluate(state):
    text = pathlib.Path("inputs/template.yaml").read_text()
    for token, value in zip(("D1_UNITS", "D2_UNITS"), state):
        text = re.sub(rf"\b{token}\b", str(value), text)
    pathlib.Path("to_test.yaml").write_text(text)
    _, latency, ((_, ((cme, _),)),) = api.get_hardware_performance_zigzag(
        workload="inputs/gemm_layer.yaml", accelerator="to_test.yaml", mapping="inputs/mapping.yaml", opt="latency",
        dump_folder="outputs")
    assert latency == cme.latency_total2 >= cme.ideal_temporal_cycle
    return latency


state, best = (4, 4), None
for step in range(4):
    latency = evaluate(state)
    best = min(best, (latency, state)) if best else (latency, state)
    if random.random() < math.exp(-step):
        state = {(4, 4): (2, 8), (2, 8): (8, 2), (8, 2): (4, 4)}[state]
print("best", best)
