"""Runs the program that `zz-host show RESULT N --format=mlir` prints, and holds it to the layer and to the result.

What a caller does is written here by itself, from `show --format=json`: tensors with data, the plain computation of the layer, the
comparison of sums, and which accesses the result has. Memory that the program allocates begins with other bytes than 0
(MALLOC_PERTURB_), and every access is checked against the extents of its buffer.
"""
import json
import math
import os
import re
import shutil
import subprocess

OPT, RUNNER = "mlir-opt-19", "mlir-cpu-runner-19"
PASSES = ("--lower-affine --arith-expand --convert-scf-to-cf --convert-arith-to-llvm --convert-index-to-llvm --finalize-memref-to-llvm "
          "--convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts").split()
DIRECTIONS = {"rd_out_to_low": "tl", "wr_in_by_low": "fl", "rd_out_to_high": "th", "wr_in_by_high": "fh"}
FIRST_SUMS = ("rd_out_to_low", "wr_in_by_high")


def missing():
    """The programs of Debian's mlir-19-tools that are not here."""
    return [program for program in (OPT, RUNNER) if not shutil.which(program)]


class Broken(Exception):
    """What a program does not do as it should."""


def moved_of(text):
    first = text.partition("\n")[0]
    if not first.startswith("// zz: "):
        raise Broken(f"begins with {first[:60]!r}")
    return json.loads(first[len("// zz: "):])["moved"]


#: Those that apply a transform script, and leave nothing of it.
TRANSFORM = "--transform-interpreter --symbol-dce --canonicalize --convert-linalg-to-loops --expand-strided-metadata".split()


class Caller:
    """A function `main` around @layer: `wrong sums`, then the counters, if there are any, a number a line."""

    def __init__(self, evaluation, counters):
        self.layer, self.lines, self.names = evaluation["layer"], [], 0
        self.sizes = {loop["name"]: loop["size"] for loop in self.layer["loops"]}
        self.windows = {relation["data"]: relation for relation in self.layer["relations"]}
        operands = self.layer["operands"]
        shapes = [[self.windows[d]["size"] if d in self.windows else self.sizes[d] for d in o["dimensions"]] for o in operands]
        self.types = ["memref<" + "".join(f"{n}x" for n in shape) + "i32>" for shape in shapes]
        self.moved = f"memref<{counters}xi64>"
        self.tensors = [self.let(f"memref.alloc() : {type}") for type in self.types]
        expected = self.let(f"memref.alloc() : {self.types[0]}")
        counted = self.let(f"memref.alloc() : {self.moved}")
        wrong = self.let("memref.alloc() : memref<1xi64>")
        self.fill(self.tensors[0], self.types[0], shapes[0], lambda at: self.constant(0, "i32"))
        self.fill(expected, self.types[0], shapes[0], lambda at: self.constant(0, "i32"))
        self.fill(counted, self.moved, [counters], lambda at: self.constant(0, "i64"))
        self.fill(wrong, "memref<1xi64>", [1], lambda at: self.constant(0, "i64"))
        for number, (tensor, type, shape) in enumerate(zip(self.tensors[1:], self.types[1:], shapes[1:])):
            self.fill(tensor, type, shape, lambda at: self.number(at, 7919 * number + 17))
        arguments, types = [*self.tensors, counted][:None if counters else -1], [*self.types, self.moved][:None if counters else -1]
        self.put(f"func.call @layer({', '.join(arguments)}) : ({', '.join(types)}) -> ()")
        self.compute(expected)
        self.over(shapes[0], lambda at: self.compare(expected, at, wrong))
        self.over([1], lambda at: self.show(wrong, at, "memref<1xi64>"))
        self.over([counters], lambda at: self.show(counted, at, self.moved))

    def text(self):
        return ('llvm.mlir.global internal constant @line("%ld\\0A\\00") : !llvm.array<5 x i8>\nllvm.func @printf(!llvm.ptr, ...) -> i32\n'
                "func.func @main() {\n" + "\n".join(self.lines) + "\nreturn\n}\n")

    def put(self, line):
        self.lines.append(line)

    def let(self, value):
        self.names += 1
        self.put(f"%x{self.names} = {value}")
        return f"%x{self.names}"

    def constant(self, value, type="index"):
        return self.let(f"arith.constant {value} : {type}")

    def over(self, extents, body):
        """Loops over all of these; `body` gets their values."""
        values = []
        for extent in extents:
            low, high, step = self.constant(0), self.constant(extent), self.constant(1)
            self.names += 1
            values.append(f"%x{self.names}")
            self.put(f"scf.for {values[-1]} = {low} to {high} step {step} {{")
        body(values)
        self.lines += ["}"] * len(extents)

    def fill(self, tensor, type, shape, value):
        self.over(shape, lambda at: self.put(f"memref.store {value(at)}, {tensor}[{', '.join(at)}] : {type}"))

    def sum(self, terms, constant=0):
        names = ", ".join(f"d{i}" for i in range(len(terms)))
        products = " + ".join([f"d{i} * {times}" for i, (_, times) in enumerate(terms)] + [str(constant)])
        return self.let(f"affine.apply affine_map<({names}) -> ({products})>({', '.join(value for value, _ in terms)})")

    def number(self, at, seed):
        """Of an element: from -8 to 8, so that 4 bits and a sign hold it and no sum is trivial."""
        mixed = self.sum([(value, 40503 * (i + 1) + seed) for i, value in enumerate(at)], seed)
        mixed = self.let(f"arith.index_cast {mixed} : index to i64")
        mixed = self.let(f"arith.muli {mixed}, {self.constant(1103515245, 'i64')} : i64")
        mixed = self.let(f"arith.shrui {mixed}, {self.constant(9, 'i64')} : i64")
        mixed = self.let(f"arith.remui {mixed}, {self.constant(17, 'i64')} : i64")
        mixed = self.let(f"arith.subi {mixed}, {self.constant(8, 'i64')} : i64")
        return self.let(f"arith.trunci {mixed} : i64 to i32")

    def compute(self, expected):
        self.over(self.sizes.values(), lambda values: self.operation(dict(zip(self.sizes, values)), expected))

    def operation(self, loops, expected):
        coordinates, inside = [], []
        for operand in self.layer["operands"]:
            coordinates.append([])
            for dimension in operand["dimensions"]:
                window = self.windows.get(dimension)
                if not window:
                    coordinates[-1].append(loops[dimension])
                    continue
                position = self.sum([(loops[window["output_loop"]], window["stride"]), (loops[window["filter_loop"]], window["dilation"])],
                                    -window["padding_low"])
                inside += [self.let(f"arith.cmpi sge, {position}, {self.constant(0)} : index"),
                           self.let(f"arith.cmpi slt, {position}, {self.constant(window['size'])} : index")]
                coordinates[-1].append(position)
        if inside:
            condition = inside[0]
            for other in inside[1:]:
                condition = self.let(f"arith.andi {condition}, {other} : i1")
            self.put(f"scf.if {condition} {{")
        values = [self.let(f"memref.load {tensor}[{', '.join(at)}] : {type}")
                  for tensor, at, type in zip(self.tensors[1:], coordinates[1:], self.types[1:])]
        while len(values) > 1:
            values[:2] = [self.let(f"arith.{'addi' if ' + ' in self.layer['equation'] else 'muli'} {values[0]}, {values[1]} : i32")]
        old = self.let(f"memref.load {expected}[{', '.join(coordinates[0])}] : {self.types[0]}")
        new = self.let(f"arith.addi {old}, {values[0]} : i32")
        self.put(f"memref.store {new}, {expected}[{', '.join(coordinates[0])}] : {self.types[0]}")
        self.lines += ["}"] * bool(inside)

    def compare(self, expected, at, wrong):
        a, b = (self.let(f"memref.load {tensor}[{', '.join(at)}] : {self.types[0]}") for tensor in (expected, self.tensors[0]))
        other = self.let(f"arith.cmpi ne, {a}, {b} : i32")
        zero, one = self.constant(0), self.let(f"arith.extui {other} : i1 to i64")
        old = self.let(f"memref.load {wrong}[{zero}] : memref<1xi64>")
        self.put(f"memref.store {self.let(f'arith.addi {old}, {one} : i64')}, {wrong}[{zero}] : memref<1xi64>")

    def show(self, numbers, at, type):
        value, line = self.let(f"memref.load {numbers}[{', '.join(at)}] : {type}"), self.let("llvm.mlir.addressof @line : !llvm.ptr")
        self.put(f"llvm.call @printf({line}, {value}) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32")


def run(text, evaluation, checked=True):
    """(wrong sums, counters) of the program. `checked`: every access to memory, which takes longer."""
    program = text + Caller(evaluation, len(moved_of(text))).text()
    return execute(program, ["--generate-runtime-verification"] * checked)


def check_transform(text, evaluation):
    """Applies a transform script and runs what comes of it. Raises Broken."""
    head, closing, _ = text.rpartition("}")
    wrong, _ = execute(head + Caller(with_padding(evaluation), 0).text() + closing, TRANSFORM)
    if wrong:
        raise Broken(f"{wrong} sums are wrong")


def with_padding(evaluation):
    """The evaluation with a layer whose inputs have the padding as data."""
    layer = dict(evaluation["layer"])
    last = {loop["name"]: loop["size"] - 1 for loop in layer["loops"]}
    layer["relations"] = [{**r, "padding_low": 0, "size": r["stride"] * last[r["output_loop"]] + r["dilation"] * last[r["filter_loop"]] + 1}
                          for r in layer["relations"]]
    return {**evaluation, "layer": layer}


def execute(program, first_passes):
    """What `main` of the program prints: (wrong sums, counters). Raises Broken."""
    lowered = subprocess.run([OPT, *first_passes, *PASSES], input=program, capture_output=True, text=True)
    if lowered.returncode:
        raise Broken("mlir-opt: " + lowered.stderr[:800])
    ran = subprocess.run([RUNNER, "-e", "main", "-entry-point-result=void", "-O1"], input=lowered.stdout, capture_output=True, text=True,
                         env={**os.environ, "MALLOC_PERTURB_": "90"})
    if ran.returncode:
        raise Broken("mlir-cpu-runner: " + (ran.stderr or ran.stdout)[:800])
    wrong, *counters = map(int, ran.stdout.split())
    return wrong, counters


def check(text, evaluation, checked=True):
    """[(operand, memory, direction, accesses, executed, cause or "")] of everything that moves. Raises Broken."""
    check_room(text, evaluation)
    wrong, counters = run(text, evaluation, checked)
    if wrong:
        raise Broken(f"{wrong} sums are wrong")
    entries = {(e["operand"], e["memory"], e["direction"]): (e, n) for e, n in zip(moved_of(text), counters)}
    rows = []
    for cost in evaluation["operands"]:
        for level in cost["levels"]:
            for direction, accesses in level["accesses"].items():
                key = cost["operand"], level["memory"], direction
                if key not in entries:
                    if accesses:
                        raise Broken(f"{key}: {accesses} accesses and no counter")
                    continue
                entry, counter = entries.pop(key)
                executed = math.floor(counter / entry["words_by"])
                if accesses != math.floor(counter / entry["words_by"] + entry.get("unexecuted", 0)):
                    raise Broken(f"{key}: {accesses} accesses, {executed} executed, {entry}")
                if accesses != executed:
                    _check_cause(evaluation, key, entry["because"])
                if accesses or executed:
                    rows.append((*key, accesses, executed, entry.get("because", "")))
    if entries:
        raise Broken(f"counters of nothing: {list(entries)}")
    return rows


def check_room(text, evaluation):
    """The buffers of a memory, second ones included, fit into it: an instance has as many bits. Sums count as results."""
    layer, room = evaluation["layer"], {memory["name"]: memory["size"] for memory in evaluation["accelerator"]["memories"]}
    for operand, cost in zip(layer["operands"], evaluation["operands"]):
        bits = operand["precision"] if operand is not layer["operands"][0] else min(operand["precision"], layer["final_output_precision"])
        for number, level in enumerate(cost["levels"][:-1], 1):
            shape = re.search(rf"%{operand['name']}{number}_(?!bus)\w+ = memref\.alloc\(\) : memref<([\dx]+)xi32>", text)[1]
            extents = [int(extent) for extent in shape.split("x")]
            tile = math.prod(extents[-len(operand["dimensions"]):])
            buffers = 2 if len(extents) > 1 + len(operand["dimensions"]) else 1
            room[level["memory"]] -= bits * tile * buffers
    for memory, left in room.items():
        if left < 0:
            raise Broken(f"buffers exceed {memory} by {-left} bits")


def _check_cause(evaluation, key, cause):
    """A cause must be there to act."""
    layer, (name, _, direction) = evaluation["layer"], key
    operand = next(operand for operand in layer["operands"] if operand["name"] == name)
    windows = [relation for relation in layer["relations"] if relation["data"] in operand["dimensions"]]
    last = {loop["name"]: loop["size"] - 1 for loop in layer["loops"]}
    padded = any(r["padding_low"] or r["stride"] * last[r["output_loop"]] + r["dilation"] * last[r["filter_loop"]] - r["padding_low"] >= r["size"]
                 for r in windows)
    units = [loop["factor"] for one in evaluation["spatial_mapping"]["operands"] for level in one["levels"] for loop in level]
    there = {"first sums": operand is layer["operands"][0] and direction in FIRST_SUMS, "padding": padded, "halo": windows and units,
             "remainder": any(abs(factor - round(factor)) > 1e-9 for factor in units)}
    if not there.get(cause):
        raise Broken(f"{key}: {cause!r} cannot be its cause")
