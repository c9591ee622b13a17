#!/usr/bin/env python3
"""Has zz search cuts of random networks on two and four cores, and checks what it saves from outside; schedule_rules.py says how.

usage: schedules.py HOST CONFIGS [--networks 150] [--first 0]

Networks have two to four layers, batches one to four samples. Of half of the machines the memories are smaller, so that tensors
are evicted and streamed. Every sixth search is one for the steady state. Each schedule is made again from hint_loops.yaml. A few
are spoilt in one place, and the rules have to say so.
"""
import argparse
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: no python3-yaml")
    sys.exit(77)
from schedule_rules import Schedule

MACHINES = ("heterogeneous_dual_core", "systolic_quad_core")
PRECISION = {"W": 8, "I": 8, "O": 16, "O_final": 8}


def network(rng):
    layers, results = [], []
    for number in range(rng.randint(2, 4)):
        source = rng.choice([number - 1, max(0, number - 2)]) if number else 0
        channels, rows = results[source] if number else (rng.choice([3, 4, 8, 16]), rng.choice([8, 12, 14, 16]))
        kind = rng.choice(["3x3", "3x3", "1x1", "stride", "depthwise", "sum"][: 6 if number else 4])
        others = [one for one in range(number) if results[one] == (channels, rows) and one != source]
        stride, window = 2 if kind == "stride" and rows % 2 == 0 else 1, 1 if kind in ("1x1", "sum") else 3
        out, sources = rows // stride, {"I": source, "W": number}
        if kind == "sum" and others:
            equation, loops, sizes = "O[b][g][oy][ox]=W[b][g][oy][ox]+I[b][g][oy][ox]", "B G OY OX", [1, channels, rows, rows]
            relations, sources["W"] = [], rng.choice(others)
        else:
            relations = [f"ix={stride}*ox+1*fx", f"iy={stride}*oy+1*fy"]
            made = channels if kind == "depthwise" else rng.choice([4, 8, 16, 24, 32])
            if kind == "depthwise":
                equation, loops = "O[b][g][oy][ox]+=W[g][fy][fx]*I[b][g][iy][ix]", "B G OY OX FY FX"
                sizes = [1, made, out, out, window, window]
            else:
                equation, loops = "O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]", "B K C OY OX FY FX"
                sizes = [1, made, channels, out, out, window, window]
            channels = made
        layer = {"id": number, "name": f"layer{number}", "operator_type": "Conv" if relations else "Add", "equation": equation,
                 "dimension_relations": relations, "loop_dims": loops.split(), "loop_sizes": sizes, "operand_precision": PRECISION,
                 "operand_source": sources}
        if relations and window == 3:
            behind = stride * (out - 1) + window - 1 - rows
            layer |= {"pr_loop_dims": ["IX", "IY"], "pr_loop_sizes": [rows, rows], "padding": [[1, behind], [1, behind]]}
        layers.append(layer)
        results.append((channels, out))
    return layers


def machine(rng, configs, folder):
    """(name, description, memories by core, path of the file); memories of the cores are smaller by a factor."""
    name, factor = rng.choice(MACHINES), rng.choice([1, 1, 1, 16, 32, 64])
    described = yaml.safe_load((configs / f"accelerators/{name}.yaml").read_text())
    memories = []
    for file in described["cores"]:
        core = yaml.safe_load((configs / "accelerators/cores" / file).read_text())
        topmost = {operand: memory for memory, of in core["memories"].items() for operand in of["operands"]}
        if len(memories) != described["graph"]["offchip_core_id"]:
            for memory in set(topmost.values()):
                core["memories"][memory]["size"] //= factor
        memories.append({operand: (memory, core["memories"][memory]["size"]) for operand, memory in topmost.items()})
        (folder / "cores").mkdir(exist_ok=True)
        (folder / "cores" / file).write_text(yaml.safe_dump(core, sort_keys=False))
    (folder / "machine.yaml").write_text(yaml.safe_dump(described, sort_keys=False))
    return name, described, memories


def run(host, folder, parameters, search):
    stages = ["CompleteSaveStage", "AcceleratorParserStage", "UserDefinedModelParserStage", *search, "GenerateCNWorkloadHybridStage",
              "IntraCoreMappingStage", "InterCoreMappingStage"]
    (folder / "pipeline.yaml").write_text(yaml.safe_dump({"version": 1, "parameters": parameters, "stages": stages}))
    done = subprocess.run([host, folder / "pipeline.yaml"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"zz-host: exit status {done.returncode}\n{done.stderr}")
    return json.loads((folder / "results/schedule_complete.json").read_text())


def spoilt(saved, rng):
    """The schedule with one node earlier by three cycles."""
    saved = copy.deepcopy(saved)
    node = rng.choice(saved["cns"])
    node[3], node[4] = node[3] - 3, node[4] - 3
    return saved


def check(host, configs, seed):
    """What is wrong, and whether one that was spoilt is found out."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        layers, samples = network(rng), rng.choice([1, 1, 2, 3, 4])
        of, described, memories = machine(rng, configs, folder)
        steady = seed % 6 == 5
        (folder / "network.yaml").write_text(yaml.safe_dump(layers, sort_keys=False))
        parameters = {"accelerator": str(folder / "machine.yaml"), "workload": str(folder / "network.yaml"), "loma_lpf_limit": 5,
                      "mapping": str(configs / f"mappings/{of}.yaml"), "dump_folder": str(folder / "results")}
        settings = {"samples": samples, "evaluation_limit": 120, "seed": seed,
                    "objective": "throughput" if steady else rng.choice(["latency", "energy", "edp"])}
        if steady:
            settings["resident"] = rng.random() < 0.5
        saved = run(host, folder, parameters, [{"SearchHintLoopsStage": settings}])
        found = yaml.safe_load((folder / "results/hint_loops.yaml").read_text())["parameters"]

        def broken(of_it):
            return Schedule(layers, found["hint_loops"], samples, described, memories, of_it, found.get("resident", ())).broken()

        wrong = broken(saved)
        again = run(host, folder, parameters | found, [])
        wrong += [f"{figure} is {saved[figure]}, and {again[figure]} when made again"
                  for figure in ("latency", "energy", "cns_sha256", "transfers_sha256") if saved[figure] != again[figure]]
        return wrong, bool(broken(spoilt(saved, rng)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host")
    parser.add_argument("configs", type=pathlib.Path)
    parser.add_argument("--networks", type=int, default=150)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    configs = options.configs.resolve()
    failed = found_out = 0
    for seed in range(options.first, options.first + options.networks):
        wrong, told = check(options.host, configs, seed)
        failed += bool(wrong)
        found_out += told
        for line in wrong[:5]:
            print(f"network {seed}: {line}")
    print(f"{options.networks} schedules: {failed} break a rule; of as many spoilt ones {found_out} do")
    # A node that is earlier by three cycles may be possible where it waited for nothing that is seen here.
    return 1 if failed or found_out < 0.9 * options.networks else 0


if __name__ == "__main__":
    sys.exit(main())
