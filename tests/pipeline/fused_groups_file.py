"""usage: fused_groups_file.py ZZ_HOST

Groups that were found, written to fused_groups.yaml and read back, give the same result without a search; what is wrong with
such a file is told with its place; archives and result files carry the groups.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

host = pathlib.Path(sys.argv[1]).resolve()
INPUTS = pathlib.Path(__file__).resolve().parents[1] / "inputs"
LAYER = {"operator_type": "Gemm", "equation": "O[d][k]+=I[d][c]*W[c][k]", "dimension_relations": [], "loop_dims": ["D", "K", "C"],
         "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}}
# Together the results do not fit into the buffer, so that loops are shared.
CHAIN = [{**LAYER, "id": number, "name": name, "loop_sizes": sizes, "operand_source": {"I": max(0, number - 1), "W": number}}
         for number, (name, sizes) in enumerate({"first": [128, 64, 64], "second": [128, 64, 64], "third": [128, 96, 64]}.items())]


def printed(*options, code=0):
    done = subprocess.run([host, "fused", "workload.yaml", "accelerator.yaml", "--mapping", "mapping.yaml", *options], cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == code, (options, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def run(*options, code=0):
    out, errors = printed("--format=json", *options, code=code)
    return json.loads(out), errors


OF_A_SEARCH = {"optimum_space", "fused_labels", "fused_unfused_energy", "fused_unfused_latency", "unfused_energy", "unfused_latency"}


def metrics_of(ran):
    return ran["results"][0]["total"]["metrics"]


def figures(ran):
    shared = {name: value for name, value in metrics_of(ran).items() if name not in OF_A_SEARCH}
    return [(layer["layer"], layer["energy_total"]) for layer in ran["results"][0]["layers"]], {**ran["results"][0]["total"], "metrics": shared}


def refused(change, *words):
    """The file with a change of its entries."""
    groups = yaml.safe_load(written)
    change(groups)
    (folder / "changed.yaml").write_text(yaml.safe_dump(groups))
    _, errors = run("--groups=changed.yaml", code=2)
    assert "changed.yaml" in errors and all(word in errors for word in words), errors


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for file in ("accelerator.yaml", "mapping.yaml"):
        shutil.copy(INPUTS / file, folder)
    (folder / "workload.yaml").write_text(yaml.safe_dump(CHAIN))
    found, errors = run("--output=out")
    written = (folder / "out/fused_groups.yaml").read_text()
    assert any("shared" in layer for layer in yaml.safe_load(written)["layers"]), written

    told, _ = printed()
    assert "fullest phase" in told and "saved by tensor" in told and "results that go off chip" not in told, told

    # A file says what a search has found.
    again, errors = run("--groups=out/fused_groups.yaml", "--output=again")
    assert OF_A_SEARCH <= set(metrics_of(found)) and not OF_A_SEARCH & set(metrics_of(again)), (metrics_of(found), metrics_of(again))
    assert figures(again) == figures(found), (figures(again), figures(found))
    assert (folder / "again/fused_groups.yaml").read_text() == written
    assert not errors or "warning" not in errors, errors

    # So does a file of layers with a smaller last tile: 127 rows in tiles of 128.
    (folder / "workload.yaml").write_text(yaml.safe_dump([{**layer, "loop_sizes": [127, *layer["loop_sizes"][1:]]} for layer in CHAIN]))
    even, _ = run()
    uneven, errors = run("--set=OptimalFusedMappingStage.enlarge=0.01", "--output=uneven")
    assert uneven["results"][0]["total"]["energy_total"] < even["results"][0]["total"]["energy_total"]
    text = (folder / "uneven/fused_groups.yaml").read_text()
    assert "enlarged: [127, 128]" in text and "    enlarged: true" in text, text
    again, errors = run("--groups=uneven/fused_groups.yaml")
    assert figures(again) == figures(uneven), (figures(again), figures(uneven))
    # Not where the array takes its work in blocks or fills and drains: this is told.
    accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
    accelerator["operational_array"]["fold"] = {"operand": "I2", "fill": "whole", "drain": "whole", "overlapped": False}
    (folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
    _, errors = run("--set=OptimalFusedMappingStage.enlarge=0.01")
    assert "`enlarge` adds nothing here: with `compat`, a `temporal_ordering`, `fold`" in errors, errors
    shutil.copy(INPUTS / "accelerator.yaml", folder)
    for sizes, words in (("[127, 300]", "less than twice as large"), ("[97, 98]", "has no axis of 97 that could be enlarged")):
        (folder / "changed.yaml").write_text(text.replace("[127, 128]", sizes))
        _, errors = run("--groups=changed.yaml", code=2)
        assert words in errors, errors
    (folder / "workload.yaml").write_text(yaml.safe_dump(CHAIN))

    # Results tell the place of a layer in its group.
    complete = json.loads(next((folder / "out").glob("*second_complete.json")).read_text())["inputs"]["fused"]
    assert complete["exchange_memory"] == "buffer" and complete["operands"]["I"]["role"] == "exchanged", complete
    assert complete["home"] == "buffer" and complete["operands"]["I"]["place"] == "exchanged", "the names of before"
    subprocess.run([host, "show", "out/list_of_cmes.zz", "--format=json"], cwd=folder, check=True, capture_output=True)

    # What is written by hand is checked.
    def layer(groups, index):
        return groups["layers"][index]

    refused(lambda groups: layer(groups, 1).update(name="secnd"), "there is no layer 'secnd' that is not yet mapped; did you mean 'second'")
    refused(lambda groups: groups["layers"].pop(), "the groups are of 2 layers, but the network has 3")
    refused(lambda groups: layer(groups, 0)["unrolling"].update(D1=[["K", 4], ["Z", 2]]), "has a loop Z that the layer lacks")
    refused(lambda groups: layer(groups, 0)["unrolling"].update(D1=[["K", 64]]), "unrolls K 64 times on D1 of 4 units")
    refused(lambda groups: layer(groups, 0)["unrolling"].update(D1=[["K", 4], ["D", 4]]), "layer 'first'", "units")
    refused(lambda groups: groups.update(lower_bound=-1), "'lower_bound' of groups must not be negative")
    refused(lambda groups: groups.update(exchange_memory="dram"), "layers cannot exchange tensors in memory 'dram'")
    refused(lambda groups: groups.update(exchange_memries="buffer"), "'exchange_memries'", "did you mean 'exchange_memory'")
    refused(lambda groups: layer(groups, 0)["level_ends"].pop("O"), "'O'")
    for wrong in (-1, 2**32):  # not taken for 0
        refused(lambda groups: layer(groups, 0)["level_ends"].update(O=[wrong] * len(layer(groups, 0)["level_ends"]["O"])),
                "'O'", "must be numbers of loops from 0 to", str(wrong))
    refused(lambda groups: layer(groups, 0).update(with_next=7), "'with_next' of layer 'first'")
    refused(lambda groups: layer(groups, 0).update(shared=[["B", 2]]), "has no loop B")
    refused(lambda groups: layer(groups, 0)["roles"].update(O=["swapped", 0]), "must be exchanged or kept, but is 'swapped'")
    refused(lambda groups: layer(groups, 0)["roles"].update(I=["exchanged", 0]), "no other layer writes or reads it")
    refused(lambda groups: layer(groups, 0)["loops"].pop(0), "first")

    # With a second memory that can be the exchange memory all tensors lie in the better one, and the file says which.
    one_memory = yaml.safe_load((folder / "accelerator.yaml").read_text())
    memories = dict(one_memory["memories"])
    local = {**memories["buffer"], "size": 49152, "r_cost": 1, "w_cost": 1}
    (folder / "accelerator.yaml").write_text(yaml.safe_dump({**one_memory, "memories": {
        "register": memories["register"], "local": local, "buffer": memories["buffer"], "dram": memories["dram"]}}, sort_keys=False))
    either, _ = run("--gap=0", "--output=either")
    by_memory = {memory: metrics_of(run("--gap=0", "--exchange-memories", memory)[0]) for memory in ("local", "buffer")}
    better = min(by_memory, key=lambda memory: by_memory[memory]["fused_value"])
    for metric in ("fused_value", "fused_lower_bound"):
        assert metrics_of(either)[metric] == min(of[metric] for of in by_memory.values()), (metric, either, by_memory)
    written = (folder / "either/fused_groups.yaml").read_text()
    assert yaml.safe_load(written)["exchange_memory"] == better == "local", (written, by_memory)
    again, _ = run("--groups=either/fused_groups.yaml", "--output=again")
    assert figures(again)[0] == figures(either)[0] and (folder / "again/fused_groups.yaml").read_text() == written
    kept_in = next(layer["name"] for layer in yaml.safe_load(written)["layers"] if "O" in layer.get("roles", {}))
    complete = json.loads(next((folder / "either").glob(f"*{kept_in}_complete.json")).read_text())["inputs"]["fused"]
    assert complete["exchange_memory"] == "local" and complete["operands"]["O"]["exchange_memory"] == "local", complete
    told, _ = printed("--explain")
    assert "% of local" in told and "% of buffer" not in told, told

    # Keys that had other names are read, and each is told once.
    former = re.sub(r"^exchange_memory:", "home:", written, flags=re.M)
    former = former.replace("    level_ends:", "    cuts:").replace("    roles:", "    places:")
    (folder / "former.yaml").write_text(former)
    again, errors = run("--groups=former.yaml")
    assert figures(again)[0] == figures(either)[0]
    for name, now in (("home", "exchange_memory"), ("cuts", "level_ends"), ("places", "roles")):
        assert errors.count(f"'{name}' is called '{now}' now") == 1, errors

    # Older files name the memory of an operand's role; another one than that of the exchanges is gone.
    index = [layer["name"] for layer in yaml.safe_load(written)["layers"]].index(kept_in)
    older = yaml.safe_load(written)
    older["layers"][index]["roles"]["O"].append("local")
    (folder / "older.yaml").write_text(yaml.safe_dump(older))
    assert figures(run("--groups=older.yaml")[0])[0] == figures(either)[0]
    refused(lambda groups: layer(groups, index)["roles"]["O"].append("buffer"),
            "is in 'buffer', and 'exchange_memory' of groups is 'local': two memories at once are gone", "search for groups again")
    (folder / "accelerator.yaml").write_text(yaml.safe_dump(one_memory, sort_keys=False))
    written = (folder / "out/fused_groups.yaml").read_text()

    # What no longer fits is told with the phase, and what takes other energy with a warning.
    accelerator = yaml.safe_load((folder / "accelerator.yaml").read_text())
    accelerator["memories"]["buffer"]["size"] //= 4
    (folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
    _, errors = run("--groups=out/fused_groups.yaml", code=2)
    assert "room: while '" in errors and "'buffer' of 16384 bits must hold" in errors and "bits too many" in errors, errors
    accelerator["memories"]["buffer"]["size"] *= 8
    accelerator["memories"]["dram"]["r_cost"] = 50
    (folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
    other, errors = run("--groups=out/fused_groups.yaml")
    assert "its bound is not of these" in errors, errors
    assert "fused_lower_bound" not in json.dumps(other), other

    # Without time or memory the best so far is handed down, with its bound.
    for limit in ("time_limit=0", "memory_limit=1"):
        ended, errors = run("--set", limit)
        metrics = figures(ended)[1]["metrics"]
        assert metrics["fused_lower_bound"] <= metrics["fused_value"] <= metrics["fused_unfused"] * (1 + 1e-9), metrics

    # What would keep results that go off chip.
    accelerator["memories"]["buffer"]["size"] //= 8
    (folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
    told, _ = printed("--explain")
    assert "results that go off chip" in told and "room that would keep it" in told, told
