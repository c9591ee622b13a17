"""usage: search.py ZZ_HOST ORACLE_DIR [--skip PATTERN]

What the search did, against recorded ZigZag runs: how many mappings were evaluated, which unrolling won, how busy the array is,
and the energy of every operand, memory and direction. The figures that both tools' save stages write are compared elsewhere
(parity/figures).
"""
import argparse
import json
import pathlib
import re

from recorded import different, finished_run, layer_file, network_parser, pipeline, reducer, report


def loops(levels_of_operands):
    """The '(K, 32)' of our files as ['K', 32]."""
    def pair(text):
        name, size = text.strip("()").split(", ")
        return [name, float(size)]
    return {operand: [[pair(loop) for loop in level] for level in levels] for operand, levels in levels_of_operands.items()}


def differences(case, host, inputs):
    keep = reducer(case)
    stages = [network_parser(case), "AcceleratorParserStage", "SumStage", "WorkloadStage", "CompleteSaveStage", keep,
              "SpatialMappingGeneratorStage", keep, "TemporalMappingGeneratorStage", "CostModelStage"]
    with finished_run(host, pipeline(case, inputs, stages, compat="zigzag-3.8.5"), "--format=json") as (folder, run):
        if run.returncode:
            return [f"exit code {run.returncode}: {run.stderr[-300:]}"]
        evaluated = json.loads(run.stdout)["counters"]["mappings evaluated"]
        pairs = [("mappings evaluated", evaluated, case["nb_temporal_mappings_evaluated"])]
        for layer in case["layers"]:
            path = layer_file(folder, layer)
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
    return different(pairs)


parser = argparse.ArgumentParser()
parser.add_argument("host", type=pathlib.Path)
parser.add_argument("oracle", type=pathlib.Path)
parser.add_argument("--skip", default="^$")
arguments = parser.parse_args()
host, inputs = arguments.host.resolve(), (arguments.oracle / "inputs").resolve()
paths = [path for path in sorted((arguments.oracle / "cases").glob("*.json")) if not re.search(arguments.skip, path.name)]
report(paths, lambda case: differences(case, host, inputs))
