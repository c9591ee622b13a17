"""usage: computed_twins.py ZZ_HOST

Networks that differ only in how their weights come about from the file - as they are, scaled, merged with an adapter,
dequantised by arithmetic - are one network: the same inputs, parameters, caches, layers and edges, and the same cycles
and energy on one core, with fused layers, and on two cores.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
HOST = pathlib.Path(sys.argv[1]).resolve()
FLOAT, INT8 = 1, 3
PROTO = pathlib.Path("/usr/include/onnx")


def tensor(name, shape, kind=FLOAT):
    return f'initializer {{ name: "{name}" data_type: {kind} {" ".join(f"dims: {d}" for d in shape)} }}'


def node(kind, inputs, output, attributes="", name=""):
    read = " ".join(f'input: "{each}"' for each in inputs)
    name = name or output + "_node"
    return f'node {{ op_type: "{kind}" name: "{name}" {read} output: "{output}" {attributes} }}'


def integer(name, value):
    return f'attribute {{ name: "{name}" type: INT i: {value} }}'


def value(kind, name, shape, elements=FLOAT):
    dims = " ".join(f"dim {{ dim_value: {d} }}" for d in shape)
    return f'{kind} {{ name: "{name}" type {{ tensor_type {{ elem_type: {elements} shape {{ {dims} }} }} }} }}'


def plain(w, shape):
    return [tensor(w, shape)]


def scaled(w, shape):
    return [tensor(w + "0", shape), tensor(w + "s", [shape[1]]), node("Mul", [w + "0", w + "s"], w)]


def merged(w, shape):
    return [tensor(w + "0", shape), tensor(w + "a", [shape[0], 2]), tensor(w + "b", [2, shape[1]]), tensor(w + "s", []),
            node("MatMul", [w + "a", w + "b"], w + "1"), node("Mul", [w + "1", w + "s"], w + "2"),
            node("Add", [w + "0", w + "2"], w)]


def merged_and_turned(w, shape):
    return [tensor(w + "0", shape[::-1]), tensor(w + "a", [shape[1], 2]), tensor(w + "b", [2, shape[0]]),
            node("Gemm", [w + "a", w + "b", w + "0"], w + "1"), node("Transpose", [w + "1"], w)]


def quantised(w, shape):
    return [tensor(w + "0", shape, INT8), tensor(w + "s", [shape[1]]), tensor(w + "z", [shape[1]], INT8),
            node("DequantizeLinear", [w + "0", w + "s", w + "z"], w, integer("axis", 1))]


def by_arithmetic(w, shape):
    return [tensor(w + "0", shape, INT8), tensor(w + "s", [shape[1]]), tensor(w + "z", [shape[1]], INT8),
            node("Cast", [w + "0"], w + "1", integer("to", FLOAT)), node("Cast", [w + "z"], w + "2", integer("to", FLOAT)),
            node("Sub", [w + "1", w + "2"], w + "3"), node("Mul", [w + "s", w + "3"], w)]


def network(make):
    """Two products with a rectification between, and a cache that grows by the second one's result."""
    parts = [value("input", "x", [16, 24]), value("input", "past_key", [1, 5, 32]), *make("v", [24, 40]), *make("w", [40, 32]),
             node("MatMul", ["x", "v"], "a", name="first"), node("Relu", ["a"], "b"),
             node("MatMul", ["b", "w"], "y", name="second"),
             'initializer { name: "lengths" data_type: 7 dims: 3 int64_data: [1, 16, 32] }',
             node("Reshape", ["y", "lengths"], "new"), node("Concat", ["past_key", "new"], "present_key", integer("axis", 1)),
             value("output", "y", [16, 32]), value("output", "present_key", [1, 21, 32])]
    text = 'ir_version: 8 opset_import { version: 17 } graph { name: "g" ' + "\n".join(parts) + " }"
    return subprocess.run(["protoc", "--encode=onnx.ModelProto", f"-I{PROTO}", str(PROTO / "onnx.proto")], input=text.encode(),
                          capture_output=True, check=True).stdout


def ran(folder, *command):
    done = subprocess.run([HOST, *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return json.loads(done.stdout)


def understood(folder):
    said = ran(folder, "network", "model.onnx", "--format=json")
    layers = [layer for one in said["nodes"] for layer in one.get("layers", [])]
    return {"inputs": said["inputs"], "cache": said["kv_cache"], "layers": layers,
            **{key: said[key] for key in ("macs", "parameters", "parameter_bytes", "activation_bytes")}}


def totals(document):
    """Cycles and energy of all results and of their layers; how many computation nodes and dependencies there are."""
    rows = [row for result in document["results"] for row in [result["total"], *result["layers"]] if row]
    return ([(row["layer"], row["latency_total2"], row["energy_total"]) for row in rows],
            [document["counters"].get(name) for name in ("computation nodes", "dependencies")])


def figures(make):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in (SOURCE / "tests/inputs").iterdir():
            shutil.copy(path, folder)
        (folder / "model.onnx").write_bytes(network(make))
        cores = (folder / "stream.yaml").read_text()
        for old, new in {"stream_workload.yaml": "model.onnx", "UserDefinedModelParserStage": "StreamONNXModelParserStage",
                         "[[OY, all]]": "[[D, 4]]"}.items():
            assert cores.count(old) == 1, old
            cores = cores.replace(old, new)
        (folder / "stream.yaml").write_text(cores)
        machine = ["--mapping", "mapping.yaml", "--format=json"]
        return {"network": understood(folder),
                "one core": totals(ran(folder, "map", "--workload", "model.onnx", "--accelerator", "accelerator.yaml", *machine)),
                "fused": totals(ran(folder, "fused", "model.onnx", "accelerator.yaml", *machine)),
                "two cores": totals(ran(folder, "stream.yaml", "--format=json"))}


wrong = []
for first, *twins in [[plain, scaled, merged, merged_and_turned], [quantised, by_arithmetic]]:
    expected = figures(first)
    assert expected["network"]["parameters"] == 24 * 40 + 40 * 32, expected["network"]
    for twin in twins:
        found = figures(twin)
        wrong += [f"{twin.__name__}: {part}: {found[part]}\n  not {each}" for part, each in expected.items() if found[part] != each]
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
