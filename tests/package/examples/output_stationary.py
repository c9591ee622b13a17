"""Of all loop orders exactly those pass in which no partial sum comes back to the accumulators."""
from example import has

NEEDS = ["rustc"]
STAGE = "  - OutputStationaryStage: {level: 0}\n"


def order(result):
    return [(loop["dimension"], loop["size"]) for loop in result["temporal_mapping"]["loops"]]


def partial_sums(result):
    """Words that the buffer hands back to the accumulators."""
    [output] = [operand for operand in result["operands"] if operand["operand"] == "O"]
    [buffer] = [level for level in output["levels"] if level["memory"] == "buffer"]
    return buffer["accesses"]["rd_out_to_low"]


def check(example):
    passed = example.results(above="LomaStage")
    example.edit(STAGE, "")
    everything = example.results(above="LomaStage")
    # Two units share the 6 columns and two the 8 terms, so 4 = 2 * 2, 3 and 4 = 2 * 2 iterations are left.
    assert len(everything) == 30, f"{len(everything)} orders of D 2, D 2, K 3, C 2, C 2; there are 5! / (2! 2!)"
    assert passed == [result for result in everything if partial_sums(result) == 0]
    # An accumulator holds one sum: the same orders are those with the reductions innermost.
    assert passed == [result for result in everything if order(result)[:2] == [("C", 2)] * 2]
    assert len(passed) == 3, f"{len(passed)} orders of D 2, D 2, K 3 above the reductions"

    example.edit("  - CostModelStage", STAGE.replace("0", "1") + "  - CostModelStage")
    assert example.results(above="LomaStage") == everything, "the buffer holds all sums"
    example.edit("level: 1", "level: 3")
    has(example.run(expect=2).stderr, "there is no level 3: 3 memories hold the output")
    example.edit("level: 3", "level: -1")
    has(example.run(expect=2).stderr, "pipeline.yaml", "'level'", "[0, inf]")
    # No order is left: all sums would have to stay in an accumulator, and the outermost loop is over terms.
    example.edit("level: -1", "level: 0")
    example.edit("  memory_operand_links", "  temporal_ordering: [['*', '*'], [C, 4]]\n  memory_operand_links",
                 file="../inputs/mapping.yaml")
    has(example.run(expect=4).stderr, "partial sums leave level 0: a loop over C is outside")
