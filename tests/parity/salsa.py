"""usage: salsa.py ZZ_HOST ORACLE_DIR

Simulated annealing against recorded ZigZag runs. The random numbers are others, so the best of five seeds must be at least as good
as what was recorded: in energy, which ZigZag's annealing always minimises, and, when it is the criterion, in latency, which the
recorded pipelines keep. And the result of a seed must not depend on the number of threads.
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def totals(host, case, inputs, **settings):
    reducer = {"latency": "MinimalLatencyStage", "energy": "MinimalEnergyStage"}[settings.pop("keeps")]
    jobs = settings.pop("jobs", 1)
    pipeline = {
        "version": 1,
        "parameters": {
            **{key: str(inputs / case[key]) for key in ("workload", "accelerator", "mapping")},
            "nb_mappings_generated": case["params"]["nb_spatial_mappings_generated"],
            "temporal_mapping_type": case["params"]["temporal_mapping_type"],
            "salsa_iteration_number": case["params"]["salsa_iteration_number"],
            "dump_folder": "out", **settings,
        },
        "stages": ["WorkloadParserStage", "AcceleratorParserStage", "SimpleSaveStage", "SumStage", "WorkloadStage", reducer,
                   "SpatialMappingGeneratorStage", reducer, "SalsaStage", "CostModelStage"],
    }
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pipeline.yaml").write_text(json.dumps(pipeline))
        subprocess.run([host, "pipeline.yaml", "--jobs", str(jobs)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return json.loads((folder / "out/overall_simple.json").read_text())


def main():
    host, oracle = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    cases = sorted((oracle / "cases").glob("*salsa*.json"))
    wrong = []
    for path in cases:
        case = json.loads(path.read_text())
        for keeps, figure in (("energy", "energy_total"), ("latency", "latency_total2")):
            ours = [totals(host, case, oracle / "inputs", keeps=keeps, seed=seed, compat="zigzag-3.8.5", salsa_opt_criterion=keeps)[keeps]
                    for seed in range(1, 6)]
            recorded = case["totals"][figure]
            print(f"{path.stem}: {keeps} {min(ours)} (worst seed {max(ours)}), recorded {recorded}")
            if min(ours) > recorded * (1 + 1e-9):
                wrong.append(f"{path.stem}: {keeps} {min(ours)} instead of at most {recorded}")
        alone = totals(host, case, oracle / "inputs", keeps="latency", seed=7, salsa_restarts=6, threads=1)
        together = totals(host, case, oracle / "inputs", keeps="latency", seed=7, salsa_restarts=6, jobs=4)
        if alone != together:
            wrong.append(f"{path.stem}: {alone} on one thread, {together} on four")
    print("\n".join(wrong) or f"{len(cases)} cases at least as good")
    sys.exit(1 if wrong or not cases else 0)


main()
