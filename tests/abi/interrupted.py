"""Interrupts a run in which a stage waits: one that asks whether it should stop, and one that does not.

usage: interrupted.py ZZ_HOST PLUGIN_FOLDER
"""
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host, plugins = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
STAGE = r"stage 7 MisbehavingStage in misbehaving_stage\.so \(pipeline\.yaml:\d+\)"


def read_until(stream, text):
    """What comes on the stream up to the line with the text."""
    read = ""
    for line in stream:
        read += line
        if text in line:
            return read
    raise SystemExit(f"'{text}' never came:\n{read}")


def begin(folder, what):
    """A run that waits in the second layer."""
    case = {"replace": {"pipeline.yaml": {
        "version: 1\n": f"version: 1\nplugins: ['{plugins}/misbehaving_stage.so']\n",
        "  - CompleteSaveStage\n": f"  - CompleteSaveStage\n  - MisbehavingStage: {{what: {what}, at: 3}}\n"}}}
    text_case.prepare(case, folder)
    run = subprocess.Popen([host, "pipeline.yaml"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = read_until(run.stderr, "on purpose")
    run.send_signal(signal.SIGINT)
    return run, said


def end(run, said, folder, *patterns):
    errors = said + run.stderr.read()
    printed = run.stdout.read()
    wrong = [] if run.wait() == 130 else [f"exit status {run.returncode}, expected 130"]
    wrong += [f"not said: {pattern}" for pattern in patterns if not re.search(pattern, errors)]
    if [p.name for p in (folder / "out").iterdir()] != ["first_complete.json"]:
        wrong.append(f"there is {list((folder / 'out').iterdir())}, and only the first layer was done")
    if wrong:
        sys.exit("\n".join(wrong) + "\n" + errors + printed)


with tempfile.TemporaryDirectory() as name:
    end(*begin(pathlib.Path(name), "wait"), pathlib.Path(name), "zz-host: interrupted")
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run, said = begin(folder, "hang")
    said += read_until(run.stderr, "still waiting")
    run.send_signal(signal.SIGINT)
    end(run, said, folder, rf"still waiting in {STAGE}, which does not ask .*rule P5", rf"ended at once in {STAGE}")
