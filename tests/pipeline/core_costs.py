"""usage: core_costs.py ZZ_HOST

IntraCoreMappingStage keeps its costs in a file: they are used as long as nothing changed that they depend on.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
inputs = pathlib.Path(__file__).resolve().parent.parent / "inputs"


def run(folder, dump_folder, *more):
    done = subprocess.run([host, "stream.yaml", "--set", f"dump_folder={dump_folder}", "--set",
                           "node_hw_performances_path=costs/kept.zz", *more], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def result(folder, name):
    return (folder / name / "schedule_complete.json").read_bytes()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for path in inputs.iterdir():
        shutil.copy(path, folder)

    first = run(folder, "first", "--set", "visualize_node_hw_performances_path=costs/page.html")
    assert "costs of cores computed" in first.stdout, first.stdout
    assert "<table>" in (folder / "costs/page.html").read_text()
    kept = (folder / "costs/kept.zz").read_bytes()

    again = run(folder, "again")
    assert "costs of cores computed" not in again.stdout and "costs of cores read" in again.stdout, again.stdout
    assert result(folder, "first") == result(folder, "again")
    assert kept == (folder / "costs/kept.zz").read_bytes()

    other_setting = run(folder, "other", "--set", "loma_lpf_limit=2")
    assert "out of date" in other_setting.stderr, other_setting.stderr
    assert "'loma_lpf_limit of stage 4' is 2 and was 6" in other_setting.stderr, other_setting.stderr
    assert "costs of cores read" not in other_setting.stdout, other_setting.stdout

    run(folder, "back")
    core = folder / "stream_core.yaml"
    core.write_text(core.read_text().replace("r_cost: 1\n", "r_cost: 3\n"))
    other_core = run(folder, "core")
    assert "the core or what streams to it is another" in other_core.stderr, other_core.stderr
    assert result(folder, "core") != result(folder, "first")

    (folder / "costs/kept.zz").write_bytes(b"\x80\x04 a pickle of Stream")
    foreign = run(folder, "foreign")
    assert "was not written by zz" in foreign.stderr, foreign.stderr
    assert (folder / "costs/kept.zz").read_bytes().startswith(b"\x80\x04 a pickle"), "the file of another tool is gone"
    assert result(folder, "foreign") == result(folder, "core")
print("kept")
