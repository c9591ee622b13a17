"""Three results, the best ones, in order."""
from example import has


def figures(results):
    """What the mappings cost: how much a search tried stands in the results of the whole chain alone."""
    return [(result["energy_total"], result["latency_total2"], result["temporal_mapping"]) for result in results]


def check(example):
    everything = example.results(above="SpatialMappingGeneratorStage")
    assert len(everything) > 10, f"only {len(everything)} mappings to choose from"
    assert figures(example.results()) == figures(sorted(everything, key=lambda result: result["latency_total2"])[:3])
    example.edit("latency_total2", "energy_total")
    assert figures(example.results()) == figures(sorted(everything, key=lambda result: result["energy_total"])[:3])

    example.edit("energy_total", "energy")
    has(example.run(expect=2).stderr, "compares results by 'energy', which no stage of the pipeline gives")
    example.edit("keep: 3", "keep: 0")
    has(example.run(expect=2).stderr, "'keep'", "[1, inf]")
