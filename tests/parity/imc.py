"""usage: imc.py ZZ_HOST ORACLE_DIR

The figures that only in-memory computing has, in the files of the save stages, against recorded ZigZag runs: energy, clock
and area by component, and how the computation splits into operations and waiting.
"""
import json
import math
import pathlib
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
            "enable_mix_spatial_mapping_generation": True,
            "compat": "zigzag-3.8.5",
        },
        "stages": [parser, "AcceleratorParserStage", "SimpleSaveStage", "SumStage", "SearchInterLayerDataLocalityStage",
                   "WorkloadStage", "ExploitInterLayerDataLocalityStage", "CompleteSaveStage", reducer,
                   "SpatialMappingGeneratorStage", reducer, "TemporalMappingGeneratorStage", "CostModelStage"],
    }


def equal(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def differences(case, host, inputs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pipeline.yaml").write_text(json.dumps(pipeline(case, inputs)))
        run = subprocess.run([host, "run", "pipeline.yaml"], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            return [f"exit code {run.returncode}: {run.stderr[-300:]}"]
        total = json.loads((folder / "out/overall_simple.json").read_text())
        pairs = [("clock of the sum", total["tclk (ns)"], case["totals"]["tclk_ns"]),
                 ("area of the sum", total["area"], case["totals"]["area_total_mm2"])]
        files = sorted((folder / "out").glob("*_complete.json"))
        pairs.append(("number of layers", len(files), len(case["layers"])))
        for layer in case["layers"]:
            figures = json.loads((folder / "out" / (layer["name"].replace("/", "_") + "_complete.json")).read_text())["outputs"]
            area = figures["area (mm^2)"]
            computation = figures["latency"]["computation_breakdown"]
            pairs += [(f"{layer['name']}: {what}", a, b) for what, a, b in (
                ("energy", figures["energy"]["operational_energy"], layer["mac_energy"]),
                ("energy by component", figures["energy"]["operational_energy_breakdown"], layer["mac_energy_breakdown"]),
                ("operations", computation["mac_computation"], layer["ideal_temporal_cycle"]),
                ("waiting", computation["memory_stalling"], layer["latency_total0"] - layer["ideal_temporal_cycle"]),
                ("clock", figures["clock"], {"tclk (ns)": layer["tclk"], "tclk_breakdown (ns)": layer["tclk_breakdown"]}),
                ("area", area["total_area"], layer["area_total"]),
                ("area of array and memories", area["total_area_breakdown:"],
                 {"imc_area": layer["imc_area"], "mem_area": layer["mem_area"]}),
                ("area by component", area["total_area_breakdown_further"],
                 {"imc_area_breakdown": layer["imc_area_breakdown"], "mem_area_breakdown": layer["mem_area_breakdown"]}))]
    return [f"{what}: {str(a)[:100]} instead of {str(b)[:100]}" for what, a, b in pairs if not equal(a, b)]


def main():
    host, oracle = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    tried = wrong = 0
    for path in sorted((oracle / "cases").glob("*.json")):
        case = json.loads(path.read_text())
        if not case.get("params", {}).get("in_memory_compute"):
            continue
        tried += 1
        found = differences(case, host, oracle / "inputs")
        if found:
            wrong += 1
            print(f"{path.stem}: {len(found)} differences; {found[0]}")
    print(f"{tried - wrong} of {tried} cases equal")
    sys.exit(1 if wrong or not tried else 0)


main()
