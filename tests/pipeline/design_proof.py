"""The front that is proven over boxes of designs is that of brute force, to the point; and within a tolerance every design is covered.

usage: design_proof.py ZZ_HOST [--thorough [CHIP...]]
"""
import contextlib
import csv
import io
import json
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

host, thorough, chips = pathlib.Path(sys.argv[1]).resolve(), "--thorough" in sys.argv, sys.argv[3:]
source = pathlib.Path(__file__).resolve().parents[2]
# Every day layers that are searched in a moment.
CONV, PRODUCT = ([1, 16, 8, 12, 12, 3, 3], [4, 24, 96]) if thorough else ([1, 4, 4, 4, 4, 3, 3], [4, 8, 16])
OBJECTIVES = ["latency, area", "energy, area", "latency, energy", "latency, energy, area"]
NETWORK = f"""
- {{id: 0, name: first, operator_type: Conv, equation: "O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]",
   dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy], loop_dims: [B, K, C, OY, OX, FY, FX], loop_sizes: {CONV},
   operand_precision: {{W: 8, I: 8, O: 16, O_final: 8}}, operand_source: {{I: 0, W: 0}}}}
- {{id: 1, name: second, operator_type: Gemm, equation: "O[d][k]+=I[d][c]*W[c][k]", dimension_relations: [], loop_dims: [D, K, C],
   loop_sizes: {PRODUCT}, operand_precision: {{W: 8, I: 8, O: 16, O_final: 8}}, operand_source: {{I: 0, W: 1}}}}
"""
PIPELINE = """version: 1
parameters: {{workload: network.yaml, accelerator: {source}/configs/accelerators/{chip}.yaml, mapping: {source}/configs/mappings/{mapping}.yaml}}
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - ExplorationStage:
{space}
  - SumStage
  - WorkloadStage
  - MinimalLatencyStage
  - OptimalMappingStage
  - CostModelStage
"""
# Of each: accelerator, mapping file, and its spaces, everyday and thorough. Those of Eyeriss have designs on which nothing fits.
GEMMINI = """
      axes:
        "operational_array.sizes[D1], operational_array.sizes[D2]": {arrays}
        memories.scratchpad.size: {{from: 1024, to: {largest}, factor: 4}}
        memories.accumulator.size: {{from: 2048, to: {largest}, factor: 4}}
        memories.dram.ports[rw_port_1].bandwidth_max: {buses}
      linked:
        memories.scratchpad.r_cost: 2 * sqrt(memories.scratchpad.size / 1024)
        memories.scratchpad.w_cost: memories.scratchpad.r_cost
        memories.accumulator.r_cost: 8 * sqrt(memories.accumulator.size / 2048)
        memories.accumulator.w_cost: memories.accumulator.r_cost
        memories.dram.r_cost: 20 * memories.dram.ports[rw_port_1].bandwidth_max
      metrics: {{area: "1e-6 * (memories.scratchpad.size + memories.accumulator.size) + 1e-3 * operational_array.sizes[D1]"}}"""
TPU = """
      axes:
        operational_array.sizes[D1]: {arrays}
        memories.{memory}.size: {{from: 4096, to: {largest}, factor: 2}}
        memories.dram.ports[rw_port_1].bandwidth_max: {buses}
      linked: {{memories.{memory}.r_cost: "0.05 * sqrt(memories.{memory}.size)", memories.{memory}.w_cost: "0.06 * sqrt(memories.{memory}.size)"}}
      metrics: {{area: "1e-6 * memories.{memory}.size + 1e-3 * operational_array.sizes[D1]"}}"""
SPACES = [
    ("gemmini_like", "gemmini_like",
     GEMMINI.format(arrays="[[4, 8], [8, 8]]", largest=16384, buses="[64, 128]"),
     GEMMINI.format(arrays="[[4, 8], [8, 8], [8, 16], [16, 16]]", largest=1048576, buses="[64, 96, 128, 192, 256]")),
    ("tpu_like", "any_unrolling", None,
     TPU.format(arrays="[8, 12, 16, 24]", memory="unified_buffer", largest=1048576, buses="[64, 96, 128, 192, 256, 384, 512, 640, 768, 896, 1024, 1152, 1280, 1408]").replace(
         "operational_array.sizes[D1]:", '"operational_array.sizes[D1], operational_array.sizes[D2]":').replace(
         "[8, 12, 16, 24]", "[[8, 8], [12, 16], [16, 16], [24, 16]]")),
    ("eyeriss_like", "eyeriss_like", None,
     TPU.format(arrays="[6, 12]", memory="global_buffer", largest=262144, buses="[64, 128]").replace("from: 4096", "from: 16").replace(
         "      linked:", "        memories.sum_scratchpad.size: [8, 64, 384]\n        memories.weight_buffer.size: [64, 4096, 65536]\n      linked:")),
]


def chosen(objectives, strategy, store, tolerance):
    settings = {"objectives": f"[{objectives}]", "strategy": strategy, "store": store, "tolerance": tolerance}
    return [f"--set=ExplorationStage.{name}={value}" for name, value in settings.items()]


def explored(folder, objectives, strategy, store, tolerance=0):
    done = subprocess.run([host, "-q", "space.yaml", *chosen(objectives, strategy, store, tolerance)], cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run([host, "front", store, "--format=csv"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return {row["point"]: row for row in csv.DictReader(io.StringIO(shown))}, done.stdout


def complains_of(folder, objectives, damage, tolerance):
    """A store whose bounds are too high is found out."""
    shutil.copy(folder / "proof0.sqlite", folder / "damaged.sqlite")
    with sqlite3.connect(folder / "damaged.sqlite") as store:
        store.execute(f"UPDATE answer SET {damage}")
    store.close()
    done = subprocess.run([host, "-q", "space.yaml", "--set", f"ExplorationStage.objectives=[{objectives}]", "--set",
                           "ExplorationStage.strategy=proof", "--set", "ExplorationStage.store=damaged.sqlite", "--set",
                           f"ExplorationStage.tolerance={tolerance}"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2 and "a bound is wrong" in done.stderr, (damage, done.stderr)


for chip, mapping, everyday, large in SPACES:
    space = large if thorough else everyday
    if space is None or (chips and chip not in chips):
        continue
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "network.yaml").write_text(NETWORK)
        (folder / "space.yaml").write_text(PIPELINE.format(source=source, chip=chip, mapping=mapping, space=space.strip("\n")))
        for number, objectives in enumerate(OBJECTIVES if thorough else OBJECTIVES[-1:]):
            figures = objectives.split(", ")
            brute, _ = explored(folder, objectives, "grid", "grid.sqlite")
            proven, said = explored(folder, objectives, "proof", f"proof{number}.sqlite")
            assert set(proven) == set(brute), f"{chip}, {objectives}: {sorted(set(proven) ^ set(brute))}"
            for point, row in brute.items():
                for figure in figures:
                    assert abs(float(proven[point][figure]) / float(row[figure]) - 1) < 1e-9, (chip, objectives, point, figure)
            assert "points discarded by a bound" in said
            near, _ = explored(folder, objectives, "proof", f"near{number}.sqlite", 0.05)
            for point, row in brute.items():
                assert any(all(float(other[figure]) <= float(row[figure]) * 1.05 * (1 + 1e-9) for figure in figures)
                           for other in near.values()), (chip, objectives, point)
            # Another run finds all answers in the store.
            again, said = explored(folder, objectives, "proof", f"proof{number}.sqlite")
            assert again == proven and "layers searched: 0" in said, said
        if not chips:
            first = OBJECTIVES[0 if thorough else -1]
            complains_of(folder, first, "bound = 1.5 * value", 0)
            complains_of(folder, first, "value = 1.5 * value, bound = 1.5 * bound", 0.05)


# A point by itself has the figure by which its chain searches, with a reducer and without one. A figure that is no sum over searched layers is not taken for one.
if not chips:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "network.yaml").write_text(NETWORK)
        chip, mapping, everyday, _ = SPACES[0]
        space = everyday if thorough else everyday.replace("[64, 128]", "[64]")
        (folder / "space.yaml").write_text(PIPELINE.format(source=source, chip=chip, mapping=mapping, space=space.strip("\n")))
        for without in ("", "  - MinimalLatencyStage\n"):
            pipeline = (folder / "space.yaml").read_text()
            (folder / "space.yaml").write_text(pipeline.replace(without, "") if without else pipeline)
            rows, _ = explored(folder, "latency, area", "grid", f"of{len(without)}.sqlite")
            for point, row in list(rows.items())[::1 if thorough else 3]:
                done = subprocess.run([host, "run", "space.yaml", "--point", point, "--format=json",
                                       "--set=ExplorationStage.objectives=[latency, area]"], cwd=folder, capture_output=True, text=True)
                total = json.loads(done.stdout)["results"][0]["total"]
                assert total["latency_total2"] == float(row["latency"]), (point, row, done.stderr)
        for strategy, words in (("proof", "strategy: proof has no bound of the figure 'spced'"),
                                ("grid", "'spced', which no stage of the pipeline gives")):
            done = subprocess.run([host, "-q", "space.yaml", *chosen("energy, spced", strategy, "refused.sqlite", 0)], cwd=folder,
                                  capture_output=True, text=True)
            assert done.returncode == 2 and words in done.stderr, (strategy, done.returncode, done.stderr)


def answers(store):
    """How many layers a store has answers of."""
    if not store.exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as file:
        try:
            return file.execute("SELECT count(*) FROM answer").fetchone()[0]
        except sqlite3.OperationalError:  # no tables yet
            return 0


def cut_short(whole, store):
    """A copy of a store without every other answer, as if its run had been killed at any moment; and how many it lacks."""
    shutil.copy(whole, store)
    with contextlib.closing(sqlite3.connect(store)) as file, file:
        lacks = file.execute("SELECT key FROM answer ORDER BY key").fetchall()[::2]
        file.executemany("DELETE FROM answer WHERE key = ?", lacks)
    return len(lacks)


def searched(said):
    return int(re.search(r"layers searched: (\d+)", said).group(1))


# A proof that was killed goes on: it searches no layer again that it had written, and ends with the same bytes. With another
# tolerance, or a step more on an axis, it searches less than it would alone (thorough).
if not chips:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "network.yaml").write_text(NETWORK)
        chip, mapping, everyday, large = SPACES[0]
        write = lambda space: (folder / "space.yaml").write_text(  # noqa: E731
            PIPELINE.format(source=source, chip=chip, mapping=mapping, space=space.strip("\n")))
        write(everyday)
        for tolerance in (0, 0.02) if thorough else (0,):
            whole, said = explored(folder, "latency, energy, area", "proof", f"whole{tolerance}.sqlite", tolerance)
            all_searched, store = searched(said), folder / f"killed{tolerance}.sqlite"
            for least in (1, all_searched // 2):
                begun = subprocess.Popen([host, "-q", "space.yaml", *chosen("latency, energy, area", "proof", store.name, tolerance)],
                                         cwd=folder, stdout=subprocess.DEVNULL)
                while begun.poll() is None and answers(store) < least:
                    time.sleep(0.005)
                begun.kill()
                ended = begun.wait() == 0  # before it could be killed
            kept = answers(store)
            assert kept > 0
            again, said = explored(folder, "latency, energy, area", "proof", store.name, tolerance)
            assert again == whole and searched(said) == (0 if ended else all_searched - kept), (tolerance, all_searched, kept, said)
            # However fast the machine is.
            lacks = cut_short(store, folder / f"cut{tolerance}.sqlite")
            again, said = explored(folder, "latency, energy, area", "proof", f"cut{tolerance}.sqlite", tolerance)
            assert again == whole and searched(said) == lacks > 0, (tolerance, all_searched, lacks, said)
        if not thorough:
            sys.exit()
        _, alone = explored(folder, "latency, energy, area", "proof", "wide.sqlite", 0.05)
        _, said = explored(folder, "latency, energy, area", "proof", "whole0.sqlite", 0.05)
        assert searched(said) < searched(alone), (said, alone)
        write(everyday.replace("[64, 128]", "[64, 96, 128]"))
        _, alone = explored(folder, "latency, energy, area", "proof", "alone.sqlite")
        _, said = explored(folder, "latency, energy, area", "proof", "whole0.sqlite")
        assert searched(said) < searched(alone), (said, alone)
        # At a hundred moments, in stores of their own: the rest of the run ends with the same bytes.
        moments = random.Random(1)
        for number in range(25 if thorough else 0):
            strategy, tolerance = (("grid", 0), ("proof", 0), ("proof", 0.02))[number % 3]
            started = time.monotonic()
            whole, _ = explored(folder, "latency, energy, area", strategy, f"all{number}.sqlite", tolerance)
            usual = time.monotonic() - started
            for _ in range(4):
                begun = subprocess.Popen(
                    [host, "-q", "space.yaml", *chosen("latency, energy, area", strategy, f"often{number}.sqlite", tolerance)],
                    cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(moments.uniform(0, usual / 2))
                begun.kill()
                begun.wait()
            again, _ = explored(folder, "latency, energy, area", strategy, f"often{number}.sqlite", tolerance)
            assert again == whole, (number, strategy, tolerance)
