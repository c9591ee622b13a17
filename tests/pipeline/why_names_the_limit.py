"""What `zz-host why` names first is what a change of the machine confirms, and the table says the same without a search.

usage: why_names_the_limit.py ZZ_HOST [CHIP...]

Each port is made twice as wide, each memory twice as large and each array dimension twice as long in the accelerator file,
and the network is mapped again with a proof: apart from `why`, by runs of their own. What `why` names first must save a
quarter of what the best of these saves at least, in 98 % of the layers in which one saves 2 %, and the table's cell name
one that saves nearly as much, or two and more, in 90 %.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOST = pathlib.Path(sys.argv[1]).resolve()
CHIPS = sys.argv[2:] or ["tpu_like", "gemmini_like", "simba_like"]
NETWORKS = {"small_cnn": {"workload": str(SOURCE / "configs/workloads/small_cnn.yaml")},
            "bert_encoder": {"workload": str(SOURCE / "configs/workloads/bert_encoder.onnx"), "dimensions": {"batch": 1, "sequence": 128}}}
STAGES = ["AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage", "OptimalMappingStage", "CostModelStage"]
LEAST, NEARLY = 0.02, 0.8


def pipeline(folder, chip, machine, mapping, network):
    (folder / "machine.yaml").write_text(yaml.safe_dump(machine, sort_keys=False))
    (folder / "mapping.yaml").write_text(yaml.safe_dump(mapping, sort_keys=False))
    onnx = network["workload"].endswith(".onnx")
    stages = ["ONNXModelParserStage" if onnx else "WorkloadParserStage", *STAGES]
    parameters = {**network, "accelerator": "machine.yaml", "mapping": "mapping.yaml", "ignore_capacity": True, "gap": 0.01}
    (folder / "pipeline.yaml").write_text(yaml.safe_dump({"version": 1, "parameters": parameters, "stages": stages}))
    return folder / "pipeline.yaml"


def printed(*words):
    run = subprocess.run([HOST, *words, "-q", "--format=json"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def latencies(path):
    return [layer["latency_total2"] for layer in printed(path)["results"][0]["layers"]]


def changes(machine, mapping):
    """(name, machine, mapping) of each part, twice as large."""
    for name, memory in machine["memories"].items():
        for i, port in enumerate(memory["ports"]):
            changed = copy.deepcopy(machine)
            changed["memories"][name]["ports"][i]["bandwidth_max"] *= 2
            yield f"{name} {port['name']}", changed, mapping
        changed = copy.deepcopy(machine)
        changed["memories"][name]["size"] *= 2
        yield name, changed, mapping
    array = machine["operational_array"]
    for i, dimension in enumerate(array["dimensions"]):
        changed = copy.deepcopy(machine)
        size = array["sizes"][i]
        changed["operational_array"]["sizes"][i] *= 2
        spread = copy.deepcopy(mapping)
        for entry in spread:  # what fills the array is prescribed for the longer one, too
            loops = entry.get("spatial_mapping", {}).get(dimension, [])
            units = 1
            for loop in loops:
                units *= int(str(loop).split(",")[1])
            if loops and 2 * units > size:
                loop, factor = str(loops[-1]).split(",")
                loops[-1] = f"{loop}, {2 * int(factor)}"
        yield dimension, changed, spread


gains = named = told = 0
for chip in CHIPS:
    machine = yaml.safe_load((SOURCE / f"configs/accelerators/{chip}.yaml").read_text())
    mapping = yaml.safe_load((SOURCE / f"configs/mappings/{chip}.yaml").read_text())
    for title, network in NETWORKS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            layers = printed("why", pipeline(folder, chip, machine, mapping, network))["layers"]
            base = [layer["fastest"] for layer in layers]
            saved = {}
            for part, changed, spread in changes(machine, mapping):
                anew = latencies(pipeline(folder, chip, changed, spread, network))
                saved[part] = [before - after for before, after in zip(base, anew)]
        for i, layer in enumerate(layers):
            best = max(amounts[i] for amounts in saved.values())
            if best < LEAST * base[i]:
                continue
            gains += 1
            first = next((help["parts"][0] for help in layer["helps"]), None)
            by_first = saved[first][i] if first else 0
            named += by_first >= best / 4
            good = {part for part, amounts in saved.items() if amounts[i] >= NEARLY * best}
            words = {"units" if part in machine["operational_array"]["dimensions"] else part for part in good}
            agrees = any(word in layer["limit"] for word in words) or layer["limit"].startswith("several")
            told += agrees
            if by_first < best / 4 or not agrees:
                print(f"{chip} {title} {layer['layer']}: '{layer['limit']}', why: {first}; best: {sorted(good)}, {best / base[i]:.1%}")
print(f"{gains} layers gain; why names the cause in {named}, the table in {told}")
sys.exit(0 if gains and named >= 0.98 * gains and told >= 0.9 * gains else 1)
