"""usage: imc.py ZZ_HOST ORACLE_DIR

The figures that only in-memory computing has, in the files of the save stages, against recorded ZigZag runs: energy, clock
and area by component, and how the computation splits into operations and waiting.
"""
import json
import pathlib
import sys

from recorded import different, finished_run, layer_file, network_parser, pipeline, reducer, report


def differences(case, host, inputs):
    keep = reducer(case)
    stages = [network_parser(case), "AcceleratorParserStage", "SimpleSaveStage", "SumStage", "SearchInterLayerDataLocalityStage",
              "WorkloadStage", "ExploitInterLayerDataLocalityStage", "CompleteSaveStage", keep,
              "SpatialMappingGeneratorStage", keep, "TemporalMappingGeneratorStage", "CostModelStage"]
    settings = {"enable_mix_spatial_mapping_generation": True, "compat": "zigzag-3.8.5"}
    with finished_run(host, pipeline(case, inputs, stages, **settings)) as (folder, run):
        if run.returncode:
            return [f"exit code {run.returncode}: {run.stderr[-300:]}"]
        total = json.loads((folder / "out/overall_simple.json").read_text())
        pairs = [("clock of the sum", total["tclk (ns)"], case["totals"]["tclk_ns"]),
                 ("area of the sum", total["area"], case["totals"]["area_total_mm2"])]
        files = sorted((folder / "out").glob("*_complete.json"))
        pairs.append(("number of layers", len(files), len(case["layers"])))
        for layer in case["layers"]:
            figures = json.loads(layer_file(folder, layer).read_text())["outputs"]
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
    return different(pairs)


def in_memory(path):
    return json.loads(path.read_text()).get("params", {}).get("in_memory_compute")


host, oracle = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
report(filter(in_memory, sorted((oracle / "cases").glob("*.json"))), lambda case: differences(case, host, oracle / "inputs"))
