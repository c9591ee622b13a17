"""The roofline of the matrix product in the inputs, as the README of the example works it out, with scores and without."""
from example import equal, has

NEEDS = ["rustc"]
ROWS, COLUMNS, TERMS = 4, 6, 8
BITS = (ROWS * TERMS + TERMS * COLUMNS) * 8 + ROWS * COLUMNS * 16
ARRAY = ROWS * (COLUMNS // 2) * (TERMS // 2)
BOTTLENECK = "  - BottleneckStage\n"


def table(example):
    return (example.folder / "bottlenecks/product.csv").read_text().splitlines()[1:]


def rows(outside):
    latency = lambda buffer, outside: max(ARRAY, BITS // buffer, BITS // outside)
    before = latency(64, outside)
    return [f"buffer,{before},{latency(128, outside)}", f"dram,{before},{latency(64, 2 * outside)}"]


def check(example):
    done = example.run(extra_args=["-v"])
    has(done.stderr, "info: BottleneckStage: product: dram holds it back the most")
    has(done.stdout, "accelerators compared: 2")
    # The search scores every order; evaluations are made of those that it chose, one for each accelerator.
    has(done.stdout, "rooflines drawn: 3")
    assert table(example) == rows(outside=8)
    [result] = example.results(above="BottleneckStage")
    equal(result["energy_total"], ROWS * COLUMNS * TERMS * 0.5 + BITS * 0.05 + BITS * 3, "energy_total")
    equal(result["latency_total2"], 128, "latency_total2")
    equal(result["bandwidth_gain"], 0.5, "bandwidth_gain")

    # Right above the leaf, the accelerators are scored: no evaluation is made of them.
    text = (example.folder / "pipeline.yaml").read_text().replace(BOTTLENECK, "")
    text = text.replace("  - RooflineStage", BOTTLENECK + "  - RooflineStage").replace("  - MinimalLatencyStage\n", "")
    (example.folder / "scored.yaml").write_text(text)
    orders = len(example.results(above="LomaStage", pipeline="scored.yaml"))
    done = example.run("scored.yaml", extra_args=["-v"])
    has(done.stdout, f"accelerators compared: {2 * orders}", f"rooflines drawn: {orders}")
    assert table(example) == rows(outside=8)

    example.edit("bandwidth_min: 8\n        bandwidth_max: 8", "bandwidth_min: 32\n        bandwidth_max: 32", "narrow.yaml")
    has(example.run().stderr, "info: BottleneckStage: product: no memory holds it back")
    assert table(example) == rows(outside=32)

    costs = example.folder / "costs.yaml"
    example.run("check-plugin", extra_args=["build/bottlenecks.so", "--set", f"costs={costs}"])
    costs.write_text("- {memory: buffer, per_bit: -1}\n- {memory: dram, per_bits: 2}\n")
    has(example.run(expect=2).stderr, "costs.yaml:1:29: error: 'per_bit' of row 1 of costs.yaml must lie in [0, inf] pJ",
        "costs.yaml:2:18: error: unknown key 'per_bits' of row 2 of costs.yaml; did you mean 'per_bit'?")
    costs.write_text("[]\n")
    has(example.run().stderr, "warning: RooflineStage: ", "costs.yaml has no rows: memories cost nothing")
