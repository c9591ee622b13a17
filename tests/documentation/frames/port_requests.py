"""Runs two convolutions with the port and the layouts of two listings of docs/accelerator-keys.md.

usage: port_requests.py PORT.yaml LAYOUT.yaml
"""
import pathlib
import subprocess
import sys
import tempfile

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pipelines  # noqa: E402

port, layout = (yaml.safe_load(pathlib.Path(path).read_text()) for path in sys.argv[1:])
inputs = pathlib.Path("tests/inputs").resolve()
accelerator, mapping = (yaml.safe_load((inputs / f"{name}.yaml").read_text()) for name in ("accelerator", "mapping"))
pipelines.merge(accelerator["memories"], port)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
    (folder / "mapping.yaml").write_text(yaml.safe_dump([{**mapping[0], **layout[0]}], sort_keys=False))
    files = {"workload": inputs / "stream_workload.yaml", "accelerator": folder / "accelerator.yaml", "mapping": folder / "mapping.yaml"}
    command = ["zz-host", inputs / "pipeline.yaml", "-q", *(f"--set={key}={path}" for key, path in files.items())]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
