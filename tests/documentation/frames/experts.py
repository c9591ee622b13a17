"""Runs a network with experts whose rows the data choose, with the lengths of a listing of docs/networks.md.

usage: experts.py LENGTHS.yaml protoc
"""
import pathlib
import subprocess
import sys
import tempfile

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import text_case  # noqa: E402

case = yaml.safe_load(pathlib.Path("tests/networks/expression_of_lengths.yaml").read_text())
lengths = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    text_case.prepare({"onnx": case["onnx"]}, folder)
    pipeline = yaml.safe_load((folder / "pipeline.yaml").read_text())
    pipeline["parameters"] |= {"workload": "model.onnx", **lengths}
    pipeline["stages"][0] = "ONNXModelParserStage"
    (folder / "pipeline.yaml").write_text(yaml.safe_dump(pipeline, sort_keys=False))
    shown = subprocess.run(["zz-host", "pipeline.yaml", "-q"], cwd=folder, check=True, capture_output=True, text=True).stdout
    assert "m0 " in shown and "m1 " in shown, shown
