"""Energy and latency of the matrix product in the inputs, as the README of the example works them out."""
from example import equal, has

ROWS, COLUMNS, TERMS = 4, 6, 8
BITS = {"I": ROWS * TERMS * 8, "W": TERMS * COLUMNS * 8, "O": ROWS * COLUMNS * 16}


def energy(width, read, write):
    return (BITS["I"] + BITS["W"]) / width * read + BITS["O"] / width * write


def check(example):
    mac_energy = ROWS * COLUMNS * TERMS * 0.5
    computing = ROWS * (COLUMNS // 2) * (TERMS // 2)
    for width in (32, 8):  # of the memory outside: it is faster than the array, then slower
        mem_energy = energy(64, 2, 3) + energy(width, 100, 200)
        busy = max(computing, sum(BITS.values()) / 64, sum(BITS.values()) / width)
        results = example.results(above="SpatialMappingGeneratorStage")
        assert results
        for result in results:
            equal(result["mac_energy"], mac_energy, "mac_energy")
            equal(result["mem_energy"], mem_energy, "mem_energy")
            equal(result["energy_total"], mac_energy + mem_energy, "energy_total")
            equal(result["ideal_cycle"], ROWS * COLUMNS * TERMS / 4, "ideal_cycle")
            equal(result["latency_total0"], busy, "latency_total0")
            equal(result["latency_total2"], busy + 10, "latency_total2")
        if width == 32:
            example.run()
            written = example.json("outputs/product_simple.json")
            assert (written["energy"], written["latency"]) == (4534, 58)
            example.edit("bandwidth_min: 32\n        bandwidth_max: 32", "bandwidth_min: 8\n        bandwidth_max: 8",
                         "../inputs/accelerator.yaml")

    example.edit("setup: 10", "setup: -1")
    has(example.run(expect=2).stderr, "'setup' of SimpleCostModelStage must lie in [0, inf] cycles")
