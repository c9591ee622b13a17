"""The sets of the ledger: what they are, which rows zz predicts, and how."""
import csv
import re
from collections import namedtuple

import eyeriss
import eyerissv2
import gemmini
import imc
import scalesim
import stream
import tpu

#: What is told of the hardware of a part to find the nearest one: kind of the array, operands that are kept at every unit, fewest
#: and most units, bits of a weight, most memories of an operand, keys in the file of what takes time besides.
Hardware = namedtuple("Hardware", "kind kept units bits memories keys", defaults=("",))
#: `figure`: what is compared; `hardware` is None where a machine is none that a run could have; `says`: what it tells; `note`: what
#: must be known to read its errors, in the table of a run as well.
Part = namedtuple("Part", "figure hardware says note", defaults=("",))
#: `points(rows)` yields the Points of a set.
Set = namedtuple("Set", "source points parts")

SYSTOLIC = {"os": "O", "ws": "I2", "is": "I1"}  # the dataflow, and what it keeps at every unit
GEMMINI = Hardware("multipliers", "I2", (256, 256), 8, 3, "instruction line overlap request shared_tiles tile_interval")
EYERISS = Hardware("multipliers", "I1 I2 O", (168, 168), 16, 3)
TPU = Hardware("multipliers", "I2", (262144, 262144), 16, 3, "efficiency")
CORES = Hardware("several cores", "", (0, 0), 0, 0)
IN_MEMORY = Hardware("in memory", "I2", (64, 524288), 8, 2)
SWITCHING = "zz counts every gate as at work in every cycle; of the chips' inputs and weights half are zero"
FOLDS = "to the cycle, with `fold`; an array file without it promises a third to three fifths too much"
TILES = "instructions, tiles that are loaded anew, short requests and what a bus does not hide are counted"
REPEATED = "of 20 of them totals alone are given, which zz repeats; these test nothing, and the others are those of `sizes`"
ENERGY = "mappings of least energy, with the energies that the authors give"

SETS = {
    "firesim_gemmini": Set("RTL of Gemmini on an FPGA, ucb-bar/dosa (BSD 2-clause)", gemmini.points, {
        "test": Part("latency", GEMMINI, TILES),
        "test_documented": Part("latency", None, "the same with the published constants alone: nothing is read off the rows"),
        "train_convolutions": Part("latency", GEMMINI._replace(units=(16, 4096)), TILES + "; sizes of the array are inferred"),
        "train_products": Part("latency", GEMMINI._replace(units=(16, 4096)), TILES + "; sizes of the array are inferred"),
    }),
    "scalesim_gemm": Set("SCALE-Sim, a simulator, PrincetonUniversity/LLMCompass (BSD 3-clause)", scalesim.gemm_points,
                         {name: Part("latency", Hardware("multipliers", kept, (64, 16384), 8, 2, "fold"), FOLDS) for name, kept in SYSTOLIC.items()}),
    "scalesim_v3": Set("SCALE-Sim 3, a simulator, scalesim-project/SCALE-Sim (MIT)", scalesim.v3_points, {
        **{name: Part("latency", Hardware("multipliers", kept, (16, 1024), 8, 2, "fold"), FOLDS) for name, kept in SYSTOLIC.items()},
        "sram": Part("accesses", None, "what is above comes from average rounds, padded to whole words; what is below has K = 1, where an input "
                                       "stays the same from fold to fold"),
        "stalled": Part("latency", None, "memories that keep the array waiting: the simulator fetches in the order of use through half of each SRAM"),
    }),
    "eyeriss_jssc17": Set("chip by layer, cucapra/fodlam (MIT)", eyeriss.jssc17_points, {
        "AlexNet": Part("latency", EYERISS, "the shipped mapping is not the chip's; CONV1 (11 x 11) decides the mean"),
        "VGG-16": Part("latency", EYERISS, "large maps: the chip uses 22 % of its units in CONV1 and CONV2, 44 % in CONV3, by its row-stationary mapping"),
    }),
    "eyeriss_isca16": Set("the authors' analysis, stanford-mast/nn_dataflow (BSD 3-clause)", eyeriss.isca16_points, {
        "alu": Part("energy", None, "equal in the digits that are printed"),
        "dram": Part("energy", EYERISS, ENERGY),
        "rf": Part("energy", EYERISS, ENERGY + "; every read of a scratchpad counts"),
    }),
    "eyerissv2_pe_sparse": Set("an element by layer of a pruned network, Accelergy-Project/micro22-sparseloop-artifact (figures alone: no licence)", eyerissv2.points, {
        "sizes": Part("latency", None, "the layers with sizes and densities; zeros of these tensors are not uniform"),
        "sparseloop": Part("latency", None, "the same against the simulator, whose zeros are uniform, too: within 1.5 cycles; on one unit both are operations times densities"),
        "all": Part("latency", None, f"all 28 layers: {REPEATED}", REPEATED),
    }),
    "tpu_v6e": Set("chip by product of a language model, casys-kaist/LLMServingSim (MIT)", tpu.points, {
        "published": Part("latency", None, "the published peak and bandwidth; the compiler's tiles, and loads that it does not hide, are not known"),
        "calibrated": Part("latency", TPU, "shares of the peak and of the bandwidth, read off rows; what is left jumps from size to size with the compiler's tiles"),
    }),
    "stream_validation": Set("chips, as KULeuven-MICAS/stream (MIT) has their latencies", stream.points, {
        "depfin": Part("latency", CORES, "one network, fused line by line; the array alone needs 0.80 of the chip's cycles"),
        "diana": Part("latency", CORES, "one network, fused line by line, unrolled as the authors' files have it; each core has an activation memory of its own"),
    }),
    "imc_macros": Set("macros that compute in memory, KULeuven-MICAS/zigzag-imc (BSD 3-clause)", imc.macro_points, {
        "efficiency": Part("energy", IN_MEMORY, SWITCHING),
        "area": Part("area", IN_MEMORY, "the array without registers and control; rows and groups of cells are read off a table, not the layout"),
        "clock": Part("clock", IN_MEMORY, "the model's delays were fitted to these chips by its authors"),
    }),
    "imc_silicon": Set("chips that compute in memory, Accelergy-Project/accelforge (MIT)", imc.silicon_points, {
        "colonnade": Part("energy", IN_MEMORY._replace(units=(1024, 16384)), "65 nm, which the model of 28 nm does not scale to; other voltages and chips: not predicted"),
    }),
}

#: Sets of the ledger that hold costs, or machines that zz has no model of.
NOT_PREDICTED = {
    "llmcompass_gpu": "operators on GPUs: a GPU's cores, caches and launch times are no accelerator file",
    "llmcompass_die_area": "areas of dies: zz takes areas from the file",
    "eie_isca16": "sparse layers on units with queues: zz counts units that wait in each round, or for none",
    "nvdla_primer": "estimates of the vendor, by network and not by layer",
    "adc_survey": "costs of converters", "cacti7_sram": "costs of memories", "published_costs": "costs of operations",
}


def set_of(file):
    """The name of the set of a file: "scalesim_v3" of scalesim_v3_heldout.csv; None where none is known."""
    names = [name for name in (*SETS, *NOT_PREDICTED) if re.fullmatch(re.escape(name) + r"(_\w+)?", file.stem)]
    return max(names, key=len, default=None)


def read_folder(folder):
    """{set: rows} of all files of the folder, its halves together; and the files that are of no known set."""
    rows, unknown = {}, []
    for file in sorted(folder.glob("*.csv")):
        name = set_of(file)
        if name is None:
            unknown.append(file)
        else:
            with open(file, newline="", encoding="utf-8") as lines:
                rows.setdefault(name, []).extend(csv.DictReader(lines))
    return rows, unknown


def predict(rows):
    """{"set/part": its Points} for {set: rows}."""
    found = {}
    for name, known in SETS.items():
        parts = {part: [] for part in known.parts}
        for point in known.points(rows[name]) if name in rows else ():
            parts[point.part].append(point)
        found.update({f"{name}/{part}": own for part, own in parts.items() if own})
    return found


def part_of(name):
    """The Part of "set/part"."""
    of_set, _, part = name.partition("/")
    return SETS[of_set].parts[part]

