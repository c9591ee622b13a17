"""usage: salsa.py ZZ_HOST ORACLE_DIR

Simulated annealing against recorded ZigZag runs. The random numbers are others, so the best of five seeds must be at least as good
as what was recorded: in energy, which ZigZag's annealing always minimises, and, when it is the criterion, in latency, which the
recorded pipelines keep. And the result of a seed must not depend on the number of threads.
"""
import json
import pathlib
import sys

from recorded import REDUCER, finished_run, pipeline


def totals(host, case, inputs, keeps, jobs=1, **settings):
    stages = ["WorkloadParserStage", "AcceleratorParserStage", "SimpleSaveStage", "SumStage", "WorkloadStage", REDUCER[keeps],
              "SpatialMappingGeneratorStage", REDUCER[keeps], "SalsaStage", "CostModelStage"]
    settings["salsa_iteration_number"] = case["params"]["salsa_iteration_number"]
    with finished_run(host, pipeline(case, inputs, stages, **settings), "--jobs", str(jobs)) as (folder, run):
        if run.returncode:
            sys.exit(run.stderr)
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
