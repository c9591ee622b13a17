"""usage: replay.py ZZ_HOST PIPELINE.yaml [KEY=VALUE ...]

The mapping of any result, saved as a mapping file, replays to the identical result: runs a pipeline, turns the archive
of its layers into a mapping file, and runs it again with that. Every result file must be the same, byte for byte, but
for how much of its space the search tried: the second run has nothing to search.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

host, pipeline = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
overrides = [word for setting in sys.argv[3:] for word in ("--set", setting)]


def call(*words):
    run = subprocess.run([host, *words], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{words}: exit code {run.returncode}\n{run.stderr}")
    return run.stdout


def content(file):
    """Of a result file, without the metrics of the search."""
    if file.suffix != ".json":
        return file.read_bytes()
    lines = re.sub(r'\n *"(unrollings|orders)_(tried|possible)": [^\n]*', "", file.read_text())
    return re.sub(r',?\n *"metrics": \{\s*\}', "", lines)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    document = yaml.safe_load(pipeline.read_text())
    for key in ("workload", "accelerator", "mapping"):
        document["parameters"][key] = str(pipeline.parent / document["parameters"][key])
    stages = document["stages"]
    stages.insert(stages.index("SumStage"), {"PickleSaveStage": {"pickle_filename": "layers.zz"}})
    (folder / "pipeline.yaml").write_text(yaml.safe_dump(document))

    call("pipeline.yaml", *overrides, "--set", "dump_folder=first")
    (folder / "mapping.yaml").write_text(call("show", "layers.zz", "--format=mapping"))
    call("pipeline.yaml", *overrides, "--set", "dump_folder=second", "--set", "mapping=mapping.yaml")

    first, second = (sorted(p.name for p in (folder / run).iterdir()) for run in ("first", "second"))
    if first != second or not first:
        sys.exit(f"files {first} and {second}")
    different = [file for file in first if content(folder / "first" / file) != content(folder / "second" / file)]
    if different:
        sys.exit(f"files {first} and {second}; different: {different}")
    orders = [entry.get("temporal_ordering") for entry in yaml.safe_load((folder / "mapping.yaml").read_text())]
    print(f"{len(first)} files are the same; {sum(bool(order) for order in orders)} layers with temporal loops")
