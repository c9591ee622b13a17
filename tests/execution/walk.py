"""The executing reference: walks the loops of a mapping step by step on every unit, and counts what moves and what is held.

It shares no code with the cost model. Of an evaluation (`to_python()` of a result) it reads the layer, the unrollings and the
loop order with its level ends; none of its figures. Meant for layers of at most some ten thousand operations.

Rules of counting:
- A portion is the set of elements that an instance of a memory needs between two level ends. It moves whole, and once for all
  instances that take it from the same instance above.
- Units read an input again only when the elements that they need differ from those of the step before, or come with a tile that
  a memory with shared tiles loads anew, where `same_data_free`; else at every step.
- A sum that goes up is finished if no operation is missing and no other instance has a part of it. Sums come back only where
  they were before.
- Rounds are balanced: 4 iterations on 3 units are 2 and 2. Of an average of 3.5 units 4 work, and 3.
- A loop that its tiles do not divide ends with its last round: steps beyond do not exist. In a last tile units share out what is
  left in it.
- Loops of one dimension are nested as the operand with a window has them, else as the last one has them (docs/compilers.md).
- Elements follow each other in memory along the innermost dimension of the operand's layout; those of a portion that differ in
  nothing else are one stretch, also where it leaves some out.
"""
import math
from collections import Counter, defaultdict

from array_cycles import existing_steps, rounds_in_time

DIRECTIONS = ("rd_out_to_low", "wr_in_by_low", "rd_out_to_high", "wr_in_by_high")


class NotWalked(ValueError):
    """The reference does not know in which order the units take the iterations."""


def _spread(values, size, stride):
    """`values` once for each iteration of a loop around them, which adds its stride each time."""
    return [value + i * stride for i in range(size) for value in values]


class Walk:
    """After the walk (operands by number, the output is 0; memory levels from the units on):

    steps, operations
    moves[operand, level, direction]: {instance: Counter of portions, as (finished sums, other elements)}; of an operand in blocks with the
        scales of those that begin in the portion as a third number
    stretches[operand, level, direction]: {instance: Counter of portions, as the lengths of their stretches}; of operands with a layout
    held[operand, level]: most elements in one instance; held_scales: most scales of blocks
    tiles[operand, level]: how many portions of steps the memory holds data for, one after the other
    gets_unfinished[level]: whether the memory of the output takes sums from below that are not finished
    windows_shared[operand, level]: whether instances below take portions that overlap, and are not the same
    slides[operand]: whether a window moves over it, so that consecutive steps may need the same element
    """

    def __init__(self, evaluation, same_data_free):
        layer = evaluation["layer"]
        self.sizes = {loop["name"]: loop["size"] for loop in layer["loops"]}
        self.loops = [(loop["dimension"], loop["size"]) for loop in evaluation["temporal_mapping"]["loops"]]  # innermost first
        rounds = rounds_in_time(layer)
        #: Numbers of the steps, where those that do not exist are counted as well.
        self.numbers = existing_steps(self.loops, rounds)
        self.steps = len(self.numbers)
        self.rounds = rounds
        self.ends = [operand["stationary"] for operand in evaluation["temporal_mapping"]["operands"]]
        self.same_data_free = same_data_free
        self._read_unrollings(evaluation["spatial_mapping"]["operands"])
        axes = _axes(layer)
        self._set_strides(next((o for o, own in enumerate(axes) if any(len(axis) > 1 for axis in own)), len(axes) - 1))
        self._place_units()
        self.weights = [_address_weights(own, self.sizes) for own in axes]
        self.innermost = _innermost(layer, axes, self.sizes)
        self.blocks = _blocks(layer, axes, self.sizes)
        self.moves, self.stretches = (defaultdict(lambda: defaultdict(Counter)) for _ in range(2))
        self.held, self.held_scales, self.tiles, self.windows_shared = {}, {}, {}, {}
        self.slides = [any(sum(self.sizes[d] > 1 for d in axis) > 1 for axis in own) for own in axes]
        for o in range(len(axes)):
            self._walk_operand(o, _steps_of_tile(evaluation, o, self.ends[o]))
        self.gets_unfinished = [any(portion[1] for portions in self.moves[0, level, "wr_in_by_low"].values() for portion in portions)
                                for level in range(len(self.ends[0]))]

    def _read_unrollings(self, operands):
        """unrolled: the loops that run side by side, as (dimension, units). levels[operand][level]: which of them fan out below
        the memory of that level."""
        self.unrolled, self.levels = [], [[[] for _ in operand["levels"]] for operand in operands]
        for dimension in self.sizes:
            own = [[(level, loop["factor"]) for level, loops in enumerate(operand["levels"]) for loop in loops
                    if loop["dimension"] == dimension and loop["factor"] > 1] for operand in operands]
            # Along two array dimensions, an operand may have the loop at two levels, and another one both at one level.
            parts = max(own, key=len)
            factors = [factor for _, factor in parts]
            if len(parts) > 1 and (any(factor % 1 for factor in factors) or sum(len(one) > 1 for one in own) > 1 and len(set(factors)) < len(factors)):
                raise NotWalked("a loop is unrolled along two array dimensions")
            for place, factor in parts:
                for levels, one in zip(self.levels, own):
                    level = place if one is parts else one[0][0] if len(one) == 1 else next(level for level, other in one if other == factor)
                    levels[level].append(len(self.unrolled))
                self.unrolled.append((dimension, math.ceil(factor - 1e-9)))

    def _set_strides(self, operand):
        """By how much an iteration of each loop moves on in its dimension, with all loops nested as the operand has them."""
        reach, begin = dict.fromkeys(self.sizes, 1), 0
        self.time_strides, self.space_strides = [0] * len(self.loops), [0] * len(self.unrolled)
        #: Of each unrolled loop: rounds of its dimension below it, and units.
        self.below = [(1, 1)] * len(self.unrolled)
        steps_below, units_below = dict.fromkeys(self.sizes, 1), dict.fromkeys(self.sizes, 1)

        def nest(strides, number, dimension, size):
            strides[number] = reach[dimension]
            reach[dimension] *= size

        for level, fanned_out in enumerate(self.levels[operand]):
            for number in fanned_out:
                dimension, size = self.unrolled[number]
                self.below[number] = steps_below[dimension], units_below[dimension]
                units_below[dimension] *= size
                nest(self.space_strides, number, dimension, size)
            if level < len(self.ends[operand]):
                for number in range(begin, self.ends[operand][level]):
                    steps_below[self.loops[number][0]] *= self.loops[number][1]
                    nest(self.time_strides, number, *self.loops[number])
                begin = self.ends[operand][level]
        #: Dimensions of which some iterations do not exist: the last round is not full, or the last tile is not whole.
        self.ending = [dimension for dimension, size in self.sizes.items() if reach[dimension] > size]
        #: Those of the former.
        self.ragged = [d for d in self.ending if self.rounds[d] * units_below[d] > self.sizes[d]]
        #: Those of the latter.
        self.cut_tiles = [d for d in self.ending if steps_below[d] > self.rounds[d]]

    def _over_time(self, weights):
        values = [0]
        for (dimension, size), stride in zip(self.loops, self.time_strides):
            values = _spread(values, size, stride * weights.get(dimension, 0))
        return [values[number] for number in self.numbers]

    def _over_units(self, weights, strides):
        values = [0]
        for (dimension, size), stride in zip(self.unrolled, strides):
            values = _spread(values, size, stride * weights.get(dimension, 0))
        return values

    def _place_units(self):
        """Which units work in which step, and how far apart: active[step] is a number into `patterns`, (units, strides of the
        unrolled loops)."""
        units = math.prod(size for _, size in self.unrolled)
        self.patterns, self.active = [(list(range(units)), tuple(self.space_strides))], [0] * self.steps
        if self.ending:
            in_time = list(zip(*(self._over_time({d: 1}) for d in self.ending)))
            strides = self._strides_of_steps()
            ends = [self.sizes[d] for d in self.ending]
            numbers, self.patterns = {}, []
            for step, at in enumerate(zip(in_time, strides)):
                if at not in numbers:
                    numbers[at] = len(self.patterns)
                    in_space = zip(*(self._over_units({d: 1}, at[1]) for d in self.ending))
                    self.patterns.append(([unit for unit, offset in enumerate(in_space)
                                           if all(a + b < e for a, b, e in zip(at[0], offset, ends))], at[1]))
                self.active[step] = numbers[at]
        self.operations = sum(len(self.patterns[number][0]) for number in self.active)

    def _strides_of_steps(self):
        """Of each step the strides of the unrolled loops: those of a last tile follow each other more closely."""
        rounds = {}
        for d in self.cut_tiles:
            values, below = [0], 1
            for dimension, size in self.loops:
                values = _spread(values, size, below if dimension == d else 0)
                below *= size if dimension == d else 1
            rounds[d] = [values[number] for number in self.numbers]
        all_strides = []
        for step in range(self.steps):
            strides = list(self.space_strides)
            for number, (dimension, _) in enumerate(self.unrolled):
                if dimension not in rounds:
                    continue
                tile, units = self.below[number]
                begin = rounds[dimension][step] // tile * tile
                strides[number] = min(tile, self.rounds[dimension] - begin) * units
            all_strides.append(tuple(strides))
        return all_strides

    def _instances(self, o, level):
        """Of each unit, the instance of the memory below which it is; the units themselves are level 0, memories one above."""
        chosen = {number for fanned_out in self.levels[o][level:] for number in fanned_out}
        instances = [()]
        for number, (_, size) in enumerate(self.unrolled):
            instances = [at + ((i,) if number in chosen else ()) for i in range(size) for at in instances]
        return instances

    def _walk_operand(self, o, steps_of_tile):
        memories = [self._instances(o, level + 1) for level in range(len(self.ends[o]))]
        cells = self._cells(o, memories[0])
        if o == 0:
            self._count_sums_of_units(cells)
        else:
            self._count_reads_of_units(o, cells, steps_of_tile)
        portions, numbers = cells, self.numbers
        for level, end in enumerate(self.ends[o]):
            parents = dict(zip(memories[level - 1], memories[level])) if level > 0 else None
            if level > 0 and o == 0:
                self._count_sums(level, portions, parents)
            elif level > 0:
                self._count_fills(o, level, portions, parents)
            period = math.prod(size for _, size in self.loops[:end])
            portions, numbers = _joined(portions, numbers, period, parents)
            self.tiles[o, level] = len(portions)
            self.held[o, level] = max(len(elements) for portion in portions for elements in portion.values())
            self.held_scales[o, level] = max(self._scales(o, elements) for portion in portions for elements in portion.values())

    def _cells(self, o, instances):
        """Of each step {instance of the lowest memory: addresses of the elements that its units need}."""
        in_time = self._over_time(self.weights[o])
        offsets, known_strides = [], {}
        for units, strides in self.patterns:
            if strides not in known_strides:
                known_strides[strides] = self._over_units(self.weights[o], strides)
            in_space = known_strides[strides]
            of_pattern = defaultdict(set)
            for unit in units:
                of_pattern[instances[unit]].add(in_space[unit])
            offsets.append(of_pattern)
        known = {}
        for key in zip(in_time, self.active):
            if key not in known:
                known[key] = {at: frozenset([key[0] + offset for offset in own]) for at, own in offsets[key[1]].items()}
        return [known[key] for key in zip(in_time, self.active)]

    def _scales(self, o, elements):
        """Of the blocks that begin in a portion: in each row one for every so many elements, from its first one on."""
        if o not in self.blocks:
            return 0
        extent, size, every = self.blocks[o]
        rows = Counter(element - element // extent % size * extent for element in elements)
        return sum(-(-length // every) for length in rows.values())

    def _note(self, o, level, direction, at, elements, done=0):
        """One portion, of which so many are finished sums. Sums have no scales."""
        portion = done, len(elements) - done
        if o in self.blocks:
            portion += (self._scales(o, elements) if o > 0 or done == len(elements) else 0,)
        self.moves[o, level, direction][at][portion] += 1
        if o in self.innermost:
            extent, size = self.innermost[o]
            rows = Counter(element - element // extent % size * extent for element in elements)
            self.stretches[o, level, direction][at][tuple(sorted(rows.values()))] += 1

    def _count_reads_of_units(self, o, cells, steps_of_tile):
        last, tile = {}, -1
        for number, cell in zip(self.numbers, cells):
            if number // steps_of_tile != tile:
                last.clear()
            tile = number // steps_of_tile
            for at, elements in cell.items():
                if not self.same_data_free or last.get(at) != elements:
                    self._note(o, 0, "rd_out_to_low", at, elements)
                    last[at] = elements

    def _count_sums_of_units(self, cells):
        final, holders, seen = {}, defaultdict(set), defaultdict(set)
        for step, cell in enumerate(cells):
            for at, elements in cell.items():
                for element in elements:
                    final[element] = step
                    holders[element].add(at)
        for step, cell in enumerate(cells):
            for at, elements in cell.items():
                done = sum(final[element] == step and len(holders[element]) == 1 for element in elements)
                self._note(0, 0, "wr_in_by_low", at, elements, done)
                self._note(0, 0, "rd_out_to_low", at, elements & seen[at])
                seen[at] |= elements

    def _count_fills(self, o, level, portions, parents):
        shared = False
        for portion in portions:
            above = defaultdict(set)
            for at, elements in portion.items():
                self._note(o, level - 1, "wr_in_by_high", at, elements)
                own = above[parents[at]]
                shared = shared or bool(own) and not own.isdisjoint(elements) and own != elements
                own |= elements
            for at, elements in above.items():
                self._note(o, level, "rd_out_to_low", at, elements)
        self.windows_shared[o, level] = shared

    def _count_sums(self, level, portions, parents):
        """Sums that leave the memory below a boundary, and those that come back to it."""
        final, homes, seen = {}, defaultdict(set), defaultdict(set)
        for number, portion in enumerate(portions):
            for at, elements in portion.items():
                for element in elements:
                    final[element] = number
                    homes[element].add(parents[at])
        for number, portion in enumerate(portions):
            above, adders = defaultdict(set), Counter()
            for at, elements in portion.items():
                above[parents[at]] |= elements
                adders.update(elements)
            for at, elements in portion.items():
                done = sum(final[element] == number and adders[element] == len(homes[element]) == 1 for element in elements)
                self._note(0, level - 1, "rd_out_to_high", at, elements, done)
                self._note(0, level - 1, "wr_in_by_high", at, elements & seen[parents[at]])
            for at, elements in above.items():
                done = sum(final[element] == number and len(homes[element]) == 1 for element in elements)
                self._note(0, level, "wr_in_by_low", at, elements, done)
                self._note(0, level, "rd_out_to_low", at, elements & seen[at])
                seen[at] |= elements


def _axes(layer):
    """Of each operand its dimensions, as {loop dimension: coefficient}; of a window the two loops."""
    windows = {r["data"]: {r["output_loop"]: r["stride"], r["filter_loop"]: r["dilation"]} for r in layer["relations"]}
    return [[windows.get(name, {name: 1}) for name in operand["dimensions"]] for operand in layer["operands"]]


def _address_weights(axes, sizes):
    """By how much an iteration of each loop dimension moves the address of an element, without two elements at one address."""
    weights, extent = Counter(), 1
    for axis in axes:
        for dimension, coefficient in axis.items():
            weights[dimension] += extent * coefficient
        extent *= sum(coefficient * (sizes[dimension] - 1) for dimension, coefficient in axis.items()) + 1
    return weights


def _blocks(layer, axes, sizes):
    """Of each operand in blocks, of outputs the finished ones: by how much an element along them is apart from the next one, how many
    there are, and of how many elements a block is."""
    found = {}
    for o, operand in enumerate(layer["operands"]):
        scale, extent = layer.get("final_output_scale") if o == 0 else operand.get("scale"), 1
        for name, axis in zip(operand["dimensions"], axes[o]):
            size = sum(coefficient * (sizes[dimension] - 1) for dimension, coefficient in axis.items()) + 1
            if scale and scale["bits"] and name == scale["along"]:
                found[o] = extent, size, scale["every"]
            extent *= size
    return found


def _innermost(layer, axes, sizes):
    """Of each operand with a layout: by how much an element along its innermost dimension is apart from the next one, as addresses
    are, and how many there are at most."""
    found, named = {}, {one["operand"]: one["dimensions"][-1] for one in layer.get("mapping", {}).get("layout", ())}
    for o, operand in enumerate(layer["operands"]):
        extent = 1
        for name, axis in zip(operand["dimensions"], axes[o]):
            size = sum(coefficient * (sizes[dimension] - 1) for dimension, coefficient in axis.items()) + 1
            if name == named.get(operand.get("name"), ""):
                found[o] = extent, size
            extent *= size
    return found


def _steps_of_tile(evaluation, o, ends):
    """After how many steps the lowest memory of an operand with shared tiles loads the next one; without such a memory all."""
    name = evaluation["layer"]["memory_operands"][evaluation["layer"]["operands"][o]["name"]]
    memories = [memory for memory in evaluation["accelerator"]["memories"] if name in memory["operands"]]
    end = next((end for memory, end in zip(memories, ends) if memory["shared_tiles"]), ends[-1])
    return math.prod(loop["size"] for loop in evaluation["temporal_mapping"]["loops"][:end])


def _joined(portions, numbers, period, parents):
    """The portions of each period together, of all instances below one above; and the numbers of their first steps."""
    joined, firsts, begin = [], [], 0
    for end in range(1, len(portions) + 1):
        if end < len(portions) and numbers[end] // period == numbers[begin] // period:
            continue
        together = defaultdict(list)
        for portion in {id(portion): portion for portion in portions[begin:end]}.values():
            for at, elements in portion.items():
                together[parents[at] if parents else at].append(elements)
        joined.append({at: parts[0] if len(parts) == 1 else set().union(*parts) for at, parts in together.items()})
        firsts.append(numbers[begin])
        begin = end
    return joined, firsts
