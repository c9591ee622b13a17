"""Three results, the best ones, in order."""
from example import has


def check(example):
    everything = example.results(above="SpatialMappingGeneratorStage")
    assert len(everything) > 10, f"only {len(everything)} mappings to choose from"
    assert example.results() == sorted(everything, key=lambda result: result["latency_total2"])[:3]
    example.edit("latency_total2", "energy_total")
    assert example.results() == sorted(everything, key=lambda result: result["energy_total"])[:3]

    example.edit("energy_total", "energy")
    has(example.run(expect=2).stderr, "compares results by 'energy', which no stage of the pipeline gives")
    example.edit("keep: 3", "keep: 0")
    has(example.run(expect=2).stderr, "'keep'", "[1, inf]")
