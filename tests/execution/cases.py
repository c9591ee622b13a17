"""Small random layers on small random accelerators, with a mapping that is random or found by one of zz's searches.

A case follows from its seed alone.
"""
import random
import re

import zz

STAGES = ["WorkloadParserStage", "AcceleratorParserStage", "WorkloadStage"]
#: How a mapping comes about, and in which share of the cases.
ORIGINS = {"order": 8, "loma": 3, "salsa": 2, "proven": 4, "proven pair": 3}


class Case:
    """`evaluation`: what zz makes of the case, as a dict; `settings`: what it was asked for."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.origin = rng.choices([*ORIGINS], [*ORIGINS.values()])[0]
        self.padded, self.ragged = rng.random() < 0.3, rng.random() < 0.4
        sizes, self.layer = random_layer(rng)
        array = [rng.choice((1, 2, 3, 4)), rng.choice((1, 2, 3))]
        factors, unrolled = random_unrolling(rng, sizes, array, self.ragged)
        self.accelerator = random_accelerator(rng, array, self.padded)
        self.accelerator["operational_array"].update(random_array_keys(random.Random(seed)))
        self.mapping = {"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}
        if self.origin != "proven pair":
            self.mapping["spatial_mapping"] = unrolled
        if self.origin == "order":
            tiles, rounds = random.Random(f"tiles of {seed}"), {d: -(-size // factors.get(d, 1)) for d, size in sizes.items()}
            chains = {d: prime_factors(own) for d, own in rounds.items()}
            self.cuts_tiles = tiles.random() < 0.5
            if self.cuts_tiles:
                chains = {d: random_chain(tiles, own) for d, own in rounds.items()}
            order = [[d, p] for d, own in chains.items() for p in own]
            rng.shuffle(order)
            if self.cuts_tiles:
                order = [[d, chains[d].pop(0)] for d, _ in order]
            self.mapping["temporal_ordering"] = order
        self.same_data_free = rng.random() < 0.8
        self.objective = rng.choice(("energy", "latency", "EDP"))
        add_blocks(random.Random(f"blocks of {seed}"), self.layer)
        add_keys(random.Random(f"keys of {seed}"), self.accelerator["memories"])
        add_requests(random.Random(f"requests of {seed}"), self.accelerator["memories"], self.layer, self.mapping)

    def stages(self):
        reducer = {"energy": "MinimalEnergyStage", "latency": "MinimalLatencyStage", "EDP": "MinimalEDPStage"}[self.objective]
        proof = {"objective": self.objective, "time_limit": 2}
        if self.origin == "proven pair":
            return [*STAGES, reducer, {"OptimalMappingStage": {**proof, "unrolling": "any" if self.ragged else "even"}}, "CostModelStage"]
        search = {"order": {"LomaStage": {"loma_lpf_limit": 20}}, "loma": {"LomaStage": {"loma_lpf_limit": 5}},
                  "salsa": {"SalsaStage": {"salsa_iteration_number": 60, "salsa_restarts": 1, "seed": 1}},
                  "proven": {"OptimalTemporalMappingStage": proof}}[self.origin]
        return [*STAGES, "SpatialMappingGeneratorStage", reducer, search, "CostModelStage"]

    def evaluate(self):
        """The evaluation as a dict. Raises zz.Error where nothing fits."""
        results = zz.run(self.stages(), workload=[self.layer], accelerator=self.accelerator, mapping=[self.mapping],
                         access_same_data_considered_as_no_access=self.same_data_free)
        return results[0].evaluation.to_python()

    def described(self):
        return {"origin": self.origin, "objective": self.objective, "workload": [self.layer], "accelerator": self.accelerator,
                "mapping": [self.mapping]}


def add_blocks(rng, layer):
    """In some cases gives some operands numbers in blocks, along a loop that no window slides over."""
    if rng.random() > 0.2:
        return
    dimensions = {name: re.findall(r"\w+", own) for name, own in re.findall(r"([OWI])((?:\[\w+\])+)", layer["equation"])}
    bits = layer["operand_precision"]
    for name, operand in (("W", "W"), ("I", "I"), ("O", "O_final")):
        along = [d.upper() for d in dimensions[name] if d.upper() in layer["loop_dims"]]
        if along and rng.random() < 0.7:
            if operand == "O_final":
                bits["O"], bits["O_final"] = 32, 8  # finished results are nowhere wider than sums
            scale = {"bits": rng.choice((1, 4, 8, 16)), "every": rng.choice((2, 3, 4, 8)), "along": rng.choice(along)}
            bits[operand] = {"bits": bits[operand], "scale": scale}


def random_array_keys(rng):
    """`fold`, `instruction`, both, or, in most cases, neither; `efficiency` in some."""
    keys, which = {}, rng.random()
    if which < 0.3:
        units = ("none", "used", "whole")
        keys["fold"] = {"operand": rng.choice(("O", "I1", "I2")), "fill": rng.choice(units), "drain": rng.choice(units),
                        "preload": rng.choice(("none", "D1", "D2")), "overlapped": rng.random() < 0.3}
    if 0.2 < which < 0.5:
        keys["instruction"] = {"operand": rng.choice(("O", "I1", "I2")), "along": rng.choice((["OX", "B"], ["B", "OY"], ["K", "C", "G"])),
                               "rows": rng.choice((1, 2, 3, 8)), "min_cycles": rng.choice((0, 2, 3)), "reload_cycles": rng.choice((0, 4, 9)),
                               "interval": rng.choice((0, 1.5, 3.25))}
    if rng.random() < 0.2:
        keys["efficiency"] = rng.choice((0.4, 0.8, 0.93))
    return keys


def add_keys(rng, memories):
    """Gives some memories and ports the keys that ZigZag does not have; most machines have none."""
    chosen = {key for key in ("efficiency", "overlap", "tile_interval", "line", "shared_tiles") if rng.random() < 0.2}
    for memory in memories.values():
        if "tile_interval" in chosen and rng.random() < 0.5:
            memory["tile_interval"] = rng.choice((1, 2.5, 10, 60))
        if "shared_tiles" in chosen and memory is not memories["home"] and {"I1", "I2"} <= {*memory["operands"]}:
            memory["shared_tiles"] = True
        for port in memory["ports"]:
            if "efficiency" in chosen and rng.random() < 0.5:
                port["efficiency"] = rng.choice((0.3, 0.75, 0.97))
            if "overlap" in chosen and rng.random() < 0.5:
                port["overlap"] = rng.choice((0, 0.25, 0.8))
            if "line" in chosen and memory is memories["home"] and {"I1, tl", "I2, tl"} & {*port["allocation"]}:
                port["line"] = {"bytes": rng.choice((1, 4, 64)), "cold_cycles": rng.choice((0.5, 8))}


def add_requests(rng, memories, layer, mapping):
    """In some cases lets some ports move data by requests, and says how operands lie in memory."""
    if rng.random() > 0.2:
        return
    for memory in memories.values():
        for port in memory["ports"]:
            if rng.random() < (0.8 if memory is memories["home"] else 0.3):
                port["request"] = {"bytes": rng.choice((1, 2, 4, 8)), "cycles": rng.choice((0.5, 1, 2.5, 6))}
                if rng.random() < 0.5:
                    port["request"]["store"] = {"bytes": rng.choice((1, 3, 16)), "cycles": rng.choice((1, 4))}
    operands = re.findall(r"([OWI])((?:\[\w+\])+)", layer["equation"])
    mapping["layout"] = {name: ["..", rng.choice(re.findall(r"\w+", dimensions)).upper()] for name, dimensions in operands}


def prime_factors(number):
    factors, prime = [], 2
    while number > 1:
        while number % prime == 0:
            factors.append(prime)
            number //= prime
        prime += 1
    return factors


def random_chain(rng, rounds):
    """Loops of tiles each of which divides the next, innermost first. The last one ends with the rounds, in a tile that may be short."""
    loops, tile = [], 1
    while len(loops) < 2 and 2 * tile < rounds and rng.random() < 0.7:
        loops.append(rng.randint(2, (rounds - 1) // tile))
        tile *= loops[-1]
    return loops + [-(-rounds // tile)] if tile < rounds else loops


def random_layer(rng):
    def few(*values):
        return rng.choice(values)

    kind = few("conv", "conv", "conv", "gemm", "depthwise")
    if kind == "gemm":
        sizes = {"B": few(1, 2, 3, 4, 6, 7, 8, 12), "K": few(2, 3, 4, 5, 6, 8, 12), "C": few(2, 3, 4, 6, 8, 12)}
        layer = {"operator_type": "Gemm", "equation": "O[b][k]+=W[k][c]*I[b][c]"}
    elif kind == "conv":
        sizes = {"B": few(1, 1, 2), "K": few(1, 2, 4, 5, 6), "C": few(1, 2, 3, 4), "OY": few(1, 2, 3, 4), "OX": few(2, 3, 4, 5, 6),
                 "FY": few(1, 2, 3), "FX": few(1, 2, 3)}
        (a, b), (c, d) = [(few(1, 1, 2, 3), few(1, 1, 2)) for _ in range(2)]
        layer = {"operator_type": "Conv", "equation": "O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]",
                 "dimension_relations": [f"ix={a}*ox+{b}*fx", f"iy={c}*oy+{d}*fy"]}
    else:
        sizes = {"G": few(2, 3, 4, 6), "OY": few(1, 2, 4), "OX": few(2, 3, 4, 6), "FY": few(1, 2, 3), "FX": few(2, 3)}
        layer = {"operator_type": "Conv", "equation": "O[g][oy][ox]+=W[g][fy][fx]*I[g][iy][ix]",
                 "dimension_relations": [f"ix={few(1, 2)}*ox+1*fx", f"iy={few(1, 2)}*oy+1*fy"]}
    sums = few(8, 16, 32)
    layer.update(id=0, name="layer", loop_dims=[*sizes], loop_sizes=[*sizes.values()], operand_source={"I": 0, "W": 0},
                 operand_precision={"W": few(4, 8), "I": few(8, 16), "O": sums, "O_final": few(8, sums)})
    return sizes, layer


def random_unrolling(rng, sizes, array, ragged):
    """({dimension: units}, as a mapping file has it). With `ragged` an unrolling need not divide its loop."""
    dimensions = [dimension for dimension, size in sizes.items() if size > 1]
    rng.shuffle(dimensions)
    factors, unrolled = {}, {}
    for axis, units in zip(("D1", "D2"), array):
        dimension = dimensions.pop() if dimensions else None
        if dimension is None:
            unrolled[axis] = [next(iter(sizes)) + ", 1"]
            continue
        size = sizes[dimension]
        factors[dimension] = rng.choice([f for f in range(1, min(units, size) + 1) if ragged or size % f == 0])
        unrolled[axis] = [f"{dimension}, {factors[dimension]}"]
    return factors, unrolled


def random_accelerator(rng, array, padded):
    """Up to one memory for each operand next to the units, a buffer, and a home. `padded`: ports with a least width."""
    both = ["D1", "D2"]

    def width():
        widest = rng.choice((8, 16, 32, 64))
        return (rng.choice([bits for bits in (8, 16, 32, 64) if bits <= widest]) if padded else 1), widest

    def ports(operands, top, one):
        reads = [f"{o}, tl" for o in operands] + (["O, th"] if "O" in operands and not top else [])
        writes = (["O, fl"] if "O" in operands else []) + ([] if top else [f"{o}, fh" for o in operands])
        if one:
            return [("read_write", *width(), reads + writes)]
        made = []
        for group in [[o] for o in operands] if len(operands) > 1 and rng.random() < 0.5 else [operands]:
            made += [(kind, *width(), own) for kind, words in (("read", reads), ("write", writes))
                     if (own := [word for word in words if word.split(",")[0] in group])]
        return made

    def memory(size, operands, ports, served):
        short = {"read": "r", "write": "w", "read_write": "rw"}
        return {"size": size, "r_cost": 1.0, "w_cost": 1.0, "area": 0, "latency": 1, "operands": operands, "served_dimensions": served,
                "ports": [{"name": f"{short[kind]}_port_{i + 1}", "type": kind, "bandwidth_min": low, "bandwidth_max": high, "allocation": own}
                          for i, (kind, low, high, own) in enumerate(ports)]}

    memories = {}
    for operand in ("I2", "O", "I1"):
        if rng.random() < 0.6:
            memories["rf_" + operand] = memory(rng.choice((32, 64, 128, 256, 512)), [operand], ports([operand], False, rng.random() < 0.2),
                                               rng.choice(([], ["D1"], ["D2"], both, both)))
    if rng.random() < 0.8:
        operands = rng.choice((["I1", "I2"], ["I1", "I2", "O"], ["I1"], ["O", "I1"]))
        memories["buffer"] = memory(rng.choice((256, 512, 1024, 2048, 8192)), operands, ports(operands, False, rng.random() < 0.4), both)
    memories["home"] = memory(1 << 34, ["I1", "I2", "O"], ports(["I1", "I2", "O"], True, rng.random() < 0.6), both)
    return {"name": "random", "memories": memories,
            "operational_array": {"unit_energy": 1, "unit_area": 0, "dimensions": both, "sizes": array}}
