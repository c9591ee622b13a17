"""A recorded ZigZag case as a pipeline of ours, and the running of it."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from contextlib import contextmanager

REDUCER = {"latency": "MinimalLatencyStage", "energy": "MinimalEnergyStage", "EDP": "MinimalEDPStage"}


def reducer(case):
    return REDUCER[case["params"]["opt"]]


def network_parser(case):
    return "ONNXModelParserStage" if case["workload"].endswith(".onnx") else "WorkloadParserStage"


def pipeline(case, inputs, stages, **settings):
    """The stages with the inputs and the parameters that the case was recorded with; `settings` come on top."""
    recorded = case["params"]
    parameters = {key: str(inputs / case[key]) for key in ("workload", "accelerator", "mapping")}
    parameters |= {"dump_folder": "out", "loma_lpf_limit": recorded["lpf_limit"],
                   "nb_mappings_generated": recorded["nb_spatial_mappings_generated"],
                   "temporal_mapping_type": recorded["temporal_mapping_type"]}
    return {"version": 1, "parameters": {**parameters, **settings}, "stages": stages}


@contextmanager
def finished_run(host, pipeline, *options):
    """Runs the pipeline in a folder of its own: (folder, completed process)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pipeline.yaml").write_text(json.dumps(pipeline))  # JSON is YAML
        yield folder, subprocess.run([host, "run", "pipeline.yaml", *options], cwd=folder, capture_output=True, text=True)


def layer_file(folder, layer):
    return folder / "out" / (layer["name"].replace("/", "_") + "_complete.json")


def equal(a, b):
    """Whether they are the same but for rounding; keys may come in any order."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def report(paths, differences):
    """Prints what `differences(case)` finds in each recorded file, and ends: with 1 when there are any, or no case."""
    tried = wrong = 0
    for path in paths:
        found = differences(json.loads(path.read_text()))
        tried += 1
        if found:
            wrong += 1
            print(f"{path.stem}: {len(found)} differences; {found[0]}")
    print(f"{tried - wrong} of {tried} cases equal")
    sys.exit(1 if wrong or not tried else 0)


def different(pairs):
    """Of (what, ours, recorded) those that differ, in words."""
    return [f"{what}: {str(a)[:100]} instead of {str(b)[:100]}" for what, a, b in pairs if not equal(a, b)]
