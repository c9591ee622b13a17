"""usage: listed.py ZZ_HOST [--all]    --all: twice as many results

A ListifyStage at the top of a run, or one for each layer, makes one result of all, and no list of evaluations: thousands of
results take little more memory than their rows, and the rows are those of the same chain without it.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
ALL = "--all" in sys.argv
INPUTS = pathlib.Path(__file__).resolve().parents[1] / "inputs"
temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # removed when the test ends
folder = pathlib.Path(temporary.name)
LAYER = """- id: {id}
  operator_type: Gemm
  equation: O[b][k]+=W[k][c]*I[b][c]
  loop_dims: [B, K, C]
  loop_sizes: [{batch}, 42, 30]
  operand_precision: {{W: 8, I: 8, O: 16, O_final: 8}}
  operand_source: {{W: {id}, I: {id}}}
"""
(folder / "workload.yaml").write_text(LAYER.format(id=0, batch=30))
(folder / "layers.yaml").write_text("".join(LAYER.format(id=id, batch=batch) for id, batch in enumerate((30, 1, 42)))
                                      .replace("[1, 42, 30]", "[1, 4, 4]"))
# The peak of a process includes what its parent had when it began: a small one begins it.
MEASURE = """import os, sys
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, ended, used = os.wait4(process, 0)
print(used.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(ended))"""
CHAIN = ["SpatialMappingGeneratorStage", "LomaStage", "CostModelStage"]


def run(name, stages, *options, workload="workload.yaml", limit=6):
    """What is printed, and the most memory that was taken, in MB."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps({
        "version": 1, "stages": stages,
        "parameters": {"workload": str(folder / workload), "accelerator": str(INPUTS / "accelerator.yaml"),
                       "mapping": str(INPUTS / "mapping.yaml"), "loma_lpf_limit": limit}}))
    done = subprocess.run([sys.executable, "-S", "-c", MEASURE, host, path, "-q", *options], capture_output=True, text=True)
    assert done.returncode == 0, (name, options, done.stderr)
    return done.stdout, int(done.stderr.split()[-1]) / 1024


PARSERS = ["WorkloadParserStage", "AcceleratorParserStage"]
PLAIN = [*PARSERS, "WorkloadStage", *CHAIN]
ON_TOP = ["ListifyStage", *PLAIN]
BELOW_PARSERS = [*PARSERS, "ListifyStage", "WorkloadStage", *CHAIN]

apart = json.loads(run("plain", PLAIN, "--format=json")[0])["results"]
assert len(apart) > 100, len(apart)
for name, stages in (("on top", ON_TOP), ("below parsers", BELOW_PARSERS)):
    text, _ = run(name, stages, "--format=json")
    [listed] = json.loads(text)["results"]
    assert listed["total"] is None
    assert [row["energy_total"] for row in listed["layers"]] == [one["layers"][0]["energy_total"] for one in apart]
    assert [row["limit"] for row in listed["layers"]] == [one["layers"][0]["limit"] for one in apart]
    rows = list(csv.DictReader(io.StringIO(run(name, stages, "--format=csv")[0])))
    assert len(rows) == len(apart) and {row["result"] for row in rows} == {"1"}
    table = run(name, stages, "--max-rows=3")[0]
    assert f"3 of {len(apart)} rows are shown" in table, table

# A list for each layer, of which the second has one mapping, one after the other or at once.
EACH = [*PARSERS, "WorkloadStage", "ListifyStage", *CHAIN]
text, _ = run("each", EACH, "--format=json")
[listed] = json.loads(text)["results"]
assert [row["energy_total"] for row in listed["layers"]] == [one["layers"][0]["energy_total"] for one in apart]
notes = json.loads(run("plain", PLAIN, "--format=json")[0])["notes"]
assert any("differ from ZigZag's" in note for note in notes), notes
assert json.loads(text)["notes"] == json.loads(run("on top", ON_TOP, "--format=json")[0])["notes"] == notes
apart_of_three = json.loads(run("plain", PLAIN, "--format=json", workload="layers.yaml")[0])["results"]
for threads in ("-j1", "-j2"):
    three = json.loads(run("each", EACH, "--format=json", threads, workload="layers.yaml")[0])["results"]
    assert len(three) == 3 and all(one["total"] is None for one in three)
    assert len(three[1]["layers"]) == 1 < len(three[0]["layers"])
    assert [row["energy_total"] for one in three for row in one["layers"]] \
        == [one["layers"][0]["energy_total"] for one in apart_of_three]
    assert all(len({row["layer"] for row in one["layers"]}) == 1 for one in three)
    rows = list(csv.DictReader(io.StringIO(run("each", EACH, "--format=csv", threads, workload="layers.yaml")[0])))
    assert [row["result"] for row in rows] == [str(1 + i) for i, one in enumerate(three) for _ in one["layers"]]
    table = run("each", EACH, "--max-rows=3", threads, workload="layers.yaml")[0]
    assert f"3 of {len(apart_of_three)} rows are shown" in table, table

# An evaluation takes some 9 kB.
(folder / "one.yaml").write_text(LAYER.format(id=0, batch=1))
(folder / "many.yaml").write_text(LAYER.format(id=0, batch=210 if ALL else 60))
for name, stages in (("on top", ON_TOP), ("below parsers", BELOW_PARSERS), ("each layer", EACH)):
    few, least = run(name, stages, "--format=json", workload="one.yaml")
    text, used = run(name, stages, "--format=json", workload="many.yaml", limit=8)
    number = len(json.loads(text)["results"][0]["layers"]) - len(json.loads(few)["results"][0]["layers"])
    print(f"{name}: {(used - least) * 1e6 / number:.0f} bytes for each of {number} results")
    assert number > (6000 if ALL else 3000) and (used - least) * 1e6 < 1000 * number, (name, used, least, number)
