"""The energy of the matrix product in the inputs, as the README of the example works it out."""
from example import equal, has


def check(example):
    rows, columns, terms = 4, 6, 8
    mac_energy = rows * columns * terms * 0.5
    bits = {"I": rows * terms * 8, "W": terms * columns * 8, "O": rows * columns * 16}
    buffer = (bits["I"] + bits["W"]) / 64 * 2 + bits["O"] / 64 * 3
    dram = (bits["I"] + bits["W"]) / 32 * 100 + bits["O"] / 32 * 200
    cycles = rows * (columns // 2) * (terms // 2)
    results = example.results(above="SpatialMappingGeneratorStage")
    assert results
    for result in results:
        equal(result["mac_energy"], mac_energy, "mac_energy")
        equal(result["mem_energy"], buffer + dram, "mem_energy")
        equal(result["energy_total"], mac_energy + buffer + dram, "energy_total")
        equal(result["latency_total2"], 1.5 * cycles, "latency_total2")

    example.edit("stall: 1.5", "stall: 0.5")
    has(example.run(expect=2).stderr, "'stall'", "[1, inf]")
