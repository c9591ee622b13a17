"""usage: truth.py ZZ_HOST SET [NAME...]

What `zz-host network --format=json` says of real networks against their truth files: shape and type of every tensor,
multiply-accumulates and operands of every node, parameters, and the bytes of keys and values. SET has the folders
`models` and `truth`; NAME is a network, or one case of it. Without SET the test is skipped.
"""
import json
import pathlib
import re
import subprocess
import sys
from collections import Counter, defaultdict

host, folder, wanted = sys.argv[1], pathlib.Path(sys.argv[2]), set(sys.argv[3:])
cases = [path for path in sorted((folder / "truth").glob("*.json"))
         if not wanted or wanted & {path.stem, path.stem.split("@")[0]}]
if not cases:
    print(f"skipped: there are no truth files in {folder}")
    sys.exit(77)


def run_host(truth):
    command = [host, "network", str(folder / "models" / truth["model"]), "--format=json"]
    for name, length in truth["dimensions"].items():
        command += ["--set", f"dimensions.{name}={length}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise ValueError(f"exit status {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)


def without_iteration(name):
    return re.sub(r"(#\d+)+$", "", name)


def full_name(record):
    """As zz calls the node: behind the names of the nodes around it."""
    around = [part for part in re.split(r"/(?:\(\)|body|then_branch|else_branch)(?:/|$)", record.get("inside", "")) if part]
    return "/".join([*around, record["name"] or f"Op{record['index']}"])


def check_tensors(truth, said):
    by_name = {}
    for tensor in said["tensors"]:
        for name in [tensor["name"], *tensor.get("other_names", [])]:
            by_name[name] = tensor
    for name, true in [*truth["tensors"].items(), *truth["weights"].items()]:
        if true.get("data_dependent"):
            continue
        tensor = by_name.get(name)
        found = (tensor["shape"], tensor["type"]) if tensor else "nothing"
        if found != (true["shape"], true["type"]):
            yield f"tensor '{name}' is {found}, not {(true['shape'], true['type'])}"


def same_operand(true, operands):
    """The operand of that name, within loops and functions of that shape."""
    named = [o for o in operands if ("/" + without_iteration(o["tensor"])).endswith("/" + true["tensor"])]
    return named[0] if named else next((o for o in operands if o["shape"] == true["shape"]), None)


def check_operands(label, record, operands):
    for true in record["operands"]:
        operand = same_operand(true, operands)
        if operand is None:
            yield f"{label} has no operand {true['tensor']} {true['shape']}"
            continue
        if true["shape"] is not None and operand["shape"] != true["shape"]:
            yield f"{label}: '{true['tensor']}' has the shape {operand['shape']}, not {true['shape']}"
        if operand["bits"] != true["bits"]:
            yield f"{label}: '{true['tensor']}' has {operand['bits']} bits, not {true['bits']}"
        if true["source"] == "weight" and not operand["constant"]:
            yield f"{label}: '{true['tensor']}' is no constant"


def check_nodes(truth, said):
    nodes, true_nodes = defaultdict(list), defaultdict(list)
    for node in said["nodes"]:
        nodes[without_iteration(node["name"])].append(node)
    for record in truth["nodes"]:
        true_nodes[full_name(record)].append(record)
    for name, records in true_nodes.items():
        products = [r for r in records if r["kind"] == "mac"]
        if not products or any(r.get("data_dependent") for r in products):
            continue
        macs, true_macs = sum(n["macs"] for n in nodes[name]), sum(r["macs"] for r in products)
        if macs != true_macs and truth["mac_total"] == said["macs"]:
            yield f"node '{name}' has {macs} multiply-accumulates, not {true_macs}"
        if true_macs and len(products) == 1 and nodes[name]:
            yield from check_operands(f"node '{name}'", products[0], nodes[name][0]["operands"])
    dependent = sum(sum(n["macs"] for n in nodes[full_name(r)]) for r in truth["nodes"]
                    if r["kind"] == "mac" and r.get("data_dependent"))
    if said["macs"] - dependent not in [truth["mac_total"], *truth.get("accepted_totals", [])]:
        yield f"{said['macs']} multiply-accumulates, not {truth['mac_total']}"


def check_sums(truth, said):
    if said["parameters"] != truth["parameters"]:
        yield f"{said['parameters']} parameters, not {truth['parameters']}"
    true, found = truth.get("kv_cache"), said["kv_cache"]
    if true:
        numbers = [true["past_bytes"], true["present_bytes"], true["written_bytes_this_step"]]
        said_numbers = found and [found["bytes_before"], found["bytes_after"], found["bytes_written"]]
        if said_numbers != numbers:
            yield f"keys and values of {said_numbers} bytes (before, after, written), not {numbers}"
    elif found:
        yield f"keys and values {found['inputs']}, {found['outputs']}: the network has none"
    if said["without_cost"]["share_of_known_macs"] != 0:
        yield "multiply-accumulates without a cost"


results = Counter()
for path in cases:
    truth = json.loads(path.read_text())
    try:
        said = run_host(truth)
        wrong = [*check_tensors(truth, said), *check_nodes(truth, said), *check_sums(truth, said)]
    except (ValueError, subprocess.TimeoutExpired) as problem:
        wrong = [str(problem)]
    results["wrong" if wrong else "equal"] += 1
    for line in wrong[:5]:
        print(f"{path.stem}: {line}")
    if len(wrong) > 5:
        print(f"{path.stem}: and {len(wrong) - 5} more")
print(f"{results['equal']} of {len(cases)} cases equal")
sys.exit(1 if results["wrong"] else 0)
