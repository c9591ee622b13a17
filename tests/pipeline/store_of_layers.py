"""usage: store_of_layers.py ZZ_HOST

One store for the mappings of layers: whatever asks again finds them, and results are the same bytes with it and without.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host = pathlib.Path(sys.argv[1]).resolve()
LAYERS = ["--workload", "workload.yaml", "--accelerator", "accelerator.yaml", "--mapping", "mapping.yaml"]
THIRD = """
- id: 2
  name: third
  operator_type: Gemm
  equation: O[d][k]+=I[d][c]*W[c][k]
  dimension_relations: []
  loop_dims: [D, K, C]
  loop_sizes: [16, 48, 16]
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
  operand_source: {I: 0, W: 2}
"""


def run(folder, *arguments, status=0):
    done = subprocess.run([host, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def found(text):
    """(found, asked), as the run says it."""
    line = re.search(r"^found in the store: (\d+) of (\d+)$", text, re.MULTILINE)
    assert line, text
    return int(line[1]), int(line[2])


def files(folder, name):
    """Without archives, which hold their own times."""
    return {path.name: path.read_bytes() for path in (folder / name).rglob("*") if path.suffix == ".json"}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    text_case.prepare({}, folder)
    layers = (folder / "workload.yaml").read_text()
    keep = ["--store", "answers.sqlite"]

    assert "store" not in run(folder, "map", *LAYERS, "--output", "without")
    assert found(run(folder, "map", *LAYERS, *keep, "--output", "first")) == (0, 2)
    assert found(run(folder, "map", *LAYERS, *keep, "--output", "again", "-j2")) == (2, 2)
    assert files(folder, "without") == files(folder, "first") == files(folder, "again")

    # Another network shares two of its three layers; another objective shares nothing.
    (folder / "workload.yaml").write_text(layers.rstrip("\n") + THIRD)
    assert found(run(folder, "map", *LAYERS, *keep)) == (2, 3)
    assert found(run(folder, "map", *LAYERS, *keep, "--objective", "energy")) == (0, 3)
    # What is best by the energy alone is known with it, to groups and to a space of designs.
    assert found(run(folder, "fused", "workload.yaml", "accelerator.yaml", "--mapping", "mapping.yaml", *keep)) == (3, 3)
    (folder / "space.yaml").write_text("""version: 1\nparameters: {workload: workload.yaml, accelerator: accelerator.yaml, mapping: mapping.yaml, store: answers.sqlite}
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - ExplorationStage:
      axes: {memories.buffer.r_cost: [1, 2]}
      linked: {memories.buffer.w_cost: memories.buffer.r_cost}
      objectives: [energy, latency]
  - SumStage
  - WorkloadStage
  - MinimalEnergyStage
  - OptimalMappingStage
  - CostModelStage
""")
    text = run(folder, "space.yaml")
    # The latency does not depend on costs: each layer once, as `map` found it. Energies are asked for each cost.
    assert found(text)[1] == 9 and found(text)[0] >= 3, text
    again = run(folder, "space.yaml")
    assert "points that the store had: 2" in again, again

    # Pieces of layers on several cores.
    first = run(folder, "stream.yaml", "--set", "store=cores.sqlite", "--set", "dump_folder=cores1")
    again = run(folder, "stream.yaml", "--set", "store=cores.sqlite", "--set", "dump_folder=cores2")
    assert found(first)[0] == 0 and found(again)[0] == found(again)[1] == found(first)[1] > 0, (first, again)
    assert "costs of cores computed" in first and "costs of cores computed" not in again, again
    assert files(folder, "cores1") == files(folder, "cores2")

    # Merged, one store has the answers of both.
    run(folder, "map", *LAYERS, "--store", "part.sqlite")
    assert "answers for layers" in run(folder, "merge", "all.sqlite", "part.sqlite")
    assert found(run(folder, "map", *LAYERS, "--store", "all.sqlite")) == (3, 3)
    assert "no exploration has begun" in run(folder, "front", "all.sqlite", status=2)

    # Two programs at once lose nothing.
    both = [subprocess.Popen([host, "map", *LAYERS, "--store", "two.sqlite", "--objective", objective], cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for objective in ("energy", "latency")]
    for program in both:
        assert program.wait() == 0, program.stderr.read()
        program.stderr.close()
    for objective in ("energy", "latency"):
        assert found(run(folder, "map", *LAYERS, "--store", "two.sqlite", "--objective", objective)) == (3, 3)

    # What is no store is told before anything is searched, and left as it is.
    assert "store" in run(folder, "map", *LAYERS, "--store", "workload.yaml", status=2)
    assert (folder / "workload.yaml").read_text().endswith(THIRD)
    assert "leave 'store' out, or the quick search" in run(folder, "map", *LAYERS, *keep, "--quick", status=2)
print("found again")
