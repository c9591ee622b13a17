"""What `zz-host explain --format=yaml` prints is a pipeline that says everything, and gives the same results.

usage: normal_form.py ZZ_HOST PIPELINES QUICK...

Of all pipelines in the folder the normal form of the normal form is itself; those that are QUICK are run as well.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host, pipelines = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
quick = sys.argv[3:]


def output(folder, *command):
    done = subprocess.run([host, *map(str, command)], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def results(folder, *command):
    """The results that a run prints, and the files that it writes."""
    # A search over cuts goes on for as long as one lets it.
    quick = ["--set", "SearchHintLoopsStage.evaluation_limit=50"] if "SearchHintLoopsStage" in command[0].read_text() else []
    summary = json.loads(output(folder, *command, *quick, "--format=json"))["results"]
    files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
             if path.is_file() and path.suffix != ".yaml"}
    return summary, files


def check(pipeline, run):
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        text = output(first, "explain", "--format=yaml", pipeline)
        normal = pathlib.Path(second) / "normal.yaml"
        normal.write_text(text)
        again = output(second, "explain", "--format=yaml", normal)
        assert text_case.load(again) == text_case.load(text), f"{pipeline.name}: the normal form changes again:\n{again}"
        if run:
            assert json.loads(output(first, "explain", "--format=json", pipeline))["stages"]
            expected, found = results(pathlib.Path(first), pipeline), results(pathlib.Path(second), normal)
            assert expected[0] == found[0], f"{pipeline.name}: other results"
            assert expected[1].keys() == found[1].keys(), f"{pipeline.name}: other files"
            different = [name for name in expected[1] if expected[1][name] != found[1][name]]
            assert not different, f"{pipeline.name}: {different} differ"


for pipeline in sorted(pipelines.glob("*.yaml")):
    check(pipeline, pipeline.stem in quick)

# Sweeps: a default that varies may not be written at its stage, and input files are named in lists.
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for path in (pathlib.Path(__file__).resolve().parent.parent / "inputs").glob("*.yaml"):
        (folder / path.name).write_text(path.read_text())
    stages = ["GeneralParameterIteratorStage", "WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage",
              "MinimalEnergyStage", "SpatialMappingGeneratorStage", "LomaStage", "CostModelStage"]
    for iterations in ({"loma_lpf_limit": [2, 3], "accelerator": ["accelerator.yaml"]},
                       {"loma_lpf_limit, workload": [[2, "workload.yaml"], [3, "workload.yaml"]]}):
        for place in ("parameters", "stage"):
            parameters = {"workload": "workload.yaml", "accelerator": "accelerator.yaml", "mapping": "mapping.yaml"}
            listed = list(stages)
            if place == "parameters":
                parameters["general_parameter_iterations"] = iterations
            else:
                listed[0] = {stages[0]: {"general_parameter_iterations": iterations}}
            (folder / "sweep.yaml").write_text(text_case.dump({"version": 1, "parameters": parameters, "stages": listed}))
            check(folder / "sweep.yaml", True)
print("run:", ", ".join(quick))
