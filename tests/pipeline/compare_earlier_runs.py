"""Runs of before side by side: folders, archives and printed JSON tell what the runs themselves do, in the order of the network.

usage: compare_earlier_runs.py ZZ_HOST
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

host = pathlib.Path(sys.argv[1]).resolve()
source = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["stem", "block2/expand", "block10/expand", "a_head"]
LAYER = """- {{id: {id}, name: {name}, operator_type: Gemm, equation: "O[d][k]+=I[d][c]*W[c][k]", dimension_relations: [],
   loop_dims: [D, K, C], loop_sizes: [{size}, 16, 32], operand_precision: {{W: 8, I: 8, O: 16, O_final: 8}},
   operand_source: {{I: {id}, W: {id}}}}}
"""


def run(*arguments, status=0):
    done = subprocess.run([host, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.stdout, done.stderr)
    return done


def compared(first, second):
    """The rows of the table by name, in its order: cells apart from each other by two spaces or more."""
    lines = run("compare", first, second).stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("layer "))
    columns = [len(dashes) for dashes in lines[head + 1].split("  ")]
    rows = {}
    for line in lines[head + 2:]:
        if not line:
            break
        if line.startswith("--"):
            continue
        cells, at = [], 0
        for width in columns:
            cells.append(line[at:at + width].strip())
            at += width + 2
        rows[cells[0]] = cells[1:]
    return rows, lines[head]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "network.yaml").write_text("".join(LAYER.format(id=i, name=layer, size=8 + 4 * i) for i, layer in enumerate(NAMES)))
    for which, chip in (("first", "gemmini_like"), ("second", "tpu_like")):
        ask = ["map", "--workload", "network.yaml", "--accelerator", source / f"configs/accelerators/{chip}.yaml", "-q", "--clock", "500MHz"]
        (folder / f"{which}.json").write_text(run(*ask, "--output", which, "--format=json").stdout)
        shutil.copytree(folder / which, folder / f"{which}_files", ignore=shutil.ignore_patterns("*.zz"))
        for file in (folder / f"{which}_files").glob("*_complete.json"):
            everything = json.loads(file.read_text())
            row = everything["row"]
            assert row["layer_id"] == NAMES.index(everything["inputs"]["layer"]["name"]) and row["limited_by"], file

    rows, head = compared("first", "second")
    # The total first, then the network's order, not that of the alphabet; limits, gaps and utilisation of both sides.
    assert list(rows) == ["total", *NAMES], rows
    for column in ("utilisation, first", "gap, first", "limited by, first"):
        assert column in head, head
    assert all("-" not in cells for cells in rows.values()), rows
    whole = json.loads((folder / "first.json").read_text())["results"][0]["total"]
    assert float(rows["total"][3]) == whole["latency_total2"] and rows["total"][6] == f"{100 * whole['mac_utilization2']:.2f} %", rows
    # Speed and power of both, where a clock is known.
    for pair in (("first", "second"), ("first.json", "second.json")):
        told = run("compare", *pair).stdout
        for rate in ("latency_ms [ms]", "power [W]"):
            assert rate in told, (pair, told)
    printed, _ = compared("first.json", "second.json")
    assert printed == rows, (printed, rows)
    archived, _ = compared("first/list_of_cmes.zz", "second/list_of_cmes.zz")
    assert archived.keys() == rows.keys() and archived["total"][:6] == rows["total"][:6], archived
    files, _ = compared("first_files", "second_files")
    assert list(files) == list(rows), files
    assert {layer: files[layer] for layer in NAMES} == {layer: rows[layer] for layer in NAMES}, files

    # A page has the total first; JSON has what the table has.
    run("compare", "first", "second.json", "--picture", "page.html")
    page = (folder / "page.html").read_text()
    assert page.index(">total<") < page.index(">stem<") < page.index(">block2/expand<") < page.index(">a_head<")
    told = json.loads(run("compare", "first", "second", "--format=json").stdout)["results"][0]
    assert told["total"]["first"]["mac_utilization2"] == whole["mac_utilization2"]
    assert all(layer[side]["limited_by"] and layer[side]["optimum_gap"] == 0 for layer in told["layers"] for side in ("first", "second"))

    # What one run alone has stands where it has it; networks without a layer in common are told.
    (folder / "network.yaml").write_text("".join(LAYER.format(id=i, name=layer, size=8) for i, layer in enumerate(["stem", "between", "a_head"])))
    run(*ask, "--output", "other")
    assert list(compared("first", "other")[0]) == ["total", "stem", "between", "block2/expand", "block10/expand", "a_head"]
    (folder / "network.yaml").write_text(LAYER.format(id=0, name="alone", size=8))
    run(*ask, "--output", "alone")
    assert "no layer has the same name in both runs" in run("compare", "first", "alone").stdout

    # An archive that cannot be read is no obstacle where files tell the same; where nothing does, it is named.
    for damaged in ("first/list_of_cmes.zz", "only/list_of_cmes.zz"):
        (folder / damaged).parent.mkdir(exist_ok=True)
        (folder / damaged).write_bytes((folder / "second/list_of_cmes.zz").read_bytes()[:200])
    assert list(compared("first", "second")[0]) == ["total", *NAMES]
    assert "only/list_of_cmes.zz" in run("compare", "only", "second", status=2).stderr
    (folder / "empty").mkdir()
    assert "empty has no results" in run("compare", "empty", "second", status=2).stderr

    # Several cores: a printed schedule pairs with its pipeline, layer by layer.
    for file in (source / "tests/inputs").glob("*.yaml"):
        shutil.copy(file, folder)
    (folder / "schedule.json").write_text(run("stream.yaml", "-q", "--format=json").stdout)
    rows, _ = compared("schedule.json", "stream.yaml")
    assert len(rows) > 2 and all(cells[2] == cells[5] == "0" for cells in rows.values()), rows
    saved = run("compare", "out", "stream.yaml").stdout  # the run above has saved its files there
    assert compared("out", "stream.yaml")[0].keys() == rows.keys(), saved
    # The saved schedule tells what limits it as the run does, and the cycles of its layers are told to be of all cores.
    total = next(line.split() for line in saved.splitlines() if line.startswith("total"))
    assert "core" in total and "-" not in total[-2:], saved
    assert "those of its nodes on all cores together" in saved, saved
    # Without its layers, as zz printed it before, it is the whole of the other run.
    before = json.loads((folder / "schedule.json").read_text())
    del before["results"][0]["layers"][0]["layers"]
    (folder / "before.json").write_text(json.dumps(before))
    rows, _ = compared("before.json", "stream.yaml")
    assert rows["total"][2] == rows["total"][5] == "0", rows
    assert "the first run tells no layers" in run("compare", "before.json", "stream.yaml").stdout
