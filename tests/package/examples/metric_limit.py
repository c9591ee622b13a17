"""The best energy within a latency, against all results of the search."""
from example import equal, has


def check(example):
    everything = example.results(above="MetricLimitStage")
    # The collecting stage asks for every result, so that nothing was left out.
    assert len(everything) > 20
    limit = sorted(result["latency_total2"] for result in everything)[len(everything) // 2]
    cheapest = min(result["energy_total"] for result in everything)
    within = [result["energy_total"] for result in everything if result["latency_total2"] <= limit]
    example.edit("at_most: 220", f"at_most: {limit}")
    [best] = example.results(above="WorkloadStage")
    equal(best["energy_total"], min(within), "the lowest energy within the limit")
    assert best["latency_total2"] <= limit

    # Whatever the limit, it is the best of those within; also where it excludes the best of all.
    fastest = min(result["latency_total2"] for result in everything)
    example.edit(f"at_most: {limit}", f"at_most: {fastest}")
    [best] = example.results(above="WorkloadStage")
    equal(best["energy_total"], min(r["energy_total"] for r in everything if r["latency_total2"] == fastest), "at the limit")
    assert cheapest <= best["energy_total"]

    example.edit(f"at_most: {fastest}", f"at_most: {fastest - 1}")
    has(example.run(expect=4).stderr, "none of its", "mappings keeps the limits of the stages above")

    # Other mappers keep it, too, and the proof is about what is within.
    example.edit(f"at_most: {fastest - 1}", f"at_most: {limit}")
    before = "LomaStage"
    for mapper in ("SalsaStage: {salsa_restarts: 4}", "OptimalTemporalMappingStage"):
        example.edit(f"  - {before}", f"  - {mapper}")
        before = mapper
        [best] = example.results(above="WorkloadStage")
        assert best["latency_total2"] <= limit
    assert best["energy_total"] <= min(within)
