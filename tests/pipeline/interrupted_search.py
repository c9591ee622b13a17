"""usage: interrupted_search.py ZZ_HOST

Interrupts a search over cuts that would go on for hours, while it works on several threads: it hands down the best that it
has, and the stages below make it; the exit code, the answer for programs and the pages say that the run was interrupted.
Interrupted while it still asks what whole layers cost, it has nothing.
"""
import itertools
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

signal.signal(signal.SIGINT, signal.default_int_handler)  # the job of a shell in the background ignores it
PIPELINE = pathlib.Path(__file__).resolve().parent.parent.parent / "configs/pipelines/resnet18_systolic_quad_core.yaml"
SETTINGS = ["SearchHintLoopsStage.evaluation_limit=1000000000", "SearchHintLoopsStage.cut_dimensions=[OY]"]  # few costs to begin with


def interrupted(folder, settings, wait, *more):
    """Interrupts once `wait(run)` returns."""
    command = [sys.argv[1], PIPELINE, *more, "--jobs", "2", "--set", f"dump_folder={folder}"]
    run = subprocess.Popen(command + [word for setting in settings for word in ("--set", setting)], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait(run)
    assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGINT)
    printed, errors = run.communicate(timeout=600)
    return run.returncode, printed, errors


def first_question(run):
    """Waits until a stage below works on a cost, which -v shows."""
    for line in run.stderr:
        if "SpatialMappingGeneratorStage" in line:
            return


with tempfile.TemporaryDirectory() as folder:
    # Nothing tells from outside that the search has begun: when it had not, it gets more time.
    for seconds in (2 << doubling for doubling in itertools.count()):
        code, printed, errors = interrupted(folder, SETTINGS, lambda run: time.sleep(seconds), "--format=json")
        if "the best that was found until now is handed down" in errors:
            break
    told = json.loads(printed)
    assert (code, told["exit_status"], told["complete"]) == (130, 130, False), (code, told, errors)
    assert "partition_gap" in printed, printed
    for name, words in {"hint_loops.yaml": "when it was interrupted", "schedule.html": "The run was interrupted"}.items():
        assert words in (pathlib.Path(folder) / name).read_text(), name

with tempfile.TemporaryDirectory() as folder:
    # Every order of the loops: half a minute for the costs of whole layers.
    code, printed, errors = interrupted(folder, [*SETTINGS, "loma_lpf_limit=0"], first_question, "-v")
    assert code == 130 and "zz-host: interrupted" in errors, (code, errors)
    assert not list(pathlib.Path(folder).iterdir()), "something half-written"
