"""usage: listed.py ZZ_HOST

A ListifyStage at the top of a run makes one result of all, and no list of evaluations: thousands of results take little more
memory than their rows, and the rows are those of the same chain without it.
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
INPUTS = pathlib.Path(__file__).resolve().parents[1] / "inputs"
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "workload.yaml").write_text("""- id: 0
  operator_type: Gemm
  equation: O[b][k]+=W[k][c]*I[b][c]
  loop_dims: [B, K, C]
  loop_sizes: [30, 42, 30]
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
  operand_source: {W: 0, I: 0}
""")
CHAIN = ["SpatialMappingGeneratorStage", "LomaStage", "CostModelStage"]


def run(name, stages, *options):
    """What is printed, and the most memory that was taken, in MB."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps({
        "version": 1, "stages": stages,
        "parameters": {"workload": str(folder / "workload.yaml"), "accelerator": str(INPUTS / "accelerator.yaml"),
                       "mapping": str(INPUTS / "mapping.yaml"), "loma_lpf_limit": 7}}))
    with subprocess.Popen([host, path, "-q", *options], stdout=subprocess.PIPE, text=True) as process:
        text = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (name, options)
    return text, used.ru_maxrss / 1024


PARSERS = ["WorkloadParserStage", "AcceleratorParserStage"]
PLAIN = [*PARSERS, "WorkloadStage", *CHAIN]
ON_TOP = ["ListifyStage", *PLAIN]
BELOW_PARSERS = [*PARSERS, "ListifyStage", "WorkloadStage", *CHAIN]

apart = json.loads(run("plain", PLAIN, "--format=json")[0])["results"]
assert len(apart) > 500, len(apart)
memory = {}
for name, stages in (("on top", ON_TOP), ("below parsers", BELOW_PARSERS)):
    text, memory[name] = run(name, stages, "--format=json")
    [listed] = json.loads(text)["results"]
    assert listed["total"] is None
    assert [row["energy_total"] for row in listed["layers"]] == [one["layers"][0]["energy_total"] for one in apart]
    assert [row["limit"] for row in listed["layers"]] == [one["layers"][0]["limit"] for one in apart]
    rows = list(csv.DictReader(io.StringIO(run(name, stages, "--format=csv")[0])))
    assert len(rows) == len(apart) and {row["result"] for row in rows} == {"1"}
    table = run(name, stages, "--max-rows=3")[0]
    assert f"3 of {len(apart)} rows are shown" in table, table

smallest = run("reduced", [*PARSERS, "MinimalLatencyStage", "WorkloadStage", *CHAIN], "--format=json")[1]
for name, used in memory.items():
    print(f"{name}: {used - smallest:.0f} MB for {len(apart)} results")
    assert (used - smallest) * 1e6 < 2500 * len(apart) + 4e6, (name, used, smallest)
