"""usage: resume.py ZZ_HOST

SkipIfDumpExistsStage: what was dumped before is not computed again, and everything above comes out the same.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
inputs = pathlib.Path(__file__).resolve().parent.parent / "inputs"
NAME = "{dump_filename_pattern: 'dump/{layer.name}.zz'}"


def run(folder, dump_folder, *more):
    done = subprocess.run([host, "pipeline.yaml", "--set", f"dump_folder={dump_folder}", *more], cwd=folder,
                          capture_output=True, text=True)
    return done


def files(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for path in inputs.iterdir():
        shutil.copy(path, folder)
    text = (folder / "pipeline.yaml").read_text()
    stages = f"  - CompleteSaveStage\n  - SkipIfDumpExistsStage: {NAME}\n  - DumpStage: {NAME}\n"
    (folder / "pipeline.yaml").write_text(text.replace("  - CompleteSaveStage\n", stages))

    first = run(folder, "first")
    assert first.returncode == 0, first.stderr
    assert "mappings evaluated" in first.stdout, first.stdout
    (folder / "dump/second.zz").rename(folder / "kept.zz")

    half = run(folder, "half")
    assert half.returncode == 0, half.stderr
    assert "dumps that were there: 1" in half.stdout and "results dumped: 1" in half.stdout, half.stdout
    assert (folder / "kept.zz").read_bytes() == (folder / "dump/second.zz").read_bytes()

    again = run(folder, "again")
    assert again.returncode == 0, again.stderr
    assert "dumps that were there: 2" in again.stdout, again.stdout
    assert "mappings evaluated" not in again.stdout, again.stdout
    assert "'dump/first.zz' is there: its results are taken" in again.stderr, again.stderr
    assert files(folder / "first") == files(folder / "half") == files(folder / "again")

    nothing = run(folder, "nothing", "--set", "SkipIfDumpExistsStage.yield_dumped=false")
    assert nothing.returncode == 4, nothing.stderr
    assert "'dump/first.zz' is there: the stages below are left out" in nothing.stderr, nothing.stderr

    (folder / "dump/second.zz").write_bytes((folder / "kept.zz").read_bytes()[:1500])
    damaged = run(folder, "damaged")
    assert damaged.returncode == 2, damaged.stderr
    assert "dump/second.zz: error: the archive was cut off" in damaged.stderr, damaged.stderr
print("resumed")
