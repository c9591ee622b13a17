"""One signal ends a run in which a stage waits: one that asks whether it should stop, and one that does not.

usage: interrupted.py ZZ_HOST PLUGIN_FOLDER
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)  # the job of a shell in the background ignores it
host, plugins = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
STAGE = r"stage 8 MisbehavingStage in misbehaving_stage\.so \(pipeline\.yaml:\d+\)"
DUMP = {"  - WorkloadStage\n": "  - DumpStage: {dump_filename_pattern: out/all.zz}\n  - WorkloadStage\n"}


def read_until(stream, text):
    """What comes on the stream up to the line with the text."""
    read = ""
    for line in stream:
        read += line
        if text in line:
            return read
    raise SystemExit(f"'{text}' never came:\n{read}")


def begin(folder, what, number, changes={}, at=3, more=()):
    """A run that waits in the second layer."""
    case = {"replace": {"pipeline.yaml": {**changes,
        "version: 1\n": f"version: 1\nplugins: ['{plugins}/misbehaving_stage.so']\n",
        "  - CompleteSaveStage\n": f"  - CompleteSaveStage\n  - VisualizationStage\n  - MisbehavingStage: {{what: {what}, at: {at}}}\n"}}}
    text_case.prepare(case, folder)
    run = subprocess.Popen([host, "pipeline.yaml", *more], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = read_until(run.stderr, "on purpose")
    run.send_signal(number)
    return run, said


def end(run, said, folder, *patterns):
    errors = said + run.stderr.read()
    printed = run.stdout.read()
    wrong = [] if run.wait() == 130 else [f"exit status {run.returncode}, expected 130"]
    wrong += [f"not said: {pattern}" for pattern in patterns if not re.search(pattern, errors)]
    left = sorted(p.name for p in (folder / "out").iterdir())
    if "first_complete.json" not in left or "second_complete.json" in left or any(".part" in name for name in left):
        wrong.append(f"there is {left}, and only the first layer was done")
    if wrong:
        sys.exit("\n".join(wrong) + "\n" + errors + printed)


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXFSZ):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        end(*begin(folder, "wait", number, DUMP), folder, "zz-host: interrupted",
            "'out/all.zz' is not written: not all of its results came; the 1 that had passed are in 'out/all.incomplete.zz'")
        shown = subprocess.run([host, "show", "out/all.incomplete.zz", "--format=json"], cwd=folder, capture_output=True, text=True)
        assert shown.returncode == 0 and "first" in shown.stdout, shown.stderr
        page = folder / "out/visualization.html"
        assert not page.exists() or "The run was interrupted" in page.read_text(), f"{page} does not say why it ends early"
        assert "first" in (folder / "out/loop_ordering.txt").read_text()
# A stage that takes the interruption for the end of its results: what comes up is not the whole network, and the run says so.
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run, said = begin(folder, "wait and end", signal.SIGINT, more=["--format=json"])
    said += run.stderr.read()
    told = json.loads(run.stdout.read())
    assert run.wait() == 130 and told["exit_status"] == 130 and told["complete"] is False, (run.returncode, told, said)
    assert "zz-host: interrupted" in said, said
    assert "The run was interrupted" in (folder / "out/visualization.html").read_text()
# A sweep keeps the points that it has.
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run, said = begin(folder, "wait", signal.SIGTERM, {"  - SimpleSaveStage\n": "  - SimpleSaveStage\n  - HardwareOptimizerStage: "
                      "{hardware_parameters: {memories.buffer.size: [32768, 65536]}}\n"}, 6)
    said += run.stderr.read()
    assert run.wait() == 130, said
    rows = (folder / "out/hardware_points.csv").read_text().splitlines()
    assert len(rows) == 3 and "interrupted" not in rows[1] and "not evaluated: the run was interrupted" in rows[2], rows
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    end(*begin(folder, "hang", signal.SIGINT), folder,
        rf"interrupted, and ended in {STAGE}, which did not stop when it was asked to \(rule P5")
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run, said = begin(folder, "hang", signal.SIGINT)
    run.send_signal(signal.SIGTERM)
    end(run, said, folder, rf"ended at once in {STAGE}|interrupted, and ended in {STAGE}")
