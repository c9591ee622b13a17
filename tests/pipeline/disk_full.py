"""A disk that is full ends a run with exit status 1 and the file's name, wherever it fills up, and leaves whole files only.

usage: disk_full.py ZZ_HOST [--thorough]

The limit of file sizes stands for the disk: a write beyond it fails too. The limit grows until the run succeeds.
"""
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host, thorough = pathlib.Path(sys.argv[1]).resolve(), "--thorough" in sys.argv
CASE = {"replace": {"pipeline.yaml": {
    "  - SimpleSaveStage\n": "  - DumpStage: {dump_filename_pattern: out/all.zz}\n  - SimpleSaveStage\n",
    "  - CompleteSaveStage\n": "  - CompleteSaveStage\n  - VisualizationStage\n"}}}


def run(folder, limit):
    limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.run([host, "-q", "pipeline.yaml"], cwd=folder, preexec_fn=limited, capture_output=True, text=True)


def check(folder, limit, done):
    where = f"limit {limit}: exit status {done.returncode}\n{done.stderr}"
    assert done.returncode in (0, 1), where
    files = [path for path in (folder / "out").glob("*")]
    for path in files:
        assert ".part" not in path.name, f"{where}{path} was left"
        assert path.stat().st_size <= limit, f"{where}{path}"
        if path.suffix == ".json":
            json.loads(path.read_text())
    if done.returncode:
        named = re.search(r"error: .*cannot write '(out/[^']+)': File too large", done.stderr)
        assert named, where
        assert not (folder / named[1]).exists(), f"{where}{named[1]} is there"


limit, seen = 1, set()
while True:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text_case.prepare(CASE, folder)
        done = run(folder, limit)
        check(folder, limit, done)
        seen.update(re.findall(r"cannot write '([^']+)'", done.stderr))
        if not done.returncode:
            break
    limit = limit + max(1, limit // 20) if thorough else limit * 3
assert len(seen) >= 3, f"only these files were ever too large: {seen}"
print(f"{len(seen)} files in turn")
