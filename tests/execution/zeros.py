"""Zeros that are drawn against the expected values of zz: 1,000 masks for each of some random layers and machines.

usage: zeros.py --cases N [--first SEED]

Every element of W and I is zero or not in each draw. The rounds of the unrolling are walked, and a round is made where a unit has
something to do. Means must lie within five standard errors. Formats are drawn by the unit tests of tiles.
"""
import argparse
import itertools
import math
import random
import sys

try:
    import zz
except ImportError:
    print("no package zz: skipped")
    sys.exit(77)
import cases

DRAWS = 1000


class Drawn:
    """A layer whose elements are drawn: of each element a number with one bit for each draw, set where it is not zero."""

    def __init__(self, rng, layer, densities):
        self.rng, self.layer, self.densities, self.masks = rng, layer, densities, {}

    def mask(self, operand, at):
        key = (operand, self._address(operand, at))
        if key not in self.masks:
            density = self.densities.get(operand, 1)
            self.masks[key] = sum(1 << draw for draw in range(DRAWS) if self.rng.random() < density)
        return self.masks[key]

    def _address(self, operand, at):
        dimensions = next(one["dimensions"] for one in self.layer["operands"] if one["name"] == operand)
        windows = {one["data"]: one for one in self.layer["relations"]}
        return tuple(windows[name]["stride"] * at.get(windows[name]["output_loop"], 0) + windows[name]["dilation"] * at.get(windows[name]["filter_loop"], 0)
                     if name in windows else at.get(name, 0) for name in dimensions)


def blocks(size, units):
    """Iterations of each round of a loop: as even as can be."""
    rounds, begin, made = -(-size // units), 0, []
    for number in range(rounds):
        end = (number + 1) * size // rounds
        made.append(range(begin, end))
        begin = end
    return made


def rounds_made(drawn, layer, skipped):
    """The share of rounds that are made in each draw."""
    units = {loop["name"]: 1 for loop in layer["loops"]}
    for along in layer["mapping"]["spatial_mapping"]["dimensions"]:
        for loop in along["loops"]:
            units[loop["dimension"]] *= loop["factor"]
    names = [loop["name"] for loop in layer["loops"]]
    counts, rounds = [0] * DRAWS, 0
    for round_ in itertools.product(*(blocks(loop["size"], units[loop["name"]]) for loop in layer["loops"])):
        some = 0
        for at in itertools.product(*round_):
            work = (1 << DRAWS) - 1
            for operand in skipped:
                work &= drawn.mask(operand, dict(zip(names, at)))
            some |= work
        rounds += 1
        while some:
            counts[some.bit_length() - 1] += 1
            some &= ~(1 << (some.bit_length() - 1))
    return [count / rounds for count in counts]


def operations_left(drawn, layer, seen):
    """The share of operations in each draw whose elements of these operands are not zero."""
    names, counts, all_operations = [loop["name"] for loop in layer["loops"]], [0] * DRAWS, 0
    for at in itertools.product(*(range(loop["size"]) for loop in layer["loops"])):
        work = (1 << DRAWS) - 1
        for operand in seen:
            work &= drawn.mask(operand, dict(zip(names, at)))
        all_operations += 1
        for draw in range(DRAWS):
            counts[draw] += work >> draw & 1
    return [count / all_operations for count in counts]


def off(values, expected):
    """By how many standard errors the mean is off."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    error = math.sqrt(max(variance, expected * max(0, 1 - expected) / len(values) / 100, 1e-18) / len(values))
    return abs(mean - expected) / error


def check(seed):
    """None where nothing fits; else what was compared, as {what: standard errors}."""
    rng = random.Random(f"zeros of {seed}")
    sizes, layer = cases.random_layer(rng)
    array = [rng.choice((1, 2, 3, 4)), rng.choice((1, 2, 3))]
    _, unrolled = cases.random_unrolling(rng, sizes, array, rng.random() < 0.4)
    accelerator = cases.random_accelerator(rng, array, False)
    densities = {"W": rng.choice((0.1, 0.4, 0.8)), "I": rng.choice((0.2, 0.5, 0.9))}
    on_zero = {operand: rng.choice(("skip", "skip", "gate")) for operand in ("W", "I") if rng.random() < 0.8} or {"I": "skip"}
    together = rng.random() < 0.7
    accelerator["operational_array"].update(on_zero=on_zero, skip_together=together)
    layer["sparsity"] = {operand: {"density": density} for operand, density in densities.items()}
    mapping = {"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}, "spatial_mapping": unrolled}
    stages = [*cases.STAGES, "SpatialMappingGeneratorStage", "MinimalLatencyStage", {"LomaStage": {"loma_lpf_limit": 4}}, "CostModelStage"]
    try:
        found = zz.run(stages, workload=[layer], accelerator=accelerator, mapping=[mapping])[0].evaluation.to_python()
    except zz.Error:
        return None
    made = found["layer"]
    drawn = Drawn(rng, made, densities)
    steps = math.prod(loop["size"] for loop in found["temporal_mapping"]["loops"])
    skipped = [operand for operand, does in on_zero.items() if does == "skip"]
    of_operations = operations_left(drawn, made, on_zero)
    told = {"energy": off(of_operations, found["mac_energy"] / math.prod(sizes.values()))}
    if together:
        told["rounds"] = off(rounds_made(drawn, made, skipped), found["array_cycle"] / steps)
    else:
        told["cycles"] = off(operations_left(drawn, made, skipped), found["array_cycle"] / steps)
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, required=True)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    compared, wrong = 0, []
    for seed in range(options.first, options.first + options.cases):
        told = check(seed)
        if told is None:
            continue
        compared += 1
        wrong += [f"case {seed}: {what} is {errors:.1f} standard errors off" for what, errors in told.items() if errors > 5]
    print(f"{compared} cases of {options.cases}, {DRAWS} masks each")
    for line in wrong:
        print(line)
    return 1 if wrong or compared < options.cases / 3 else 0


if __name__ == "__main__":
    sys.exit(main())
