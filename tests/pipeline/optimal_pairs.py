"""usage: optimal_pairs.py ZZ_HOST

OptimalMappingStage on the small project of tests/inputs, for the energy, with several loops side by side or not, and for the
energy-delay product: every candidate of SpatialMappingGeneratorStage with its optimal temporal mapping takes no less energy,
and the pair that was found, turned into a mapping file, replays to the same figures without a search over spatial mappings.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

host = pathlib.Path(sys.argv[1]).resolve()
inputs = pathlib.Path(__file__).resolve().parent.parent / "inputs"
RUNS = [("Energy", False, lambda e, l: e), ("Energy", True, lambda e, l: e), ("EDP", False, lambda e, l: e * l)]


def call(*words):
    run = subprocess.run([host, *words], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{words}: exit code {run.returncode}\n{run.stderr}")
    return run.stdout


def results(name, mapping, stages):
    """Energy and latency of each layer, and what is known of its search."""
    document = yaml.safe_load((inputs / "pipeline.yaml").read_text())
    document["parameters"].update(mapping=mapping, dump_folder=name)
    first = document["stages"].index("MinimalLatencyStage")
    save = document["stages"].index("SumStage")
    document["stages"][first:] = stages
    document["stages"].insert(save, {"PickleSaveStage": {"pickle_filename": f"{name}.zz"}})
    (folder / "run.yaml").write_text(yaml.safe_dump(document))
    call("run.yaml")
    found = {}
    for path in sorted((folder / name).glob("*_complete.json")):
        outputs = json.loads(path.read_text())["outputs"]
        found[path.name] = (outputs["energy"]["energy_total"], sum(outputs["latency"].values()),
                            outputs.get("metrics", {}))
    return found


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    for path in inputs.iterdir():
        shutil.copy(path, folder)
    (folder / "open.yaml").write_text("- name: default\n  memory_operand_links: {O: O, W: I2, I: I1}\n")
    for reducer, side_by_side, figure in RUNS:
        mixed = {"enable_mix_spatial_mapping_generation": side_by_side}
        above = f"Minimal{reducer}Stage"
        pairs = results("pairs", "open.yaml", [above, {"OptimalMappingStage": mixed}, "CostModelStage"])
        one_by_one = reducer == "Energy" and results("each", "open.yaml", [
            above, {"SpatialMappingGeneratorStage": {"nb_mappings_generated": 1000, **mixed}}, above,
            {"OptimalTemporalMappingStage": {"break_ties": False}}, "CostModelStage"])
        (folder / "found.yaml").write_text(call("show", "pairs.zz", "--format=mapping"))
        replayed = results("again", "found.yaml", [
            above, "SpatialMappingGeneratorStage", above, "OptimalTemporalMappingStage", "CostModelStage"])
        for layer, (energy, latency, metrics) in pairs.items():
            value = figure(energy, latency)
            case = (reducer, side_by_side, layer, value, metrics)
            assert abs(metrics["optimum_lower_bound"] * (1 + metrics["optimum_gap"]) / value - 1) < 1e-9, case
            assert metrics["optimum_spatial_mappings"] > 20, case
            assert abs(figure(*replayed[layer][:2]) / value - 1) < 1e-9, (case, replayed[layer])
            if one_by_one:
                assert metrics["optimum_gap"] == 0, case
                assert value <= figure(*one_by_one[layer][:2]) * (1 + 1e-9), (case, one_by_one[layer])
        print(reducer, len(pairs), "layers")
