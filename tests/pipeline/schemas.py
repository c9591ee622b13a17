"""usage: schemas.py ZZ_HOST [--ajv]

What `zz-host schema` prints is JSON Schema of draft 2020-12, and says of files what the readers say: all shipped files are valid
and name their schema; of the wrong ones (schemas_wrong_files.py), the readers refuse every one, and the schemas all but those that
depend on another part. With --ajv it is npm's Ajv that validates, which editors use, where node finds it (NODE_PATH).
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
with_ajv = "--ajv" in sys.argv[2:]
try:
    if with_ajv:
        subprocess.run(["node", "-e", "require('ajv/dist/2020')"], check=True, capture_output=True)
    else:
        import jsonschema
except (FileNotFoundError, subprocess.CalledProcessError):
    print("skipped: node has no Ajv 8: npm install --prefix FOLDER ajv, and NODE_PATH=FOLDER/node_modules")
    sys.exit(SKIPPED)
except ImportError:
    print("skipped: this Python has no jsonschema (Debian: python3-jsonschema)")
    sys.exit(SKIPPED)
from schemas_wrong_files import BEYOND, FILES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "tests/inputs"
KINDS = ["pipeline", "accelerator", "core", "multi_core", "mapping", "workload", "space", "fused"]


def printed(*arguments):
    return subprocess.run([host, *arguments], capture_output=True, text=True, check=True).stdout


texts = {kind: printed("schema", kind) for kind in KINDS}
assert printed("schema") == texts["pipeline"]
schemas = {}
if with_ajv:
    ajv = subprocess.Popen(["node", pathlib.Path(__file__).with_name("ajv.js")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask_ajv(**request):
    print(json.dumps(request), file=ajv.stdin, flush=True)


for kind, text in texts.items():
    if with_ajv:
        ask_ajv(kind=kind, schema=json.loads(text))
    else:
        jsonschema.Draft202012Validator.check_schema(json.loads(text))
        schemas[kind] = jsonschema.Draft202012Validator(json.loads(text))


def with_texts_as_keys(document):
    """JSON has no other keys: `cores: {0: ...}`."""
    if isinstance(document, dict):
        return {str(key): with_texts_as_keys(value) for key, value in document.items()}
    return [with_texts_as_keys(item) for item in document] if isinstance(document, list) else document


def problems(kind, document):
    if with_ajv:
        ask_ajv(kind=kind, document=with_texts_as_keys(document))
        return json.loads(ajv.stdout.readline())
    return [f"{'/'.join(map(str, error.path))}: {error.message}" for error in schemas[kind].iter_errors(with_texts_as_keys(document))]


# Shipped files name their schema, relative to where they are.
shipped = 0
for path in sorted((ROOT / "configs").rglob("*.yaml")):
    if path.parent.name == "clusters":
        continue  # of a cluster
    text = path.read_text()
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert named, f"{path} does not name its schema in its first line"
    schema = (path.parent / named[1]).resolve()
    kind = schema.name.removeprefix("zz-").removesuffix(".schema.json")
    assert schema.parent == ROOT / "configs/schemas" and kind in KINDS, f"{path} names {schema}"
    assert not problems(kind, text_case.load(text)), (path, problems(kind, text_case.load(text)))
    shipped += 1
assert shipped > 60
for kind, text in texts.items():
    stored = ROOT / f"configs/schemas/zz-{kind}.schema.json"
    assert stored.is_file() and stored.read_text() == text, f"{stored} is not what the host prints: run tools/update_docs.py"

# Inputs of tests and examples are of readers, too. One of several cores may have no units.
others = 0
for path in [*INPUTS.glob("*.yaml"), *(ROOT / "sdk/examples/inputs").glob("*.yaml")]:
    document = text_case.load(path.read_text())
    keys = document[0] if isinstance(document, list) else document
    kind = next((kind for kind, key in {"pipeline": "stages", "multi_core": "cores", "core": "memories", "workload": "equation",
                                        "mapping": "memory_operand_links"}.items() if key in keys), "mapping")
    assert not problems(kind, document), (path, problems(kind, document))
    others += 1

temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # removed when the test ends
folder = pathlib.Path(temporary.name)
for path in INPUTS.glob("*.yaml"):
    (folder / path.name).write_text(path.read_text())
SPACE = {"version": 1, "parameters": {"workload": "workload.yaml", "accelerator": "accelerator.yaml", "mapping": "mapping.yaml"},
         "stages": ["WorkloadParserStage", "AcceleratorParserStage",
                    {"ExplorationStage": {"axes": {"memories.buffer.size": [65536, 131072]}, "objectives": ["latency", "energy"],
                                          "metrics": {"bits": "memories.buffer.size"}}},
                    "SumStage", "WorkloadStage", "MinimalLatencyStage", "SpatialMappingGeneratorStage", "MinimalLatencyStage",
                    {"LomaStage": {"loma_lpf_limit": 4}}, "CostModelStage"]}
# The small result of a search is the right file of its kind.
chain = [{"id": number, "name": f"layer{number}", "operator_type": "Gemm", "equation": "O[d][k]+=I[d][c]*W[c][k]",
          "loop_dims": ["D", "K", "C"], "loop_sizes": [32, 16, 16], "operand_source": {"I": max(0, number - 1), "W": number},
          "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}} for number in range(2)]
(folder / "chain.yaml").write_text(text_case.dump(chain))
fused = ["fused", "chain.yaml", "accelerator.yaml", "--mapping=mapping.yaml"]
subprocess.run([host, *fused, "--set=dump_folder=found"], cwd=folder, capture_output=True, check=True)
RIGHT = {"accelerator": text_case.load((INPUTS / "accelerator.yaml").read_text()),
         "mapping": text_case.load((INPUTS / "mapping.yaml").read_text()),
         "workload": text_case.load((INPUTS / "workload.yaml").read_text()),
         "multi_core": text_case.load((INPUTS / "stream_accelerator.yaml").read_text()),
         "pipeline": text_case.load((INPUTS / "pipeline.yaml").read_text()),
         "space": SPACE,
         "fused": text_case.load(next(folder.rglob("fused_groups.yaml")).read_text())}


def read(kind, document):
    """The exit code and the words of the run that reads the file."""
    (folder / "tried.yaml").write_text(text_case.dump(document))
    arguments = {"pipeline": ["tried.yaml"], "space": ["tried.yaml"], "fused": [*fused, "--groups=tried.yaml"],
                 "multi_core": ["stream.yaml", "--set=accelerator=tried.yaml"]}.get(kind, ["pipeline.yaml", f"--set={kind}=tried.yaml"])
    done = subprocess.run([host, *arguments], cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.returncode, done.stderr


for kind, document in RIGHT.items():
    assert not problems(kind, document), (kind, problems(kind, document))
    code, words = read(kind, document)
    assert code == 0, (kind, code, words)

agreed, beyond, wrongly = 0, [], []
for kind, files in FILES.items():
    for what, change in files.items():
        wrong = copy.deepcopy(RIGHT[kind])
        change(wrong)
        code, words = read(kind, wrong)
        if code != 2:
            wrongly.append(f"the reader of {kind} accepts {what}: exit {code}, {words}")
        elif bool(problems(kind, wrong)) == ((kind, what) in BEYOND):
            wrongly.append(f"the schema of {kind} {'accepts' if (kind, what) not in BEYOND else 'refuses'} {what}:\n{words}")
        elif (kind, what) in BEYOND:
            beyond.append(f"{kind}, {what}: {BEYOND[kind, what]}")
        else:
            agreed += 1
assert not wrongly, "\n".join(wrongly)
assert agreed >= 55
print(f"{shipped} shipped files and {others} others are valid; of {agreed + len(beyond)} wrong ones the schemas refuse {agreed}, and not:")
print("\n".join(beyond))
