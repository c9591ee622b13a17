"""Runs that are killed, or ended by a signal, at many moments leave whole files, and never stand in the way of the next one.

usage: killed.py ZZ_HOST [--thorough]
"""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)  # the job of a shell in the background ignores it
host, thorough = pathlib.Path(sys.argv[1]).resolve(), "--thorough" in sys.argv
CASE = {"replace": {"pipeline.yaml": {
    "  - SimpleSaveStage\n": "  - DumpStage: {dump_filename_pattern: out/all.zz}\n  - SimpleSaveStage\n",
    "  - CompleteSaveStage\n": "  - CompleteSaveStage\n  - VisualizationStage\n"}}}
SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXFSZ]


def begin(folder):
    return subprocess.Popen([host, "-q", "pipeline.yaml", "-j", "2"], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def check(folder, what):
    for path in (folder / "out").glob("*"):
        if ".part" in path.name:
            if what == signal.SIGKILL:
                left_by_kills.add(path.name)
            assert path.name in left_by_kills, f"{what}: {path} was left"
        elif path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".html":
            assert path.read_text().rstrip().endswith("</html>"), f"{what}: {path} is cut off"
        elif path.suffix == ".zz":
            shown = subprocess.run([host, "show", path], capture_output=True, text=True)
            assert shown.returncode == 0, f"{what}: {shown.stderr}"


moments, left_by_kills = random.Random(1), set()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    text_case.prepare(CASE, folder)
    started = time.monotonic()
    begin(folder).communicate()
    usual = time.monotonic() - started
    for number in range(600 if thorough else 36):
        run, what = begin(folder), SIGNALS[number % len(SIGNALS)]
        time.sleep(moments.uniform(0, usual))
        run.send_signal(what)
        said = run.communicate()[1]
        # Before the chain is ready a signal does what it always does.
        assert run.returncode in (0, 130, -what), f"{what}: exit status {run.returncode}\n{said}"
        check(folder, what)
    done = begin(folder)
    said = done.communicate()[1]
    assert done.returncode == 0, said
    left = [path.name for path in (folder / "out").iterdir() if ".part" in path.name]
    assert not left, f"a whole run leaves {left}"
