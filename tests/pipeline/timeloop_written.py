"""usage: timeloop_written.py ZZ_HOST

A mapping that `zz-host show --format=timeloop` writes is read by TimeloopStage and gives the same accesses and cycles, where nothing is
told to be left out. Mappings are those of a search on architectures of one to three memories, all operands cut alike.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import yaml

host = pathlib.Path(sys.argv[1]).resolve()
PROBLEM = """
problem:
  version: 0.4
  shape:
    name: product
    dimensions: [M, N, K]
    data_spaces:
      - {name: A, projection: [[[M]], [[K]]]}
      - {name: B, projection: [[[K]], [[N]]]}
      - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: %d, N: %d, K: %d}
"""
ARCHITECTURE = """
architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: %d, width: 64, datawidth: 8}}
  - !Container {name: PE, spatial: {meshX: 4, meshY: 2}}
  - !Component {name: register, class: regfile, attributes: {depth: %d, width: 8, datawidth: 8}}
  - !Component {name: mac, class: intmac}
"""
FIRST = ["TimeloopStage", {"PickleSaveStage": {"pickle_filename": "layer.zz"}}, "SumStage", "WorkloadStage"]
SEARCH = [*FIRST, "MinimalLatencyStage", "SpatialMappingGeneratorStage", "MinimalLatencyStage", "LomaStage", "CostModelStage"]
GIVEN = [*FIRST, "SpatialMappingConversionStage", "TemporalOrderingConversionStage", "CostModelStage"]


def run(folder, stages, **more):
    """What the only result says: cycles, and accesses by operand and memory."""
    parameters = {"problem": "problem.yaml", "architecture": "arch.yaml", "dump_folder": "out", "temporal_mapping_type": "even", **more}
    (folder / "pipeline.yaml").write_text(yaml.safe_dump({"version": 1, "parameters": parameters, "stages": stages}))
    done = subprocess.run([host, "pipeline.yaml"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    evaluation = json.loads(show(folder, "--format=json"))["results"][0]["evaluation"]
    accesses = [[(level["memory"], level["accesses"]) for level in operand["levels"]] for operand in evaluation["operands"]]
    return evaluation["latency_total2"], accesses


def show(folder, *words):
    return subprocess.run([host, "show", "layer.zz", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


same = 0
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for sizes in ((8, 6, 4), (12, 5, 16), (16, 16, 16)):
        for depth, registers in ((16, 3), (64, 8), (512, 8)):
            (folder / "problem.yaml").write_text(PROBLEM % sizes)
            (folder / "arch.yaml").write_text(ARCHITECTURE % (depth, registers))
            found = run(folder, SEARCH, loma_lpf_limit=3)
            written = show(folder, "1", "--format=timeloop")
            if "# not carried" in written:
                continue
            (folder / "map.yaml").write_text(written)
            again = run(folder, GIVEN, timeloop_mapping="map.yaml")
            if again != found:
                sys.exit(f"{sizes} on {depth} and {registers} words: {found}, and read again {again}\n{written}")
            same += 1
print(f"{same} mappings are the same")
sys.exit(0 if same > 2 else 1)
