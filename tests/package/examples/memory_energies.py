"""Energies from the accesses that the cost model counts and the costs of the file, and nothing else changed."""
from example import equal, has

READS = ("rd_out_to_low", "rd_out_to_high")


def without_energies(result):
    operands = [(operand["operand"], [(level["memory"], level["accesses"], level["utilization"])
                                      for level in operand["levels"]]) for operand in result["operands"]]
    names = ("operands", "mem_energy", "energy_total", "edp")
    return operands, {name: value for name, value in result.items() if name not in names}


def check(example):
    example.edit("  - MemoryEnergyStage\n", "", into="plain.yaml")
    plain = example.results(above="LomaStage", pipeline="plain.yaml")
    own = example.results(above="LomaStage")
    assert len(own) == len(plain) > 10
    costs = {row["memory"]: row for row in example.yaml("memory_energies.yaml")}
    for before, after in zip(plain, own):
        assert without_energies(before) == without_energies(after)
        mem_energy = 0
        for operand in after["operands"]:
            for level in operand["levels"]:
                cost = costs[level["memory"]]
                for direction, accesses in level["accesses"].items():
                    energy = accesses * (cost["read"] if direction in READS else cost["write"])
                    equal(level["energy_by_direction"][direction], energy, direction)
                equal(level["energy"], sum(level["energy_by_direction"].values()), "the energy of a level")
                mem_energy += level["energy"]
        equal(after["mem_energy"], mem_energy, "mem_energy")
        equal(after["energy_total"], 192 * 0.5 + mem_energy, "energy_total")
        equal(after["edp"], after["energy_total"] * after["latency_total2"], "edp")
    # The search has seen the new energies.
    example.run()
    saved = example.json("outputs/product_complete.json")["outputs"]
    best = min(own, key=lambda result: result["edp"])
    equal(saved["energy"]["energy_total"], best["energy_total"], "energy_total")
    assert sum(sum(levels) for levels in saved["energy"]["memory_energy_breakdown_per_level"].values()) \
        == saved["energy"]["memory_energy"]

    # The costs of the accelerator itself change nothing at all.
    (example.folder / "memory_energies.yaml").write_text(
        "- {memory: buffer, read: 2, write: 3}\n- {memory: dram, read: 100, write: 200}\n")
    for before, after in zip(plain, example.results(above="LomaStage")):
        equal(after["energy_total"], before["energy_total"], "energy_total")

    example.edit("memory: buffer", "memory: bufer", "memory_energies.yaml")
    has(example.run(expect=2).stderr, "memory_energies.yaml: there is no memory 'bufer' in accelerator 'by_hand'")
    example.edit("read: 100", "reed: 100", "memory_energies.yaml")
    has(example.run(expect=2).stderr, "memory_energies.yaml:2:18: error: unknown key 'reed' of row 2")
