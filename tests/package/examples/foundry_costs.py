"""The buffer has the costs of the smallest memory in the table that is large and wide enough."""
from example import equal, has

READS = ("rd_out_to_low", "rd_out_to_high")


def check(example):
    own = example.results(above="LomaStage")
    assert len(own) > 10
    for result in own:
        for operand in result["operands"]:
            for level in operand["levels"]:
                read, write = {"buffer": (1.1, 1.25), "dram": (100, 200)}[level["memory"]]
                for direction, accesses in level["accesses"].items():
                    equal(level["energy_by_direction"][direction], accesses * (read if direction in READS else write), direction)
        # 0.2 mW for as many cycles of 0.8 ns, in pJ.
        equal(result["leakage_energy"], 0.2 * result["latency_total2"] * 0.8, "leakage_energy")
        equal(result["energy_with_leakage"], result["energy_total"] + result["leakage_energy"], "energy_with_leakage")
        equal(result["clock_frequency"], 1250, "clock_frequency")
    has(example.run().stderr, "buffer is a macro_4k")
    best = min(own, key=lambda result: result["energy_with_leakage"])
    equal(example.json("outputs/product_complete.json")["outputs"]["energy"]["energy_total"], best["energy_total"], "energy_total")

    # Costs that are told are not touched, and what nobody fills is told.
    example.edit("r_cost: auto", "r_cost: 7", "accelerator.yaml")
    told = example.results(above="LomaStage")
    buffer = told[0]["operands"][0]["levels"][0]
    equal(buffer["energy_by_direction"]["rd_out_to_low"], 7 * buffer["accesses"]["rd_out_to_low"], "a read")
    example.edit("size: 16384", "size: 65536", "accelerator.yaml")
    example.edit("  - LeakageStage\n", "  - LeakageStage: {leakage_power: 1, cycle_time: 1}\n")
    has(example.run(expect=2).stderr, "leaves costs open (auto), which no stage has filled: w_cost of memory 'buffer'")
    example.edit("  - FoundryCostStage\n", "  - FoundryCostStage\n  - ComponentCostStage\n")
    has(example.run().stderr, "open_costs: buffer: w_cost", "fitted: CACTI 7")
