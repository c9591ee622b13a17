"""usage: interrupted_search.py ZZ_HOST

Interrupts a search over cuts that would go on for hours, while it works on several threads: it hands down the best that it
has, and the stages below make it. Interrupted while it still asks what cuts cost, it has nothing, and says that it was interrupted.
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PIPELINE = pathlib.Path(__file__).resolve().parent.parent.parent / "configs/pipelines/resnet18_systolic_quad_core.yaml"
SETTINGS = ["SearchHintLoopsStage.evaluation_limit=1000000000", "SearchHintLoopsStage.cut_dimensions=[OY]"]  # few costs to begin with



def interrupted(folder, settings, wait):
    command = [sys.argv[1], PIPELINE, "--jobs", "2", "--set", f"dump_folder={folder}"]
    run = subprocess.Popen(command + [word for setting in settings for word in ("--set", setting)], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(wait)
    assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGINT)
    printed, errors = run.communicate(timeout=60)
    return run.returncode, printed, errors


with tempfile.TemporaryDirectory() as folder:
    code, printed, errors = interrupted(folder, SETTINGS, 4)
    assert "the best that was found until now is handed down" in errors, errors
    assert code == 0, errors
    assert "partition_gap" in printed, printed
    for name in ("hint_loops.yaml", "schedule.html"):
        assert (pathlib.Path(folder) / name).exists(), name

with tempfile.TemporaryDirectory() as folder:
    code, printed, errors = interrupted(folder, SETTINGS[:1], 1)
    assert code == 130 and errors.strip().endswith("zz-host: interrupted"), (code, errors)
    assert not list(pathlib.Path(folder).iterdir()), "something half-written"
