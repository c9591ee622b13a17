"""The exported nest is run: it makes every multiplication once, and tiles hold what their loops touch."""
import itertools
import math

from example import has

STRIDE = 2
SIZES = {"B": 1, "K": 8, "C": 4, "OY": 8, "OX": 8, "FY": 3, "FX": 3}
PRECISION = {"O": 8, "W": 8, "I": 8}
PARTIAL_SUM = 16  # outputs leave the accumulators when they are finished


def points(loops):
    """Every iteration of loops, outermost first, as positions by dimension."""
    for indices in itertools.product(*(range(size) for _, size in loops)):
        position = dict.fromkeys(SIZES, 0)
        for (dimension, size), index in zip(loops, indices):
            position[dimension] = position[dimension] * size + index
        yield position


def element(operand, at):
    if operand == "I":
        return at["B"], at["C"], STRIDE * at["OY"] + at["FY"], STRIDE * at["OX"] + at["FX"]
    return tuple(at[dimension] for dimension in {"O": ("B", "K", "OY", "OX"), "W": ("K", "C", "FY", "FX")}[operand])


def check(example):
    example.run()
    nest = example.json("outputs/convolution.json")
    space = [(loop["dimension"], loop["factor"]) for loop in nest["unrolled"]]
    time = [(loop["dimension"], loop["size"]) for loop in nest["loops"]]
    everything = {tuple(at.items()) for at in points(time + space)}
    assert len(everything) == math.prod(SIZES.values()) == math.prod(size for _, size in time + space)

    room = {"accumulator": 16, "buffer": 8192, "dram": 1e9}
    bits = dict.fromkeys(room, 0)
    for operand, tiles in nest["tiles"].items():
        order = [tile["memory"] for tile in tiles]
        for tile in tiles:
            level = order.index(tile["memory"])
            inside = [(loop["dimension"], loop["size"]) for loop in nest["loops"]
                      if order.index(loop["memory"][operand]) <= level]
            # Outputs are added up over a row of the units, into an accumulator for each column.
            units = [("C", 2)] if tile["memory"] == "accumulator" else space
            touched = {element(operand, at) for at in points(inside + units)}
            held = math.prod(tile["shape"].values())
            assert held == len(touched), f"{operand} in {tile}: its loops touch {len(touched)} elements"
            bits[tile["memory"]] += held * (PARTIAL_SUM if tile["memory"] == "accumulator" else PRECISION[operand])
    for memory, size in room.items():
        assert bits[memory] <= size, f"{bits[memory]} bits in {memory}"
        for tiles in nest["tiles"].values():
            for tile in tiles:
                assert tile["memory"] != memory or tile["double_buffered"] == (2 * bits[memory] <= size)
    # What the README shows.
    assert nest["loops"][0] == {"dimension": "OX", "size": 8, "memory": {"O": "buffer", "W": "buffer", "I": "dram"}}
    assert nest["tiles"]["I"][0]["shape"] == {"B": 1, "C": 4, "IY": 17, "IX": 3}

    # Of seven channels two units take one or two in each of four rounds: no iteration is left out.
    example.edit("loop_sizes: [1, 8, 4,", "loop_sizes: [1, 7, 4,", "../inputs/convolution.yaml")
    example.run()
    nest = example.json("outputs/convolution.json")
    iterations = dict.fromkeys(SIZES, 1)
    for loop in nest["loops"] + nest["unrolled"]:
        iterations[loop["dimension"]] *= loop.get("size", 0) or loop["factor"]
    assert iterations == SIZES, iterations
    example.edit("loop_sizes: [1, 7, 4,", "loop_sizes: [1, 8, 4,", "../inputs/convolution.yaml")

    example.edit("  - SumStage\n", "")
    example.edit("  - WorkloadStage\n  - LoopNestExporterStage: {folder: outputs}\n",
                 "  - LoopNestExporterStage: {folder: outputs}\n  - SumStage\n  - WorkloadStage\n")
    has(example.run(expect=2).stderr, "LoopNestExporterStage", "a sum has no loops: stand below SumStage")
