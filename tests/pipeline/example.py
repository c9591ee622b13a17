"""usage: example.py ZZ_HOST PIPELINE.yaml [OPTION]...

Runs one of the project's example pipelines and checks that it leaves totals and a file for each layer, in folders of their own where a pipeline tries several
accelerators, or a schedule of the whole network, or the figures of a token; or one list of all results, or pages of a
schedule, where ZigZag's and Stream's pages have it so.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

host, pipeline = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
with tempfile.TemporaryDirectory() as folder:
    # A search over cuts goes on for as long as one lets it.
    quick = ["--set", "SearchHintLoopsStage.evaluation_limit=150"] if "SearchHintLoopsStage" in pipeline.read_text() else []
    run = subprocess.run([host, pipeline, *quick, *sys.argv[3:]], cwd=folder, capture_output=True, text=True)
    print(run.stderr)
    if run.returncode:
        sys.exit(f"exit code {run.returncode}")
    results = pathlib.Path(folder) / "outputs" / pipeline.stem
    lists = list(results.parent.glob("*.json"))
    if lists:
        (rows,) = map(json.loads, map(pathlib.Path.read_text, lists))
        layers = {row["name"] for row in rows}
        if len(layers) < 2 or not all(row["energy"] > 0 and row["latency"] > 0 for row in rows):
            sys.exit(f"implausible: {rows}")
        print(f"{lists[0].name}: {len(rows)} results of {len(layers)} layers")
        sys.exit()
    if "plot_full_schedule" in pipeline.read_text():
        made = sorted(path.name for path in results.iterdir())
        print(made)
        sys.exit(0 if any(name.endswith(".html") for name in made) and "cost_lut.zz" in made else f"only {made}")
    totals_file = next(results / name for name in ("overall_simple.json", "schedule_simple.json") if (results / name).exists())
    totals = json.loads(totals_file.read_text())
    complete = list(results.rglob("*_complete.json"))
    of_a_token = totals.get("metrics", {}).get("energy_per_token", 0) > 0
    if not (totals["energy"] > 0 and totals["latency"] > 0 and (complete or of_a_token)):
        sys.exit(f"implausible: {totals}, {len(complete)} files")
    print(f"{len(complete)} files, {totals}")
