"""Is a schedule possible? Tells it from what was asked and what was saved, without a line of zz.

The pieces of each layer follow from its equation and its cuts in hint_loops.yaml; who waits for whom follows from the elements that
pieces write and read. Nodes, transfers and removals are those of the complete JSON.
"""
import itertools
import math
import re
from collections import defaultdict

NEVER = float("inf")
OPERAND = {"I1": "I", "I2": "W", "O": "O"}  # what a memory operand of the shipped cores holds
CLOSE = 1e-6


class LayerPieces:
    """A layer of a workload file, cut: what each of its pieces computes, reads and writes."""

    def __init__(self, layer, cut, samples):
        self.id, self.sources = layer["id"], layer["operand_source"]
        self.sizes = dict(zip(layer["loop_dims"], layer["loop_sizes"]))
        self.axes = {name: re.findall(r"\[(\w+)\]", axes) for name, axes in re.findall(r"\b([OIW])((?:\[\w+\])+)", layer["equation"])}
        self.precision = layer["operand_precision"]
        self.windows = {}
        for relation in layer["dimension_relations"]:
            data, stride, output, dilation, window = re.fullmatch(r"(\w+)=(\d+)\*(\w+)\+(\d+)\*(\w+)", relation).groups()
            self.windows[data] = (int(stride), output.upper(), int(dilation), window.upper())
        padded = layer.get("pr_loop_dims", [])
        self.data = {name.lower(): (size, before) for name, size, (before, _) in
                     zip(padded, layer.get("pr_loop_sizes", []), layer.get("padding", []))}
        self.own_of_samples = {name for name in self.axes if name == "O" or "b" in self.axes[name]}
        self.pieces = dict(self._cut(cut, samples))

    def _cut(self, cut, samples):
        parts = next((samples if count == "all" else count for loop, count, *_ in cut if loop == "SAMPLES"), samples)
        loops = [(loop, self.sizes[loop] if count == "all" else count) for loop, count, *_ in cut if loop != "SAMPLES"]
        # The first loop of a cut is the innermost one, samples are outside of all.
        places = list(itertools.product(*(range(count) for _, count in reversed(loops))))
        for number, (sample, place) in enumerate(itertools.product(range(parts), places)):
            ranges = {loop: (0, size) for loop, size in self.sizes.items()}
            for (loop, count), index in zip(loops, reversed(place)):
                first, last = ranges[loop]
                each = -(-(last - first) // count)
                ranges[loop] = (first + each * index, min(last, first + each * (index + 1)))
            if all(first < last for first, last in ranges.values()):
                ranges["samples"] = (sample * samples // parts, (sample + 1) * samples // parts)
                yield number, ranges

    def elements(self, number, operand):
        """Ranges of what a piece has of an operand: of samples, then axis by axis."""
        ranges = self.pieces[number]
        of_samples = ranges["samples"] if operand in self.own_of_samples else (0, 1)
        return (of_samples, *(self._range(axis, ranges) for axis in self.axes[operand]))

    def bits(self, number, operand):
        return self.precision[operand] * math.prod(high - low for low, high in self.elements(number, operand))

    def _range(self, axis, ranges):
        if axis not in self.windows:
            return ranges[axis.upper()]
        stride, output, dilation, window = self.windows[axis]
        low = stride * ranges[output][0] + dilation * ranges[window][0]
        high = stride * (ranges[output][1] - 1) + dilation * (ranges[window][1] - 1) + 1
        if axis not in self.data:
            return low, high
        size, before = self.data[axis]
        return max(0, low - before), min(size, high - before)


def meet(one, other):
    return all(a < d and c < b for (a, b), (c, d) in zip(one, other))


class Schedule:
    """A saved schedule beside what was asked. broken() lists what is wrong with it."""

    def __init__(self, layers, cuts, samples, machine, memories, saved, resident=()):
        """memories: by core a map from memory operand to (name, bits) of the topmost memory."""
        cut_of = {int(one): cut for ids, cut in cuts.items() for one in str(ids).split(",")}
        self.layers = {layer["id"]: LayerPieces(layer, cut_of.get(layer["id"], []), samples) for layer in layers}
        self.saved, self.memories, self.resident = saved, memories, set(resident)
        self.offchip = machine["graph"]["offchip_core_id"]
        self.period = saved["metrics"].get("period")
        self.found = []
        self.nodes = [(layer, number) for layer, of in self.layers.items() for number in of.pieces]
        self.placed = {(layer, number): (core, start, end) for layer, number, core, start, end in saved["cns"]}
        self.streams = {tuple(row[0]): {OPERAND[operand] for operand in row[1]} for row in saved["blocks"]}
        # A tensor is known by the first node that has it.
        self.tensor_of = {}
        for layer, number in self.nodes:
            for operand in "WIO":
                key = (layer, operand, self.layers[layer].elements(number, operand))
                self.tensor_of.setdefault(key, (layer, number, operand))

    def tensor(self, node, operand):
        layer, number = node
        return self.tensor_of[layer, operand, self.layers[layer].elements(number, operand)]

    def broken(self):
        if sorted(self.placed) != sorted(self.nodes) or len(self.saved["cns"]) != len(self.nodes):
            return [f"other nodes than those of the cuts: {sorted(set(self.placed) ^ set(self.nodes))[:5]}"]
        self.stays = self._stays()
        self._cores()
        self._sums()
        self._inputs()
        self._links()
        self._memories()
        self._energy()
        self._ends()
        return self.found

    def _stays(self):
        """(tensor, core) -> list of (memory operand, bits, first cycle, cycle when it is whole, last cycle)."""
        stays = defaultdict(list)
        made = {}
        for node in sorted(self.nodes, key=lambda one: self.placed[one][1]):
            if "O" not in self.streams.get(node, ()):
                core, start, end = self.placed[node]
                made.setdefault((self.tensor(node, "O"), core), (start, end))
        bits_of = {tuple(row[0]): row[1] for row in self.saved["transfers"] + [row[1:] for row in self.saved["removals"]]}
        for (tensor, core), (first, whole) in made.items():
            stays[tensor, core].append(["O", bits_of[tensor], first, whole, NEVER])
        for tensor, bits, _, core, operand, start, end, *_ in self.saved["transfers"]:
            stays[tuple(tensor), core].append([operand, bits, start, end, NEVER])
        gone = defaultdict(list)
        for _, tensor, _, core, _, time, *_ in self.saved["removals"]:
            gone[tuple(tensor), core].append(time)
        for key, of in stays.items():
            for stay, time in zip(of, gone[key]):
                stay[4] = time
                if time < stay[3] - CLOSE:
                    self.found.append(f"{key[0]} leaves core {key[1]} at {time}, before it is there")
        return stays

    def _repeats(self):
        """When the schedule begins again: once, or as often as repeats are under way at once, and once more."""
        return [0] if self.period is None else [n * self.period for n in range(int(self.saved["latency"] // self.period) + 2)]

    def _cores(self):
        runs = defaultdict(list)
        for node, (core, start, end) in self.placed.items():
            runs[core] += [(start + shift, end + shift, node) for shift in self._repeats()]
        for core, of in runs.items():
            of.sort()
            for (_, end, one), (start, _, other) in zip(of, of[1:]):
                if start < end - CLOSE:
                    self.found.append(f"core {core} runs {one} and {other} at {start}")

    def _sums(self):
        """Nodes that add to the same sums run on one core, where these are whenever one of them runs."""
        self.adding = defaultdict(list)
        for node in sorted(self.nodes, key=lambda one: self.placed[one][1]):
            self.adding[self.tensor(node, "O")].append(node)
        for tensor, nodes in self.adding.items():
            cores = {self.placed[node][0] for node in nodes}
            if len(cores) > 1:
                self.found.append(f"sums of {tensor} are on cores {sorted(cores)}")
            for node in nodes[1:]:
                if "O" not in self.streams.get(node, ()) and not self._there(tensor, *self.placed[node]):
                    self.found.append(f"{node} misses the sums {tensor} that it adds to")

    def _there(self, tensor, core, start, end):
        return any(whole <= start + CLOSE and gone >= end - CLOSE for *_, whole, gone in self.stays[tensor, core])

    def _final(self, tensor, core, start, end):
        """Whether a copy is there that has seen the last node which adds to the result."""
        adds_on, last_start, last_end = self.placed[self.adding[tensor][-1]]
        return any(whole <= start + CLOSE and gone >= end - CLOSE and (first >= last_end - CLOSE or (core == adds_on and first <= last_start + CLOSE))
                   for _, _, first, whole, gone in self.stays[tensor, core])

    def _inputs(self):
        for node in self.nodes:
            core, start, end = self.placed[node]
            for operand in "IW":
                source = self.layers[node[0]].sources[operand]
                if source == node[0]:
                    tensors = {self.tensor(node, operand)}
                else:
                    reads = self.layers[node[0]].elements(node[1], operand)
                    writers = [one for one in self.nodes if one[0] == source and meet(self.layers[source].elements(one[1], "O"), reads)]
                    for writer in writers:
                        if self.placed[writer][2] > start + CLOSE:
                            self.found.append(f"{node} starts at {start}, before {writer} ends at {self.placed[writer][2]}")
                    tensors = {self.tensor(writer, "O") for writer in writers}
                if operand in self.streams.get(node, ()) or (source == node[0] and operand == "W" and node[0] in self.resident):
                    continue
                there = self._there if source == node[0] else self._final
                for tensor in tensors:
                    if not there(tensor, core, start, end):
                        self.found.append(f"{node} on core {core} misses {tensor} at {start}")

    def _over(self, changes, limit):
        """The time at which what changes by (time, amount) is more than it may be, or None."""
        level = 0
        for time, amount in sorted(changes):
            level += amount
            if level > limit * (1 + CLOSE) + 1e-3:
                return time
        return None

    def _links(self):
        for link in self.saved["links"]:
            changes = []
            for number in link["transfers"]:
                _, bits, _, _, _, start, end, _, _, links, own, _ = self.saved["transfers"][number]
                if own[links.index(link["index"])] and end > start:
                    for shift in self._repeats():
                        changes += [(start + shift, bits / (end - start)), (end + shift, -bits / (end - start))]
            for number in link["blocks"]:
                _, _, _, start, end, read, write, _ = self.saved["blocks"][number]
                demand = read if link["sender"] == self.offchip else write
                changes += [(start, demand), (end, -demand)]
            time = self._over(changes, link["bandwidth_bits_per_cycle"])
            if time is not None:
                self.found.append(f"link {link['index']} has too much at {time}")

    def _memories(self):
        changes = defaultdict(list)
        for (tensor, core), of in self.stays.items():
            for operand, bits, first, _, gone in of:
                if core != self.offchip:
                    for shift in self._repeats():
                        changes[core, self.memories[core][operand]] += [(first + shift, bits), (min(gone, self.saved["latency"]) + shift, -bits)]
        for tensor, core, bits in {(self.tensor(node, "W"), self.placed[node][0], self.layers[node[0]].bits(node[1], "W"))
                                   for node in self.nodes if node[0] in self.resident}:
            changes[core, self.memories[core]["I2"]].append((0, bits))
        for (core, (name, size)), of in changes.items():
            time = self._over(of, size)
            if time is not None:
                self.found.append(f"memory {name} of core {core} holds too much at {time}")

    def _energy(self):
        """Each link of a transfer takes its unit energy in each cycle, for each receiver. What streams is not looked at."""
        terms = self.saved["energy_breakdown"]
        if not math.isclose(sum(terms.values()), self.saved["energy"]):
            self.found.append(f"the terms of the energy are {sum(terms.values())}, and all is {self.saved['energy']}")
        if self.saved["blocks"]:
            return
        unit = {link["index"]: link["unit_energy"] for link in self.saved["links"]}
        of_links = sum((row[6] - row[5]) * sum(unit[link] for link in row[9]) for row in self.saved["transfers"])
        of_memories = sum(row[8] for row in self.saved["transfers"])
        for part, value in (("link", of_links), ("memory", of_memories)):
            told = sum(energy for term, energy in terms.items() if part in term and "onchip" not in term)
            if not math.isclose(told, value, abs_tol=1e-6):
                self.found.append(f"a {part} takes {value} pJ for all transfers, and {told} are told")

    def _ends(self):
        read = {source for of in self.layers.values() for source in of.sources.values() if source != of.id}
        ends = [end for _, _, end in self.placed.values()]
        for node in self.nodes:
            if node[0] not in read and "O" not in self.streams.get(node, ()):
                arrived = [whole for *_, whole, _ in self.stays[self.tensor(node, "O"), self.offchip]]
                if not arrived:
                    self.found.append(f"the result of {node} is not off-chip at the end")
                ends += arrived[:1]
        ends += [row[6] for row in self.saved["transfers"]]
        if not math.isclose(max(ends), self.saved["latency"]):
            self.found.append(f"the latency is {self.saved['latency']}, and the last end {max(ends)}")
        metrics = self.saved["metrics"]
        bounds = {"partition_energy_bound": self.saved["energy"], "partition_latency_bound": self.period or self.saved["latency"],
                  "latency_first_bound": metrics.get("latency_first", NEVER), "cycles_per_sample_bound": metrics.get("cycles_per_sample", NEVER)}
        for name, value in bounds.items():
            if metrics.get(name, 0) > value * (1 + 1e-9):
                self.found.append(f"{name} is {metrics[name]}, of {value}")
