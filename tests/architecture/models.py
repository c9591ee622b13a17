"""usage: models.py GENERATOR

The ONNX files in configs/workloads are, byte for byte, what the model generator writes.
"""
import filecmp
import pathlib
import subprocess
import sys
import tempfile

kept = {p.name for p in pathlib.Path("configs/workloads").glob("*.onnx")}
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    written = {p.name for p in pathlib.Path(folder).glob("*.onnx")}
    same, different, missing = filecmp.cmpfiles("configs/workloads", folder, kept | written, shallow=False)
for name in different + missing:
    print(f"configs/workloads/{name} is not what the generator writes; run it again: {sys.argv[1]} configs/workloads")
sys.exit(1 if different or missing or not same else 0)
