"""A store that is damaged ends a run with its name and exit code 2, whatever is wrong with it, and is left as it was.

usage: damaged_store.py ZZ_HOST
"""
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host = pathlib.Path(sys.argv[1]).resolve()
DAMAGE = ["UPDATE figure SET value = x'ff'", "UPDATE figure SET value = 'little'", "UPDATE point SET lanes = ''",
          "UPDATE point SET state = 'ready'", "ALTER TABLE failure RENAME COLUMN reason TO because",
          "ALTER TABLE point RENAME COLUMN key TO name", "DROP TABLE candidate", "UPDATE candidate SET number = 77"]

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    text_case.prepare({}, folder)
    base = (folder / "pipeline.yaml").read_text().replace("  - CompleteSaveStage\n", "").replace("  dump_folder: out\n", "")
    stage = ("  - ExplorationStage:\n      axes: {memories.buffer.size: [32768, 65536]}\n      metrics: {lanes: memories.buffer.size / 8}\n"
             "      objectives: [latency, lanes]\n      figures: latency\n      store: s.sqlite\n")
    (folder / "space.yaml").write_text(base.replace("  - SimpleSaveStage\n", stage))

    def run(*words):
        return subprocess.run([host, *words], cwd=folder, capture_output=True, text=True)

    assert run("space.yaml", "-q").returncode == 0
    shutil.copy(folder / "s.sqlite", folder / "whole.sqlite")
    for damage in DAMAGE:
        shutil.copy(folder / "whole.sqlite", folder / "s.sqlite")
        with sqlite3.connect(folder / "s.sqlite") as store:
            store.execute(damage)
        store.close()
        done = run("space.yaml", "-q")
        words = done.stderr.splitlines()[-1]
        assert done.returncode == 2 and "the store 's.sqlite'" in words and "damaged" in words, (damage, done.returncode, done.stderr)
        for verb in (("front", "s.sqlite"), ("why", "s.sqlite", "0"), ("merge", "new.sqlite", "s.sqlite")):
            assert run(*verb).returncode in (0, 2), (damage, verb, run(*verb).stderr)
