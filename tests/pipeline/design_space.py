"""A design space is explored, kept, resumed, merged and asked about: what ExplorationStage and the verbs of stores promise.

usage: design_space.py ZZ_HOST
"""
import csv
import io
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host = pathlib.Path(sys.argv[1]).resolve()
AXES = ("      axes:\n        memories.buffer.size, memories.buffer.r_cost: [[16, 1], [32768, 3], [65536, 5]]\n"
        "        operational_array.sizes: [[4, 4], [0, 4], [2, 4], [1, 4]]\n")
STAGE = ("  - ExplorationStage:\n" + AXES + "      linked: {memories.buffer.w_cost: memories.buffer.r_cost * 1.2}\n"
         "      metrics: {area: \"sqrt(memories.buffer.size) + operational_array.sizes[D1] * operational_array.sizes[D2]\"}\n"
         "      objectives: [latency, energy, area]\n      figures: latency\n      store: space.sqlite\n")


def pipeline(folder, stage=STAGE, name="pipeline.yaml"):
    text_case.prepare({}, folder)
    text = (folder / "pipeline.yaml").read_text()
    text = text.replace("  - SimpleSaveStage\n", stage).replace("  - CompleteSaveStage\n", "").replace("  dump_folder: out\n", "")
    (folder / name).write_text(text)


def run(folder, *arguments, status=0):
    done = subprocess.run([host, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def front(folder, store="space.sqlite"):
    return list(csv.DictReader(io.StringIO(run(folder, "front", store, "--format=csv"))))


def unbeaten(rows, objectives):
    """Brute force: those that no other row beats."""
    figures = [[float(row[name]) for name in objectives] for row in rows]
    return {row["point"] for row, own in zip(rows, figures)
            if not any(all(a <= b for a, b in zip(other, own)) and other != own for other in figures)}


def all_rows(folder, store="space.sqlite"):
    file = sqlite3.connect(folder / store)
    file.row_factory = sqlite3.Row
    rows = [dict(row) for row in file.execute("SELECT * FROM figures ORDER BY point")]
    file.close()
    return rows


def test_front_and_store(folder):
    pipeline(folder)
    said = run(folder, "pipeline.yaml", "-j", "2")
    assert "front by latency, energy, area" in said, said
    rows = all_rows(folder)
    assert len(rows) == 12 and {row["state"] for row in rows} == {"done", "infeasible"}
    # Stores keep figures from version to version of zz: where these change, what was kept must not be taken for new.
    known = {(row["energy"], row["latency"]) for row in rows}
    assert (129298.8, 2656.0) in known, f"figures have changed: raise figures_revision in core/store/content_key.hpp; {known}"
    infeasible = [row for row in rows if row["state"] == "infeasible"]
    assert all(row["reason"] for row in infeasible)
    done = [dict(row, point=str(row["point"])) for row in rows if row["state"] == "done"]
    shown = front(folder)
    assert {row["point"] for row in shown} == unbeaten(done, ["latency", "energy", "area"])
    assert list(shown[0]) == ["point", "memories.buffer.size", "memories.buffer.r_cost", "operational_array.sizes", "energy",
                              "latency", "area", "energy_bound", "latency_bound"], list(shown[0])
    listed = json.loads(run(folder, "front", "space.sqlite", "--format=json"))
    assert [str(row["point"]) for row in listed] == [row["point"] for row in shown]
    # A point by itself has the figures that its row has, and the chain shows its layers.
    number = shown[0]["point"]
    one = json.loads(run(folder, "run", "pipeline.yaml", "--point", number, "--format=json"))
    assert abs(one["results"][0]["total"]["latency_total2"] - float(shown[0]["latency"])) < 1e-6, one["results"][0]["total"]
    # Why each point is where it is.
    for row in rows:
        why = json.loads(run(folder, "why", "space.sqlite", str(row["point"]), "--format=json"))
        expected = ("infeasible" if row["state"] == "infeasible"
                    else "front" if str(row["point"]) in {one["point"] for one in shown} else "beaten")
        assert why["verdict"] == expected, (row, why)


def test_resume(folder):
    pipeline(folder)
    run(folder, "pipeline.yaml")
    before = run(folder, "front", "space.sqlite", "--format=csv")
    said = run(folder, "pipeline.yaml")
    assert "points that the store had: 12" in said, said
    assert run(folder, "front", "space.sqlite", "--format=csv") == before
    # A step more on an axis: only the new points are computed; keys are of content, not of numbers.
    keys = {row[0] for row in sqlite3.connect(folder / "space.sqlite").execute("SELECT DISTINCT key FROM figure")}
    pipeline(folder, STAGE.replace("[[4, 4], ", "[[3, 4], [4, 4], "))
    run(folder, "pipeline.yaml")
    after = {row[0] for row in sqlite3.connect(folder / "space.sqlite").execute("SELECT DISTINCT key FROM figure")}
    assert keys < after and len(all_rows(folder)) == 15
    # Another constraint costs no new figure.
    pipeline(folder, STAGE.replace("[[4, 4], ", "[[3, 4], [4, 4], ") + "      constraints: [\"area <= 195\"]\n")
    run(folder, "pipeline.yaml")
    states = [row["state"] for row in all_rows(folder)]
    assert states.count("beyond") == 6, states


def test_killed(folder):
    stage = STAGE.replace("[[16, 1], [32768, 3], [65536, 5]]", str([[4096 + 64 * i, 3 + i / 100] for i in range(60)]))
    pipeline(folder, stage.replace("space.sqlite", "whole.sqlite"), "whole.yaml")
    started = time.monotonic()
    run(folder, "whole.yaml", "-q")
    usual = time.monotonic() - started
    expected = run(folder, "front", "whole.sqlite", "--format=csv")
    pipeline(folder, stage)
    for share in (0.3, 0.5, 0.7, 0.9):
        begun = subprocess.Popen([host, "-q", "pipeline.yaml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(share * usual)
        begun.send_signal(signal.SIGKILL)
        begun.wait()
    run(folder, "pipeline.yaml", "-q")
    assert run(folder, "front", "space.sqlite", "--format=csv") == expected


def test_shards(folder):
    pipeline(folder)
    run(folder, "pipeline.yaml")
    expected = run(folder, "front", "space.sqlite", "--format=csv")
    for number in (1, 2, 3):
        run(folder, "run", "pipeline.yaml", "--shard", f"{number}/3", "--set", f"ExplorationStage.store=part{number}.sqlite")
    said = run(folder, "merge", "all.sqlite", "part1.sqlite", "part2.sqlite", "part3.sqlite")
    assert "12 points" in said, said
    assert run(folder, "front", "all.sqlite", "--format=csv") == expected
    assert "must be a share" in run(folder, "run", "pipeline.yaml", "--shard", "5/3", status=2)


def test_chosen_points(folder):
    pipeline(folder, STAGE + "      given: {7: {energy: 3.5, latency: 2}}\n")
    run(folder, "pipeline.yaml", "--set", "ExplorationStage.points=[4, 8, 4]")
    rows = {row["point"]: row for row in all_rows(folder)}
    assert set(rows) == {4, 7, 8} and (rows[7]["energy"], rows[7]["latency"], rows[7]["energy_bound"]) == (3.5, 2, None), rows
    # What the store has stays, whatever is given later.
    pipeline(folder, STAGE + "      given: {4: {energy: 1, latency: 1}}\n")
    run(folder, "pipeline.yaml")
    assert {row["point"]: row for row in all_rows(folder)}[4]["energy"] == rows[4]["energy"]
    for given, told in (("{12: {energy: 1, latency: 1}}", "there is no point 12"), ("{4: {enrgy: 1}}", "did you mean 'energy'"),
                        ("{4: {energy: 1}}", "point 4 needs 'latency' too"), ("{x: 1}", "expected {number: {figure: value}}")):
        pipeline(folder, STAGE + f"      given: {given}\n")
        assert told in run(folder, "pipeline.yaml", status=2), told


def test_limit_of_any_figure(folder):
    """A limit may name a figure of evaluations that is no objective."""
    stage = "".join(line + "\n" for line in STAGE.splitlines() if "metrics:" not in line).replace("energy, area]", "energy]")
    pipeline(folder, stage.replace("[latency, energy]", "[latency, mem_energy]"))
    run(folder, "pipeline.yaml")
    of_memories = {row["point"]: row["mem_energy"] for row in all_rows(folder)}
    known = sorted(energy for energy in of_memories.values() if energy is not None)
    limit = known[len(known) // 2]
    assert known[0] < limit < known[-1], known
    pipeline(folder, stage.replace("space.sqlite", "limited.sqlite") + f"      constraints: [\"mem_energy < {limit}\"]\n")
    run(folder, "pipeline.yaml")
    for row in all_rows(folder, "limited.sqlite"):
        energy = of_memories[row["point"]]
        assert row["state"] == ("infeasible" if energy is None else "done" if energy < limit else "beyond"), (row, of_memories, limit)
    pipeline(folder, stage + "      constraints: [\"mem_enrgy < 1\"]\n")
    assert "did you mean 'mem_energy'" in run(folder, "check", "pipeline.yaml", status=2)


def test_layers_as_the_chain(folder):
    """Where layers are searched without opening the chain, points become what the chain makes of them, networks that do not fit included."""
    pipeline(folder)
    text = (folder / "pipeline.yaml").read_text()
    stage = "  - ExplorationStage: {axes: {memories.dram.size: [30000, 32000, 40000]}, store: of_layers.sqlite}\n"
    text = text[:text.index("  - ExplorationStage")] + stage + "  - SumStage\n  - WorkloadStage\n  - OptimalMappingStage\n  - CostModelStage\n"
    (folder / "layers.yaml").write_text(text)
    (folder / "chain.yaml").write_text(text.replace("of_layers", "of_chain").replace("  - SumStage\n", "  - SumStage\n  - RemoveExtraInfoStage\n"))
    assert "layers: " not in run(folder, "layers.yaml") and "layers: " in run(folder, "chain.yaml")
    of_layers, of_chain = all_rows(folder, "of_layers.sqlite"), all_rows(folder, "of_chain.sqlite")
    assert of_layers == of_chain, (of_layers, of_chain)
    assert any("the network does not fit" in (row["reason"] or "") for row in of_layers), of_layers


def test_refused(folder):
    pipeline(folder)
    run(folder, "pipeline.yaml")
    before = (folder / "space.sqlite").read_bytes()
    pipeline(folder, STAGE.replace("operational_array.sizes: [[4, 4], [0, 4], [2, 4], [1, 4]]", "operational_array.sizes[D1]: [4]"))
    assert "is of another space" in run(folder, "pipeline.yaml", status=2)
    assert (folder / "space.sqlite").read_bytes() == before
    pipeline(folder)
    (folder / "space.sqlite").write_bytes(before[:len(before) // 2])
    assert "space.sqlite" in run(folder, "pipeline.yaml", status=2)
    assert (folder / "space.sqlite").read_bytes() == before[:len(before) // 2]
    (folder / "space.sqlite").write_text("no store")
    assert "no store of zz" in run(folder, "pipeline.yaml", status=2)
    (folder / "space.sqlite").unlink()
    other = sqlite3.connect(folder / "space.sqlite")
    other.execute("CREATE TABLE mine (a)")
    other.commit()
    assert "no store of zz" in run(folder, "front", "space.sqlite", status=2)
    assert "no store of zz" in run(folder, "pipeline.yaml", status=2)
    other.close()
    (folder / "space.sqlite").write_bytes(before)
    other = sqlite3.connect(folder / "space.sqlite")
    other.execute("PRAGMA user_version = 99")
    other.commit()
    other.close()
    assert "has layout 99" in run(folder, "front", "space.sqlite", status=2)
    pipeline(folder, STAGE.replace("space.sqlite", "fresh.sqlite") + "      constraints: [\"area <= 0.001 * latency\"]\n")
    said = run(folder, "pipeline.yaml", status=4)
    assert "nearest is point" in said and "breaks area <= 0.001 * latency by" in said, said
    pipeline(folder, STAGE + "      constraints: [\"area <\"]\n")
    assert "constraint 'area <': expression" in run(folder, "pipeline.yaml", status=2)
    for text, sentence in [
        ("memories.buffer.size, memories.buffer.r_cost: [[16, 1], [32768, 3], [65536, 5]]", "memories.bufer.size: [16]"),
        ("[[16, 1], [32768, 3], [65536, 5]]", "[]"),
    ]:
        pipeline(folder, STAGE.replace(text, sentence))
        run(folder, "pipeline.yaml", status=2)


with tempfile.TemporaryDirectory() as name:
    for test in (test_front_and_store, test_resume, test_killed, test_shards, test_chosen_points, test_limit_of_any_figure, test_layers_as_the_chain,
                 test_refused):
        folder = pathlib.Path(name) / test.__name__
        folder.mkdir()
        test(folder)
