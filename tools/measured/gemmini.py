"""Gemmini: cycles of RTL, with the mapping of every row.

The machine is configs/accelerators/gemmini_measured.yaml with the row's array and tiles. Inside a tile and between tiles loops have
the order of Gemmini's program, whatever the row says: its unroller walks a tile pixel by pixel, and sums stay in the accumulator.
Memories of a tile's size give the cut; then each is twice as large, because the chip always loads the next tile beside. In `train`
tiles of products are rounded up to whole blocks of the array, as its program does.
"""
import math
import re

import zz

import runs
from points import Point

#: Letters of the source's loops, and words of its mapping: "K16X" are 16 of K, unrolled.
LOOPS = {"K": "K", "C": "C", "P": "OX", "Q": "OY", "R": "FX", "S": "FY", "N": "B"}
WORD = re.compile(r"([A-Z])(\d+)(X?)$")
BITS = {"W": 8, "I": 8, "O": 32, "O_final": 8}
#: Of tensors in memory, with channels innermost as the program's buffers have them.
LAYOUT = {"I": ["..", "C"], "W": ["..", "K"], "O": ["..", "K"]}
#: From the inside.
INSIDE_A_TILE, BETWEEN_TILES = "PQNCRSK", "CRSKPQN"
#: Cycles from one tile to the next, of products; read off the rows. The machine's file has that of convolutions.
INTERVAL_OF_PRODUCTS = 130
HOLD_A_TILE = ("weight_register", "accumulator", "scratchpad")
MACHINE = runs.MACHINES.parents[2] / "configs/accelerators/gemmini_measured.yaml"


class SecondBuffers(zz.Stage):
    """Doubles the memories that hold tiles, below the search that cut the loops."""

    def run(self, context):
        sizes = {f"accelerator.memories[{name}].size": 2 * context.accelerator.memories[name].size for name in HOLD_A_TILE}
        yield from self.substage(context, sizes)


def mapping_of(text):
    """(unrolled: {letter: units}, inside a tile and between tiles: {letter: iterations}) of "L3[WIO] K192 - L2[WI] N1 K16X - ...", the
    outermost level first."""
    unrolled, inside, between = ({letter: 1 for letter in LOOPS} for _ in range(3))
    for level in text.split(" - "):
        words = level.split()
        for word in words[1:]:
            letter, factor, in_space = WORD.match(word).groups()
            part = unrolled if in_space else between if words[0].startswith("L3") else inside
            part[letter] *= int(factor)
    return unrolled, inside, between


def is_product(row):
    return row["R"] == row["S"] == row["Q"] == "1"


class Program:
    """What the hardware ran of a row: `sizes` of the layer, and its mapping, each by letter; `tiles`: elements of O, I and W."""

    def __init__(self, row):
        self.sizes = {letter: int(row[letter]) for letter in LOOPS}
        self.unrolled, self.inside, self.between = mapping_of(row["mapping"])
        self.tiles = {name: int(row[f"tile_{name}_elements"]) for name in "OIW"}
        if row["set"] != "test" and is_product(row):
            self._pad(int(row["dim"]))

    def _pad(self, size):
        for letter in "KCP":
            blocks = -(-self.inside[letter] * self.unrolled[letter] // size)
            self.between[letter] = -(-self.sizes[letter] // (blocks * size))
            self.inside[letter], self.unrolled[letter] = (blocks * size, 1) if letter == "P" else (blocks, size)
            self.sizes[letter] = self.between[letter] * blocks * size
        tile = {letter: self.inside[letter] * self.unrolled[letter] for letter in LOOPS}
        self.tiles = {name: math.prod(tile[letter] for letter in letters) for name, letters in (("O", "NKP"), ("I", "NCP"), ("W", "KC"))}


def machine(row, documented_only):
    """`documented_only`: without what was read off cycles of the RTL."""
    made = runs.read(MACHINE)
    array, memories = made["operational_array"], made["memories"]
    size = int(row["dim"])
    array["sizes"] = [size, size]
    array["instruction"]["rows"] = size
    tiles = Program(row).tiles
    memories["weight_register"]["size"] = BITS["W"]
    memories["accumulator"]["size"] = BITS["O"] * tiles["O"]
    memories["scratchpad"]["size"] = BITS["I"] * tiles["I"] + BITS["W"] * tiles["W"]
    # A row of the array in a cycle.
    for memory, bits in (("accumulator", BITS["O"]), ("scratchpad", BITS["I"])):
        for port in memories[memory]["ports"]:
            port["bandwidth_min"] = port["bandwidth_max"] = bits * size
    if is_product(row):
        memories["scratchpad"]["tile_interval"] = INTERVAL_OF_PRODUCTS
    if documented_only:
        array["instruction"]["interval"] = 0
        del memories["scratchpad"]["tile_interval"], memories["dram"]["ports"][0]["overlap"]
    return made


def layer(row):
    program = Program(row)
    order = [[LOOPS[letter], loops[letter]] for letters, loops in ((INSIDE_A_TILE, program.inside), (BETWEEN_TILES, program.between))
             for letter in letters if loops[letter] > 1]
    made = runs.convolution({LOOPS[letter]: program.sizes[letter] for letter in "NKCQPSR"}, BITS, (row["stride_w"], row["stride_h"]))
    return made, {"spatial_mapping": {axis: [f"{letter}, {program.unrolled[letter]}"] for axis, letter in (("D1", "K"), ("D2", "C"))},
                  "temporal_ordering": order, "layout": LAYOUT}


def part(row):
    """The rows of `train` are of two kinds, which the hardware treats differently."""
    if row["set"] == "test":
        return "test"
    return "train_products" if is_product(row) else "train_convolutions"


def points(rows):
    """Cycles of the whole layer, with loading and off-loading. Of the rows whose array is known also without what was read off
    cycles."""
    for row in rows:
        for documented_only in (False, True) if part(row) == "test" else (False,):
            stages = (*runs.PRESCRIBED, SecondBuffers)
            for _, evaluation in runs.evaluated([row], machine(row, documented_only), layer, stages):
                name = part(row) + ("_documented" if documented_only else "")
                yield Point(name, f"{row['set']} {row['row']}", float(row["rtl_cycles"]), evaluation["latency_total2"], runs.roofline(evaluation))
