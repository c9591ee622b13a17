"""Embodied and operational carbon, from the formulas and the figures that the inputs give."""
from example import equal, has


def check(example):
    facts = example.yaml("carbon.yaml")
    area = 4 * 0.001 + 0.02  # four units and one buffer
    results = example.results(above="CarbonStage")
    assert len(results) > 10
    for result in results:
        seconds = result["latency_total2"] / (facts["clock_frequency"] * 1e6)
        lives = seconds / (facts["lifetime"] * 365 * 24 * 3600)
        embodied = area * facts["embodied_per_area"] * lives
        operational = result["energy_total"] * 1e-12 / 3.6e6 * facts["grid_intensity"]
        equal(result["carbon_embodied"], embodied, "carbon_embodied")
        equal(result["carbon_operational"], operational, "carbon_operational")
        equal(result["carbon_total"], embodied + operational, "carbon_total")

    # The reducer keeps the lowest, and the files have it by its name.
    example.run()
    best = min(result["carbon_total"] for result in results)
    for file in ("product_simple", "overall_simple"):
        equal(example.json(f"outputs/{file}.json")["metrics"]["carbon_total"], best, f"carbon_total in {file}")
    complete = example.json("outputs/product_complete.json")["outputs"]
    equal(complete["metrics"]["carbon_total"], best, "carbon_total in product_complete")
    equal(complete["energy"]["energy_total"] * 1e-12 / 3.6e6 * facts["grid_intensity"],
          complete["metrics"]["carbon_operational"], "carbon_operational in product_complete")

    # Where clean electricity makes the chip what counts, the fastest mapping wins.
    example.edit("grid_intensity: 400.0", "grid_intensity: 0", "carbon.yaml")
    [fastest] = example.results(above="MinimalMetricStage")
    assert fastest["latency_total2"] == min(result["latency_total2"] for result in results)

    example.edit("lifetime: 3.0", "life_time: 3.0", "carbon.yaml")
    has(example.run(expect=2).stderr, "carbon.yaml:4:1: error: unknown key 'life_time'", "did you mean 'lifetime'?")
    example.edit("life_time: 3.0", "lifetime: 0", "carbon.yaml")
    example.edit("grid_intensity: 0", "", "carbon.yaml")
    has(example.run(expect=2).stderr, "'lifetime' of carbon.yaml must lie in (0, inf] years",
        "'grid_intensity' of carbon.yaml is missing")
