"""SCALE-Sim: cycles and accesses of matrix products on systolic arrays, by the dataflow."""
from collections import defaultdict, namedtuple

import runs
from points import Point

Dataflow = namedtuple("Dataflow", "rows columns time")  # the loops along D1, along D2, and in each fold
#: Of the product M x K by K x N, as B x C by C x K.
DATAFLOWS = {"os": Dataflow("B", "K", "C"), "ws": Dataflow("C", "K", "B"), "is": Dataflow("C", "B", "K")}
SIZES = {"B": "M", "K": "N", "C": "K"}
BITS = {"W": 8, "I": 8, "O": 8, "O_final": 8}


def layer(row):
    sizes = {loop: int(row[column]) for loop, column in SIZES.items()}
    flow, array = DATAFLOWS[row["dataflow"]], (int(row["array_height"]), int(row["array_width"]))
    units = {flow.rows: min(array[0], sizes[flow.rows]), flow.columns: min(array[1], sizes[flow.columns])}
    folds = [[loop, -(-sizes[loop] // units[loop])] for loop in (flow.rows, flow.columns)]
    order = [[loop, size] for loop, size in [[flow.time, sizes[flow.time]], *folds] if size > 1]
    return (runs.layer("Gemm", "O[b][k]+=I[b][c]*W[c][k]", sizes, BITS),
            {"spatial_mapping": {"D1": [f"{flow.rows}, {units[flow.rows]}"], "D2": [f"{flow.columns}, {units[flow.columns]}"]},
             "temporal_ordering": order})


def by_machine(rows, *columns):
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[column] for column in ("dataflow", "array_height", "array_width", *columns))].append(row)
    return groups.values()


def machine(row):
    made = runs.machine("systolic_" + row["dataflow"])
    made["operational_array"]["sizes"] = [int(row["array_height"]), int(row["array_width"])]
    return made


def label(row):
    return "{M} x {K} x {N} on {array_height} x {array_width}".format(**row)


def array_points(rows, cycles):
    """Cycles of the array alone, which fills and drains at each change of what stays in it (`fold` of the machines). The simulator
    prints the number of the last cycle, counted from 0."""
    for group in by_machine(rows):
        for row, evaluation in runs.evaluated(group, machine(group[0]), layer, runs.PRESCRIBED):
            yield Point(row["dataflow"], label(row), cycles(row) + 1, evaluation["latency_total0"], runs.roofline(evaluation))


def gemm_points(rows):
    return array_points(rows, lambda row: int(row["cycles"]))


def v3_points(rows):
    yield from array_points(rows, lambda row: int(row["total_cycles"]) - int(row["stall_cycles"]))
    yield from sram_points(rows)
    yield from stalled_points(row for row in rows if int(row["stall_cycles"]))


def sram_points(rows):
    """Words of 8 bits out of the simulator's SRAM, and into it."""
    for group in by_machine(rows):
        accelerator = machine(group[0])
        for port in accelerator["memories"]["home"]["ports"]:
            port["bandwidth_max"] = 8
        for row, evaluation in runs.evaluated(group, accelerator, layer, runs.PRESCRIBED):
            counts = {operand["operand"]: operand["levels"][-1]["accesses"] for operand in evaluation["operands"]}
            yield Point("sram", "inputs: " + label(row), int(row["sram_ifmap_reads"]), counts["I"]["rd_out_to_low"])
            yield Point("sram", "weights: " + label(row), int(row["sram_filter_reads"]), counts["W"]["rd_out_to_low"])
            if row["dataflow"] != "os":  # there the simulator counts more than the outputs
                yield Point("sram", "outputs: " + label(row), int(row["sram_ofmap_writes"]), counts["O"]["wr_in_by_low"])


def stalled_points(rows):
    """Cycles where DRAM is too slow: each operand has an SRAM, and a port of its own to DRAM."""
    for group in by_machine(rows, "sram_kB_each", "words_per_cycle"):
        accelerator = machine(group[0])
        home = accelerator["memories"].pop("home")
        for operand, reads, writes in (("I1", ["I1, tl"], ["I1, fh"]), ("I2", ["I2, tl"], ["I2, fh"]), ("O", ["O, tl", "O, th"], ["O, fl", "O, fh"])):
            ports = [{"name": f"{kind[0]}_port_1", "type": kind, "bandwidth_min": 8, "bandwidth_max": 1048576, "allocation": own}
                     for kind, own in (("read", reads), ("write", writes))]
            accelerator["memories"]["sram_" + operand] = {**home, "size": 8192 * int(group[0]["sram_kB_each"]), "operands": [operand], "ports": ports}
        for port in home["ports"]:
            port["bandwidth_max"] = 8 * int(group[0]["words_per_cycle"])
        accelerator["memories"]["home"] = home
        for row, evaluation in runs.evaluated(group, accelerator, layer, runs.PRESCRIBED):
            yield Point("stalled", f"{label(row)}, {row['dataflow']}", int(row["total_cycles"]) + 1, evaluation["latency_total0"],
                        runs.roofline(evaluation))
