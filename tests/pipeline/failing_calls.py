"""Every call that writes a result file fails in turn, and allocations of the savers: exit status 1, the file or the lack
of memory named, and whole files only.

usage: failing_calls.py ZZ_HOST failing_calls.so [--thorough]
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host, library = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
thorough = "--thorough" in sys.argv
CASE = {"replace": {"pipeline.yaml": {
    "  - SimpleSaveStage\n": "  - DumpStage: {dump_filename_pattern: out/all.zz}\n  - SimpleSaveStage\n  - PickleSaveStage\n",
    "  - CompleteSaveStage\n": "  - CompleteSaveStage\n  - VisualizationStage\n"}}}

known_archives = set()


def run(call, number):
    """Whether the call was reached, how many there were, and what stderr said."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text_case.prepare(CASE, folder)
        environment = {**os.environ, "LD_PRELOAD": str(library), "ZZ_FAILING_CALL": f"{call}:{number}"}
        done = subprocess.run([host, "-q", "pipeline.yaml"], cwd=folder, env=environment, capture_output=True, text=True)
        reached = "[failed]" in done.stderr
        where = f"{call} {number}: exit status {done.returncode}\n{done.stderr}"
        of_memory = call in ("malloc", "large")
        assert done.returncode in ((0, 1) if of_memory else (int(reached),)), where
        if reached and not of_memory:
            named = re.search(r"error: .*cannot write '(out/[^']+)': No space left on device", done.stderr)
            assert named and not (folder / named[1]).exists(), where
        if done.returncode:
            assert "error: " in done.stderr, where
        for path in (folder / "out").glob("*"):
            assert ".part" not in path.name, f"{where}{path} was left"
            if path.suffix == ".json":
                json.loads(path.read_text())
            if path.suffix == ".html":
                assert path.read_text().rstrip().endswith("</html>"), f"{where}{path} is cut off"
            if path.suffix == ".zz":
                digest = hashlib.sha256(path.read_bytes()).digest()
                if digest not in known_archives:
                    shown = subprocess.run([host, "show", path], capture_output=True, text=True)
                    assert shown.returncode == 0, f"{where}{shown.stderr}"
                    known_archives.add(digest)
        calls = re.search(r"\[(\d+) calls\]", done.stderr)
        return reached, int(calls[1]) if calls else 0


for call in ("open", "write", "close", "rename"):
    number = 1
    while run(call, number)[0]:
        number += 1
    assert number > 5, f"there were only {number - 1} calls of {call}"
    print(f"{call}: {number - 1} calls")
large = run("large", 10**9)[1]
assert large > 20, f"there were only {large} large allocations"
for number in range(1, large + 1, 1 if thorough else 8):
    run("large", number)
print(f"large allocations: {large}")
allocations = run("malloc", 10**9)[1]
count = 2000 if thorough else 10
for number in range(1, allocations + 1, max(1, allocations // count)):
    run("malloc", number)
print(f"malloc: {min(count, allocations)} of {allocations} calls")
