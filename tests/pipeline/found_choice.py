"""usage: found_choice.py ZZ_HOST PIPELINE

What a search over allocations and orders found is in each result as `choice`. Given as settings, it makes the same
schedule again.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
pipeline = pathlib.Path(sys.argv[2]).resolve()


def run(dump_folder, **settings):
    command = [host, "run", pipeline, "--set", f"dump_folder={dump_folder}", "--set", f"node_hw_performances_path={costs}"]
    for name, value in settings.items():
        command += ["--set", f"{name}={json.dumps(value)}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(path.read_text()) for path in sorted(dump_folder.glob("*complete.json"))]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    costs = folder / "costs.zz"
    found = []
    for seed in range(6):
        found += run(folder / f"found_{seed}", search="annealing", search_order=True, evaluation_limit=150, seed=seed)
    assert any("layer_ranks" in schedule["choice"] for schedule in found), "no order of layers was found"
    for number, schedule in enumerate(found):
        again, = run(folder / f"again_{number}", **schedule["choice"])
        filled = not schedule["choice"]["back_filling"]
        other, = run(folder / f"other_{number}", **{**schedule["choice"], "back_filling": filled})
        assert other["choice"]["back_filling"] == filled
        for figure in ("latency", "energy", "cns", "transfers", "choice"):
            assert again[figure] == schedule[figure], f"{figure} of {schedule['choice']}"
print(f"{len(found)} choices give their schedules again")
