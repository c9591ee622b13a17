"""Every verb with --format=json prints one JSON document, whether it succeeds or fails; failures keep to a schema.

usage: json_of_all_verbs.py ZZ_HOST
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: this Python has no jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HOST = pathlib.Path(sys.argv[1]).resolve()
PLUGIN = next((HOST.parent.parent / "lib").glob("zz/plugins-*/zz-reduce.so"))
MAPPED = ["--workload", "workload.yaml", "--accelerator", "accelerator.yaml", "--mapping", "mapping.yaml"]

PROBLEM = {
    "type": "object",
    "required": ["message", "code"],
    "properties": {
        "message": {"type": "string", "minLength": 5},
        "code": {"enum": ["invalid", "plugin", "no_result", "cancelled", "failed"]},
        "hint": {"type": "string", "minLength": 5},
        "place": {"type": "string", "minLength": 1},
        "file": {"type": "string", "minLength": 1},
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
        "stage": {"type": "string", "minLength": 1},
    },
    "additionalProperties": False,
    "dependentRequired": {"column": ["line"], "line": ["file"], "file": ["place"]},
}
FAILURE = {
    "type": "object",
    "required": ["errors", "exit_status"],
    "properties": {"errors": {"type": "array", "minItems": 1, "items": PROBLEM}, "exit_status": {"enum": [1, 2, 3, 4, 130]}},
}

# A command that succeeds, and commands that fail with the exit status and fields that some problem must have.
VERBS = {
    "run": (["pipeline.yaml"], {
        ("nowhere.yaml",): (2, {"code", "place", "file"}),
        ("pipeline.yaml", "--set", "lpf_limit=4"): (2, {"code", "place", "hint"}),
        ("wrong_workload.yaml",): (2, {"code", "place", "file", "line", "column", "stage"}),
        ("too_large.yaml",): (4, {"code", "stage"}),
        ("pipeline.yaml", "--plugin", "nowhere.so"): (3, {"code"}),
        ("pipeline.yaml", "--set", "dump_folder=accelerator.yaml"): (1, {"code", "stage"}),
    }),
    "map": (MAPPED, {
        ("--mapping", "mapping.yaml"): (2, {"code", "hint"}),
        (*MAPPED, "--set", "opt=energy"): (2, {"code", "hint", "place"}),
        (*MAPPED, "--lpf_limit=4"): (2, {"code", "hint"}),
        (*MAPPED, "--set", "workload=negative.yaml"): (2, {"code", "place", "line", "stage"}),
    }),
    "fused": (["workload.yaml", "accelerator.yaml", "--mapping", "mapping.yaml"], {
        ("workload.yaml",): (2, {"code", "hint"}),
        ("workload.yaml", "accelerator.yaml", "--objective=power"): (2, {"code"}),
        ("workload.yaml", "accelerator.yaml", "--groups=[[first, secnd]]"): (2, {"code", "stage"}),
        ("nowhere.yaml", "accelerator.yaml"): (2, {"code", "place"}),
    }),
    "profile": (["config.json", "accelerator.yaml", "--clock=1GHz", "--output=tables", "--max-tokens=1", "--max-sequences=1",
                 "--max-context=1"], {
        ("config.json", "accelerator.yaml"): (2, {"code", "hint"}),
        ("config.json", "accelerator.yaml", "--clock=1GHz", "--output=tables"): (2, {"code", "stage"}),
        ("config.json", "accelerator.yaml", "--clock=1GHz", "--output=new", "--tensor-parallel=3"): (2, {"code", "hint", "stage"}),
    }),
    "compare": (["pipeline.yaml"], {
        ("misspelt.yaml",): (2, {"code", "place", "line", "column", "hint"}),
        ("pipeline.yaml", "--with", "zigzag-3.8"): (2, {"code", "hint"}),
        ("pipeline.yaml", "nowhere.json"): (2, {"code", "place"}),
    }),
    "why": (["pipeline.yaml", "second"], {
        ("misspelt.yaml",): (2, {"code", "place", "line", "column", "hint"}),
        ("pipeline.yaml", "secnd"): (2, {"code", "hint"}),
        ("pipeline.yaml", "--factor", "1"): (2, {"code"}),
    }),
    "check": (["pipeline.yaml"], {("misspelt.yaml",): (2, {"code", "place", "line", "column", "hint"})}),
    "explain": (["pipeline.yaml"], {("misspelt.yaml",): (2, {"code", "place", "line", "column", "hint"})}),
    "stages": ([], {("--plugin", "nowhere.so"): (3, {"code"})}),
    "describe": (["LomaStage"], {("LommaStage",): (2, {"code", "hint"}),
                                 ("LomaStage", "--plugin", "nowhere.so"): (3, {"code"})}),
    "show": (["layers.zz"], {("nowhere.zz",): (2, {"code", "place"}), ("layers.zz", "no number"): (2, {"code"}),
                             ("workload.yaml",): (2, {"code", "place"})}),
    "front": (["designs.sqlite"], {("nowhere.sqlite",): (2, {"code"}), ("workload.yaml",): (2, {"code"})}),
    "merge": (["all.sqlite", "designs.sqlite"], {("designs.sqlite", "nowhere.sqlite"): (2, {"code"})}),
    "network": (["net.onnx"], {("nowhere.onnx",): (2, {"code", "place"}), ("workload.yaml",): (2, {"code", "place"}),
                               ("net.onnx", "--set", "dimension.batch=1"): (2, {"code", "hint"})}),
    "cost": (["sram", "--size", "65536", "--width", "128", "--node", "28"], {
        ("srm", "--size", "65536"): (2, {"code", "hint"}),
        ("sram", "--size", "65536"): (2, {"code"}),
        ("wire", "--node", "130"): (2, {"code"}),
    }),
    "calibrate": (["accelerator.yaml", "rows.csv", "--precision", "8"], {
        ("accelerator.yaml", "nowhere.csv", "--precision", "8"): (2, {"code", "place"}),
        ("accelerator.yaml", "rows.csv"): (2, {"code"}),
        ("accelerator.yaml", "few.csv", "--precision", "8"): (2, {"code", "place", "file", "hint"}),
    }),
    "plugins": ([], {("--plugin", "nowhere.so"): (3, {"code"})}),
    "check-plugin": ([str(PLUGIN)], {("nowhere.so",): (3, {"code", "place", "file", "hint"}),
                                     (str(PLUGIN), "--set", "nonsense"): (2, {"code"})}),
    "new-plugin": (None, {("1st",): (2, {"code"})}),
    "completion": (["bash"], {("tcsh",): (2, {"code", "hint"})}),
    "schema": ([], {("--plugin", "nowhere.so"): (3, {"code"})}),
    "version": ([], {("--versoin",): (2, {"code", "hint"})}),
    "help": (["map"], {("mapp",): (2, {"code", "hint"})}),
}
FOR_ALL = {("--no-such-option",): (2, {"code", "hint"})}


def run(folder, *words):
    return subprocess.run([str(HOST), *words], cwd=folder, capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL)


def document(done, words, complaints):
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        complaints.append(f"{words}: no single JSON document ({error}): {done.stdout[:200]!r} {done.stderr[:200]!r}")


def check_failure(folder, words, status, fields, complaints):
    done = run(folder, *words)
    if done.returncode != status:
        complaints.append(f"{words}: exit status {done.returncode} and not {status}: {done.stderr[:300]}")
        return
    found = document(done, words, complaints)
    if found is None:
        return
    for error in jsonschema.Draft202012Validator(FAILURE).iter_errors(found):
        complaints.append(f"{words}: {'/'.join(map(str, error.path))}: {error.message}")
        return
    if found["exit_status"] != status:
        complaints.append(f"{words}: says exit status {found['exit_status']}, ended with {status}")
    if not any(fields <= set(one) for one in found["errors"]):
        complaints.append(f"{words}: no problem has all of {sorted(fields)}: {found['errors']}")
    if not done.stderr and words[0] != "check-plugin":
        complaints.append(f"{words}: nothing on stderr")


def fill(folder):
    for path in (SOURCE / "tests/inputs").iterdir():
        shutil.copy(path, folder)
    shutil.copy(SOURCE / "tests/archives/two_layers.zz", folder / "layers.zz")
    shutil.copy(SOURCE / "configs/workloads/alexnet.onnx", folder / "net.onnx")
    pipeline = (folder / "pipeline.yaml").read_text()
    (folder / "space.yaml").write_text(pipeline.replace("  - SimpleSaveStage\n", "  - ExplorationStage: {axes: "
        "{memories.buffer.size: [32768, 65536]}, figures: latency, strategy: grid, store: designs.sqlite}\n"))
    (folder / "config.json").write_text(json.dumps({"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                                                    "intermediate_size": 8, "vocab_size": 8}))
    (folder / "misspelt.yaml").write_text(pipeline.replace("LomaStage", "LommaStage"))
    workload = (folder / "workload.yaml").read_text()
    (folder / "negative.yaml").write_text(workload.replace("6, 6, 3, 3]", "6, -6, 3, 3]"))
    (folder / "wrong_workload.yaml").write_text(pipeline.replace("workload: workload", "workload: negative"))
    rows = ["tokens,C,K,measured_cycles", *(f"2,4,{k},{100 * k}" for k in range(1, 21))]
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    (folder / "few.csv").write_text("\n".join(rows[:3]) + "\n")
    accelerator = (folder / "accelerator.yaml").read_text()
    (folder / "tiny.yaml").write_text(re.sub(r"size: \d+", "size: 1", accelerator))
    (folder / "too_large.yaml").write_text(pipeline.replace("accelerator: accelerator", "accelerator: tiny"))


complaints = []
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    fill(folder)
    run(folder, "space.yaml")
    listed = re.findall(r"^  zz-host ([a-z-]+)", run(folder, "help").stdout, re.MULTILINE)
    listed = [verb for verb in listed if verb != "serve"]  # its answers are JSON whatever it is asked
    if set(listed) != set(VERBS):
        complaints.append(f"this test does not know {sorted(set(listed) ^ set(VERBS))}")
    for verb in listed:
        good, failing = VERBS.get(verb, ([], {}))
        if good is not None:
            done = run(folder, verb, *good, "--format=json")
            if done.returncode != 0:
                complaints.append(f"{verb} {good}: exit status {done.returncode}: {done.stderr[:300]}")
            document(done, [verb, *good], complaints)
        for words, (status, fields) in {**failing, **FOR_ALL}.items():
            check_failure(folder, [verb, *words, "--format=json"], status, fields, complaints)
    check_failure(folder, ["no-such-verb", "--format", "json"], 2, {"code", "hint"}, complaints)
print("\n".join(complaints) or f"{len(listed)} verbs")
sys.exit(1 if complaints else 0)
