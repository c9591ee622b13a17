"""usage: search_threads.py ZZ_HOST

A search over cuts finds the same on 1 and on 8 threads: what is printed, and every file, byte by byte.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HOST = pathlib.Path(sys.argv[1]).resolve()
PIPELINE = pathlib.Path(__file__).resolve().parent.parent.parent / "configs/pipelines/resnet18_systolic_quad_core.yaml"
SETTINGS = {"dump_folder": "out", "SearchHintLoopsStage.evaluation_limit": 300, "SearchHintLoopsStage.cut_dimensions": "[OY]"}


def run(threads):
    with tempfile.TemporaryDirectory() as folder:
        command = [HOST, PIPELINE, "--jobs", str(threads)]
        for name, value in SETTINGS.items():
            command += ["--set", f"{name}={value}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        files = {path.name: path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}
        return re.sub(r"^[a-z ]+: [0-9.]+( s)?\n", "", done.stdout, flags=re.MULTILINE), done.stderr, files


alone, together = run(1), run(8)
assert "hint_loops.yaml" in alone[2], alone[2].keys()
assert alone[2].keys() == together[2].keys()
for name, content in alone[2].items():
    assert content == together[2][name], f"{name} differs"
assert alone[:2] == together[:2], (alone[:2], together[:2])
