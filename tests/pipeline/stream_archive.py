"""usage: stream_archive.py ZZ_HOST

A network on several cores in an archive: it can be shown, and read back it is the same result to the last byte.
"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
inputs = pathlib.Path(__file__).resolve().parent.parent / "inputs"
NAME = "{dump_filename_pattern: kept.zz}"


def call(folder, *words):
    run = subprocess.run([host, *words], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, f"{words}: exit code {run.returncode}\n{run.stderr}"
    return run.stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for path in inputs.iterdir():
        shutil.copy(path, folder)
    text = (folder / "stream.yaml").read_text()
    stages = f"  - CompleteSaveStage\n  - SkipIfDumpExistsStage: {NAME}\n  - DumpStage: {NAME}\n"
    (folder / "stream.yaml").write_text(text.replace("  - CompleteSaveStage\n", stages))

    first = call(folder, "stream.yaml", "--set", "dump_folder=first")
    assert "schedules evaluated" in first, first
    again = call(folder, "stream.yaml", "--set", "dump_folder=again")
    assert "schedules evaluated" not in again, again
    for file in ("schedule_complete.json", "schedule_simple.json"):
        assert (folder / "first" / file).read_bytes() == (folder / "again" / file).read_bytes(), file

    saved = json.loads((folder / "first/schedule_complete.json").read_text())
    shown = json.loads(call(folder, "show", "kept.zz", "--format=json"))["results"][0]["evaluation"]
    assert shown["latency_total2"] == saved["latency"] and shown["energy_total"] == saved["energy"]
    nodes = [[n["layer"], n["sub_id"], n["core"], n["start"], n["end"]] for n in shown["schedule"]["nodes"]]
    assert sorted(nodes) == saved["cns"], nodes
    assert len(shown["schedule"]["transfers"]) == saved["nb_transfers"]
    row = list(csv.DictReader(call(folder, "show", "kept.zz", "--format=csv").splitlines()))[0]
    assert float(row["latency_total2"]) == saved["latency"], row
    assert str(saved["latency"]) in call(folder, "show", "kept.zz")
print("stored and read back")
