"""The plan is a packing, as small as can be, and resident layers load no weights."""
import math

from example import equal, has

ROWS, COLUMNS = 16, 4
MATRICES = {"first": (16, 8), "second": (8, 20), "third": (20, 6), "fourth": (6, 2)}
LOADED = [("cells", "wr_in_by_high"), ("dram", "rd_out_to_low")]
DEPTHWISE = """
- id: 0
  name: depthwise
  operator_type: Conv
  equation: O[b][g][oy][ox]+=W[g][fy][fx]*I[b][g][iy][ix]
  dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy]
  loop_dims: [B, G, OY, OX, FY, FX]
  loop_sizes: [1, 6, 2, 2, 3, 3]
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
  operand_source: {I: 0, W: 0}
  pr_loop_dims: [IY, IX]
  padding: [[0, 0], [0, 0]]
"""


def check_plan(plan, matrices, groups=1):
    """Every weight has a place of its own; gives the number of macros."""
    taken = set()
    for layer in plan["layers"]:
        rows, columns = matrices[layer["name"]]
        weights = set()
        for tile in layer["tiles"]:
            for i in range(tile["rows"]):
                for j in range(tile["columns"]):
                    weights.add((tile["group"], tile["row"] + i, tile["column"] + j))
                    assert tile["at_row"] + i < ROWS and tile["at_column"] + j < COLUMNS
                    place = (tile["macro"], tile["at_row"] + i, tile["at_column"] + j)
                    assert place not in taken, f"two weights at {place}"
                    taken.add(place)
        assert weights == {(g, i, j) for g in range(groups) for i in range(rows) for j in range(columns)}
    return len({macro for macro, _, _ in taken})


def loading(evaluation):
    levels = next(operand["levels"] for operand in evaluation["operands"] if operand["operand"] == "W")
    return sum(level["energy_by_direction"][direction] for level in levels for memory, direction in LOADED
               if level["memory"] == memory)


def check_energies(example, resident):
    # Of every mapping, not just of the best.
    every_mapping = ("SumStage", "MinimalEnergyStage")
    after = example.results(without=every_mapping)
    example.edit("  - ResidentWeightsStage\n", "")
    before = example.results(without=every_mapping)
    example.edit("  - CostModelStage", "  - ResidentWeightsStage\n  - CostModelStage")
    assert len(before) == len(after) > len(MATRICES)
    for one, other in zip(before, after):
        saved = loading(one) if one["layer"]["name"] in resident else 0
        # Each weight is read outside (32 bits: 100 pJ) and written to its cell (1 pJ) at least once.
        rows, columns = MATRICES[one["layer"]["name"]]
        assert loading(one) >= rows * columns * (100 * 8 / 32 + 1) * (1 - 1e-12)
        for figure in ("energy_total", "mem_energy"):
            equal(other[figure], one[figure] - saved, f"{figure} of {one['layer']['name']}")
        if saved:
            assert loading(other) == 0
        parts = sum(level["energy"] for operand in other["operands"] for level in operand["levels"])
        equal(parts, other["mem_energy"], "the sum of the memories")
        assert one["latency_total2"] == other["latency_total2"]


def check(example):
    [total] = example.results(above="WeightPackingStage")
    plan = example.json("outputs/packing.json")
    weights = sum(rows * columns for rows, columns in MATRICES.values())
    assert check_plan(plan, MATRICES) == plan["macros"] == plan["fewest_macros"] == math.ceil(weights / (ROWS * COLUMNS))
    assert total["metrics"] == {"macros": 7, "fewest_macros": 7}
    assert all(layer["resident"] for layer in plan["layers"])
    check_energies(example, resident=MATRICES)

    # With 4 macros 3 keep what is in them: both halves of the first layer, and a part of the third one.
    example.edit("macros: 7", "macros: 4")
    check_energies(example, resident={"first"})
    assert [layer["name"] for layer in example.json("outputs/packing.json")["layers"] if layer["resident"]] == ["first"]

    # Six matrices of 9 rows and one column: they cannot stand on each other, so that 4 go into a macro.
    (example.folder / "depthwise.yaml").write_text(DEPTHWISE)
    example.edit("../inputs/four_products.yaml", "depthwise.yaml")
    example.run()
    plan = example.json("outputs/packing.json")
    assert check_plan(plan, {"depthwise": (9, 1)}, groups=6) == plan["macros"] == plan["fewest_macros"] == 2

    example.edit("../inputs/imc_macro.yaml", "../inputs/accelerator.yaml")
    has(example.run(expect=2).stderr, "accelerator 'by_hand' is no in-memory-computing macro")
    example.edit("  - WeightPackingStage: {macros: 4, file: outputs/packing.json}\n", "")
    has(example.run(expect=2).stderr, "pipeline.yaml:19", "ResidentWeightsStage needs 'weight_packing'",
        "put WeightPackingStage above it")
