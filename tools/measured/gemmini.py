"""Gemmini: cycles of RTL, with the mapping of every row."""
import re
from collections import defaultdict

import runs
from points import Point

#: Letters of the source's loops, and words of its mapping: "K16X" are 16 of K, unrolled.
LOOPS = {"K": "K", "C": "C", "P": "OX", "Q": "OY", "R": "FX", "S": "FY", "N": "B"}
WORD = re.compile(r"([A-Z])(\d+)(X?)$")
BITS = {"W": 8, "I": 8, "O": 32, "O_final": 8}


def mapping_of(text):
    """(unrolled: {loop: units}, temporal loops from the inside) of "L3[WIO] K192 - L2[WI] N1 K16X - ...", the outermost first."""
    unrolled, order = {}, []
    for level in text.split(" - "):
        for word in level.split()[1:]:
            letter, factor, in_space = WORD.match(word).groups()
            if in_space:
                unrolled[LOOPS[letter]] = int(factor)
            elif int(factor) > 1:
                order.insert(0, [LOOPS[letter], int(factor)])
    return unrolled, order


def machine(row):
    made = runs.machine("gemmini")
    size = int(row["dim"])
    made["operational_array"]["sizes"] = [size, size]
    made["memories"]["accumulator"]["size"] = 32 * size * int(row["acc_entries_per_column"])
    made["memories"]["scratchpad"]["size"] = 8 * int(row["spad_bytes"])
    # A row of the array in a cycle.
    for memory, bits in (("accumulator", 32), ("scratchpad", 8)):
        for port in made["memories"][memory]["ports"]:
            port["bandwidth_min"] = port["bandwidth_max"] = bits * size
    return made


def layer(row):
    sizes = {"B": "N", "K": "K", "C": "C", "OY": "Q", "OX": "P", "FY": "S", "FX": "R"}
    unrolled, order = mapping_of(row["mapping"])
    made = runs.convolution({loop: int(row[column]) for loop, column in sizes.items()}, BITS, (row["stride_w"], row["stride_h"]))
    return made, {"spatial_mapping": {axis: [f"{loop}, {unrolled.get(loop, 1)}"] for axis, loop in (("D1", "K"), ("D2", "C"))},
                  "temporal_ordering": order}


def part(row):
    """The rows of `train` are of two kinds, which the hardware treats differently."""
    if row["set"] == "test":
        return "test"
    return "train_products" if row["R"] == row["S"] == row["Q"] == "1" else "train_convolutions"


def points(rows):
    """Cycles of the whole layer, with loading and off-loading."""
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[column] for column in ("dim", "acc_entries_per_column", "spad_bytes"))].append(row)
    for group in groups.values():
        for row, evaluation in runs.evaluated(group, machine(group[0]), layer, runs.PRESCRIBED):
            yield Point(part(row), f"{row['set']} {row['row']}", float(row["rtl_cycles"]), evaluation["latency_total2"])
