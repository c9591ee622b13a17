"""usage: identical_layers.py ZZ_HOST

Layers that differ only in their names: the same figures and mappings in every file, as many mappings evaluated as if
they were different, and the same bytes on any number of threads, archives included.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
HOST = pathlib.Path(sys.argv[1]).resolve()
LAYERS = yaml.safe_load((SOURCE / "tests/inputs/workload.yaml").read_text())
COPIES = 4


def run(layers, threads):
    """The counter of mappings and the files of a run."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for path in (SOURCE / "tests/inputs").iterdir():
            shutil.copy(path, folder)
        (folder / "workload.yaml").write_text(yaml.safe_dump(layers))
        pipeline = (folder / "pipeline.yaml").read_text()
        (folder / "pipeline.yaml").write_text(pipeline.replace(
            "  - SumStage\n", "  - PickleSaveStage: {pickle_filename: out/all.zz}\n  - SumStage\n"))
        done = subprocess.run([HOST, "pipeline.yaml", "-j", str(threads), "--format", "json"], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit code {done.returncode} on {threads} threads\n{done.stderr}")
        files = {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
        return json.loads(done.stdout)["counters"]["mappings evaluated"], files


def nameless(text):
    tree = json.loads(text)
    del tree["inputs"]["layer"]["name"]
    del tree["row"]["layer_id"]  # the place in the network
    return tree


once, _ = run(LAYERS, 1)
several = [{**layer, "id": len(LAYERS) * copy + layer["id"], "name": f"{layer['name']}{copy}",
            "operand_source": {operand: len(LAYERS) * copy + layer["id"] if source == layer["id"] else source
                               for operand, source in layer["operand_source"].items()}}
           for copy in range(COPIES) for layer in LAYERS]
mappings, files = run(several, 1)
if mappings != COPIES * once:
    sys.exit(f"{mappings} mappings evaluated, not {COPIES} times {once}")
for layer in LAYERS:
    results = [nameless(files[f"out/{layer['name']}{copy}_complete.json"]) for copy in range(COPIES)]
    if any(result != results[0] for result in results):
        sys.exit(f"the copies of {layer['name']} have different results")
for threads in (2, 4):
    other_mappings, other_files = run(several, threads)
    different = [name for name in files if files[name] != other_files.get(name)]
    if other_mappings != mappings or different:
        sys.exit(f"on {threads} threads: {other_mappings} mappings evaluated, not {mappings}; different files: {different}")
