"""Cycles of the array, by walking the steps of a mapping: of each stay of data in the units, and of each block of rows in it.

Of an evaluation it reads the layer, the unrolling, the loop order and the array; none of its figures.
"""
import itertools
import math
from collections import defaultdict


def cycles(evaluation):
    """Cycles that the array takes for the steps of the mapping, with `efficiency`, `fold` and `instruction` if it has them."""
    array, loops = evaluation["accelerator"]["operational_array"], evaluation["temporal_mapping"]["loops"]
    fold, instruction = array.get("fold"), array.get("instruction")
    steps = len(existing_steps([(loop["dimension"], loop["size"]) for loop in loops], rounds_in_time(evaluation["layer"])))
    total = steps / array.get("efficiency", 1)
    if instruction:
        total += -steps + sum(_cycles_in_blocks(stay, loops, instruction) for stay in _stays(evaluation, instruction["operand"]))
    if fold:
        stays = 1 if fold["overlapped"] else sum(1 for _ in _stays(evaluation, fold["operand"]))
        total += stays * _cycles_of_fold(evaluation, fold)
    return total


def rounds_in_time(layer):
    """Of each loop dimension, how often its unrolling goes over the units."""
    units = dict.fromkeys((loop["name"] for loop in layer["loops"]), 1)
    for along in layer["mapping"].get("spatial_mapping", {}).get("dimensions", ()):
        for loop in along["loops"]:
            units[loop["dimension"]] *= loop["factor"]
    return {loop["name"]: -(-loop["size"] // units[loop["name"]]) for loop in layer["loops"]}


def existing_steps(loops, rounds):
    """Numbers of the steps of a nest, innermost loop first, that lie within the rounds of each dimension. A loop that its tiles do
    not divide ends before all of them."""
    whole = defaultdict(lambda: 1)
    for dimension, size in loops:
        whole[dimension] *= size
    if all(whole[dimension] <= rounds[dimension] for dimension in whole):
        return range(math.prod(whole.values()))
    steps, below = [(0, {})], defaultdict(lambda: 1)
    count = 1
    for dimension, size in loops:
        steps = [(number + i * count, {**at, dimension: at.get(dimension, 0) + i * below[dimension]})
                 for i in range(size) for number, at in steps]
        count, below[dimension] = count * size, below[dimension] * size
        if below[dimension] > rounds[dimension]:
            steps = [step for step in steps if step[1][dimension] < rounds[dimension]]
    return [number for number, _ in steps]


def _stays(evaluation, memory_operand):
    """Lists of consecutive steps that need the same data of the operand. A step is the iteration of each loop, innermost first."""
    layer, loops = evaluation["layer"], evaluation["temporal_mapping"]["loops"]
    changing = set()
    for operand in layer["operands"]:
        if layer["memory_operands"][operand["name"]] == memory_operand:
            for name in operand["dimensions"]:
                window = next((relation for relation in layer["relations"] if relation["data"] == name), None)
                changing |= {window["output_loop"], window["filter_loop"]} if window else {name}
    numbers = existing_steps([(loop["dimension"], loop["size"]) for loop in loops], rounds_in_time(layer))
    steps = (_step(number, loops) for number in numbers)
    for _, stay in itertools.groupby(steps, lambda step: [i for i, loop in zip(step, loops) if loop["dimension"] in changing]):
        yield list(stay)


def _step(number, loops):
    at = []
    for loop in loops:
        at.append(number % loop["size"])
        number //= loop["size"]
    return tuple(at)


def _cycles_in_blocks(stay, loops, instruction):
    """Of a stay: rows are the steps that differ along the first loop of `along` in it, in blocks one after the other."""
    def along(step, dimension):
        return tuple(i for i, loop in zip(step, loops) if loop["dimension"] == dimension)

    rows_along = next((d for d in instruction["along"] if len({along(step, d) for step in stay}) > 1), None)
    lines = defaultdict(list)
    for step in stay:
        lines[tuple(i for i, loop in zip(step, loops) if loop["dimension"] != rows_along)].append(step)
    blocks = [line[first:first + instruction["rows"]] for line in lines.values() for first in range(0, len(line), instruction["rows"])]
    takes = [max(len(block), instruction["min_cycles"]) for block in blocks]
    takes[0] = max(takes[0], instruction["reload_cycles"])
    return max(sum(takes), instruction["interval"] * len(blocks))


def _cycles_of_fold(evaluation, fold):
    sizes = {dimension["name"]: dimension["size"] for dimension in evaluation["accelerator"]["operational_array"]["dimensions"]}
    taken = 0
    for key, dimension in zip(("fill", "drain"), sorted(sizes)):
        units = {"none": 1, "used": _units_in_use(evaluation, dimension), "whole": sizes[dimension]}[fold[key]]
        taken += max(units, 1) - 1
    return taken + sizes.get(fold["preload"], 0)


def _units_in_use(evaluation, dimension):
    """Units along an array dimension, on average over the rounds, as whole ones."""
    sizes = {loop["name"]: loop["size"] for loop in evaluation["layer"]["loops"]}
    unrolled = evaluation["layer"]["mapping"]["spatial_mapping"]["dimensions"]
    factors = defaultdict(list)
    for own in unrolled:
        for loop in own["loops"]:
            factors[loop["dimension"]].append((loop["factor"], own["array_dimension"]))
    used = 1
    for loop, own in factors.items():
        # Rounds are full but for what the largest factor takes up.
        units = math.prod(factor for factor, _ in own)
        average = sizes[loop] / -(-sizes[loop] // units)
        largest = max(own, key=lambda one: one[0])
        for factor, along in own:
            if along == dimension:
                used *= factor * (average / units if (factor, along) == largest else 1)
    return math.ceil(used - 1e-9)
