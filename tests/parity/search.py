"""usage: search.py ZZ_HOST ORACLE_DIR [--skip PATTERN]

What the search did, against recorded ZigZag runs: how many mappings were evaluated, which unrolling won, how busy the array is,
and the energy of every operand, memory and direction. The figures that both tools' save stages write are compared elsewhere
(parity/figures).
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

REDUCER = {"latency": "MinimalLatencyStage", "energy": "MinimalEnergyStage", "EDP": "MinimalEDPStage"}


def pipeline(case, inputs):
    settings = case["params"]
    reducer = REDUCER[settings["opt"]]
    parser = "ONNXModelParserStage" if case["workload"].endswith(".onnx") else "WorkloadParserStage"
    return {
        "version": 1,
        "parameters": {
            **{key: str(inputs / case[key]) for key in ("workload", "accelerator", "mapping")},
            "dump_folder": "out",
            "loma_lpf_limit": settings["lpf_limit"],
            "nb_mappings_generated": settings["nb_spatial_mappings_generated"],
            "temporal_mapping_type": settings["temporal_mapping_type"],
            "compat": "zigzag-3.8.5",
        },
        "stages": [parser, "AcceleratorParserStage", "SumStage", "WorkloadStage", "CompleteSaveStage", reducer,
                   "SpatialMappingGeneratorStage", reducer, "TemporalMappingGeneratorStage", "CostModelStage"],
    }


def equal(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def loops(levels_of_operands):
    """The '(K, 32)' of our files as ['K', 32]."""
    def pair(text):
        name, size = text.strip("()").split(", ")
        return [name, float(size)]
    return {operand: [[pair(loop) for loop in level] for level in levels] for operand, levels in levels_of_operands.items()}


def differences(case, host, inputs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pipeline.yaml").write_text(json.dumps(pipeline(case, inputs)))
        run = subprocess.run([host, "run", "pipeline.yaml", "--format=json"], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            return [f"exit code {run.returncode}: {run.stderr[-300:]}"]
        evaluated = json.loads(run.stdout)["counters"]["mappings evaluated"]
        pairs = [("mappings evaluated", evaluated, case["nb_temporal_mappings_evaluated"])]
        for layer in case["layers"]:
            path = folder / "out" / (layer["name"].replace("/", "_") + "_complete.json")
            if not path.exists():
                pairs.append((layer["name"], "no file", ""))
                continue
            ours = json.loads(path.read_text())
            figures = ours["outputs"]
            utilization = figures["spatial"]["mac_utilization"]
            pairs += [(f"{layer['name']}: {what}", a, b) for what, a, b in (
                ("unrolling", loops(ours["inputs"]["spatial_mapping"]), layer["spatial_mapping_internal_int"]),
                ("ideal utilisation", utilization["ideal"], layer["mac_spatial_utilization"]),
                ("utilisation", utilization["stalls_onloading_offloading"], layer["mac_utilization2"]),
                ("energy by direction", figures["energy"]["memory_energy_breakdown_per_level_per_operand"],
                 layer["mem_energy_breakdown_further"]))]
    return [f"{what}: {str(a)[:100]} instead of {str(b)[:100]}" for what, a, b in pairs if not equal(a, b)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host", type=pathlib.Path)
    parser.add_argument("oracle", type=pathlib.Path)
    parser.add_argument("--skip", default="^$")
    arguments = parser.parse_args()
    tried = wrong = 0
    for path in sorted((arguments.oracle / "cases").glob("*.json")):
        if re.search(arguments.skip, path.name):
            continue
        case = json.loads(path.read_text())
        tried += 1
        found = differences(case, arguments.host.resolve(), (arguments.oracle / "inputs").resolve())
        if found:
            wrong += 1
            print(f"{path.stem}: {len(found)} differences; {found[0]}")
    print(f"{tried - wrong} of {tried} cases equal")
    sys.exit(1 if wrong or not tried else 0)


main()
