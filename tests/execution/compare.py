"""What the executing reference finds against an evaluation of zz."""
import math
from collections import Counter, defaultdict, namedtuple

import array_cycles
from walk import DIRECTIONS, Walk

CODES = dict(zip(DIRECTIONS, ("tl", "fl", "th", "fh")))
#: What moves the other way at the same place.
OPPOSITE = {"rd_out_to_low": "wr_in_by_low", "wr_in_by_high": "rd_out_to_high"}

#: A broken rule. Its kind says under which circumstances, as far as corrections tell them apart.
Violation = namedtuple("Violation", "kind detail")

#: Kinds that the cost model is known for, each with the correction that removes it. A correction empties its entry.
KNOWN = {
    "latency below a port, with partly empty rounds": "the fullest instance counts, and not the average of all",
    "latency below requests, with partly empty rounds": "requests are counted round by round, and not on average",
}


class Comparison:
    """violations; tally: how often what agreed, as Counter of (what, verdict).

    No count may be below what was executed. Counts of inputs and of finished outputs are equal where nothing is rounded: full
    rounds, portions of whole words, and no elements that several units, or consecutive steps, have in common by the windows of
    the layer or in a last tile. Sums come back at most once for each time that they leave, and leave at most with the bits of a partial sum.
    """

    def __init__(self, evaluation, same_data_free):
        self.evaluation, self.layer = evaluation, evaluation["layer"]
        self.walk = Walk(evaluation, same_data_free)
        self.violations, self.tally = [], Counter()
        self.rounds = ", with partly empty rounds" if self.walk.ragged else ""
        self.busy, self.returning, self.held, self.unfinished = defaultdict(float), set(), defaultdict(float), set()
        self.repeated, self.lines, self.requests, self.memories = defaultdict(float), defaultdict(float), defaultdict(float), {}
        for operand in range(len(self.layer["operands"])):
            self._compare_operand(operand)
        self._compare_room()
        self._compare_latency()
        self._compare_keys()

    def _broken(self, kind, detail):
        self.violations.append(Violation(kind, detail))

    def _compare_operand(self, o):
        cost, bits = self.evaluation["operands"][o], self.layer["operands"][o]["precision"]
        name = self.layer["memory_operands"][cost["operand"]]
        memories = [memory for memory in self.evaluation["accelerator"]["memories"] if name in memory["operands"]]
        self.memories[o] = memories
        for level, (memory, figures) in enumerate(zip(memories, cost["levels"])):
            width, scales = bits, self.walk.held_scales[o, level]
            if o == 0 and self.walk.gets_unfinished[level]:
                self.unfinished.add(memory["name"])
                scales = 0
            elif o == 0:
                width = self.layer["final_output_precision"]
            self.held[memory["name"]] += self.walk.held[o, level] * width + scales * self._scale_bits(o)
            for direction in DIRECTIONS:
                self._compare_accesses(o, level, direction, memory, name, figures["accesses"][direction])

    def _compare_accesses(self, o, level, direction, memory, name, counted):
        moved, where = self.walk.moves[o, level, direction], f"{name} at {memory['name']}, {direction}"
        others = any(portion[1] for portions in moved.values() for portion in portions)
        port = next((port for port in memory["ports"] for a in port["allocation"]
                     if (a["operand"], a["direction"]) == (name, CODES[direction])), None)
        if port is None:
            if counted or others or any(portion[0] for portions in moved.values() for portion in portions):
                self._broken("no port", where)
            return
        words = {at: self._words(o, port, portions.items()) for at, portions in moved.items()}
        executed = sum(words.values())
        self.busy[memory["name"], port["name"]] += max(words.values(), default=0) / port["efficiency"]
        back = o == 0 and direction in OPPOSITE
        once = [0 if back else max((self._words(o, port, [(portion, 1)]) for portion in portions), default=0) for portions in moved.values()]
        repeated = max((all - one for all, one in zip(words.values(), once)), default=0)
        self.repeated[memory["name"], port["name"]] += repeated / port["efficiency"]
        if port.get("request"):
            self._add_requests(o, level, direction, memory, port)
        if o > 0 and direction == "rd_out_to_low" and port.get("line"):
            lines = math.ceil(self.walk.held[o, level] * self.layer["operands"][o]["precision"] / 8 / port["line"]["bytes"])
            self.lines[memory["name"], port["name"]] += port["line"]["cold_cycles"] * lines
        if back and executed:
            self.returning.add((memory["name"], port["name"]))
        if o == 0 and (back or others):
            visits = self.walk.moves[o, level, OPPOSITE.get(direction, direction)]
            most = sum(self._words(o, port, [((0, portion[0] + portion[1]), times) for portion, times in portions.items()]) for portions in visits.values())
            self._judge("sums for an adder" if direction == "rd_out_to_high" else "sums", where, counted, executed, most, not self.walk.ragged)
        else:
            exact = (not self.walk.ragged and self._whole(o, port, moved) and not self._windows_shared(o, level, direction)
                     and not self._meets_again(level, direction))
            self._judge("inputs" if o else "finished outputs", where, counted, executed, executed, exact)

    def _add_requests(self, o, level, direction, memory, port):
        """What the port of the busiest instance takes; sums count with the shorter of their precisions where they leave."""
        request, back = port["request"], o == 0 and direction in OPPOSITE
        up = o == 0 and not back
        own = request["store"] if up and request["store"] else request
        bits = self.layer["operands"][o]["precision"]
        bits = min(bits, self.layer["final_output_precision"]) if up else bits
        portions = self.walk.stretches[o, level, direction]
        cycles = [sum(times * own["cycles"] * sum(math.ceil(length * bits / 8 / own["bytes"]) for length in lengths)
                      for lengths, times in of_instance.items()) for of_instance in portions.values()]
        self.requests[memory["name"], port["name"]] += max(cycles, default=0)

    def _scale_bits(self, o):
        scale = self.layer.get("final_output_scale") if o == 0 else self.layer["operands"][o].get("scale")
        return scale["bits"] if scale else 0

    def _bits(self, o, portion):
        scales = portion[2] * self._scale_bits(o) if len(portion) > 2 else 0
        return portion[0] * self.layer["final_output_precision"] + portion[1] * self.layer["operands"][o]["precision"] + scales

    def _words(self, o, port, portions):
        """Accesses, which are cycles of a port at its peak, for portions, each with its times; one fills whole words of the least width."""
        low, high = port["bandwidth_min"], port["bandwidth_max"]
        return sum(times * math.ceil(self._bits(o, portion) / low) * low / high for portion, times in portions)

    def _whole(self, o, port, moved):
        return all(self._bits(o, portion) % port["bandwidth_min"] == 0 for portions in moved.values() for portion in portions)

    def _windows_shared(self, o, level, direction):
        if level == 0 and direction == "rd_out_to_low":
            return self.walk.same_data_free and self.walk.slides[o]
        return self.walk.windows_shared.get((o, level + direction.endswith("high")), False)

    def _meets_again(self, level, direction):
        """In a last tile with one iteration of a loop, two of a loop around it may need the same data; they count twice."""
        return bool(self.walk.cut_tiles) and level == 0 and direction == "rd_out_to_low"

    def _judge(self, what, where, counted, executed, most, exact):
        """Counts are whole accesses: the rest is cut off."""
        verdict = "below" if executed - counted >= 1 else "above" if counted > most + 1e-6 else "equal" if most == executed else "within"
        self.tally[what + ("" if exact else ", rounded or shared"), verdict] += 1
        if verdict == "below":
            self._broken(f"{what} below{self.rounds}", f"{where}: {counted} counted, {executed:g} executed")
        elif verdict == "above" and exact:
            self._broken(f"{what} above", f"{where}: {counted} counted, {executed:g} executed, {most:g} at most")

    def _compare_room(self):
        reported = defaultdict(float)
        for cost in self.evaluation["operands"]:
            for level in cost["levels"]:
                reported[level["memory"]] = max(reported[level["memory"]], level["utilization"])
        for memory in self.evaluation["accelerator"]["memories"]:
            name, held, told = memory["name"], self.held[memory["name"]], reported[memory["name"]] * memory["size"]
            why = ", of unfinished sums" if name in self.unfinished else ", in the fullest round" if self.walk.ragged else ""
            verdict = "equal" if abs(told - held) < 1e-6 * max(1, held) else "above" if told > held else "below"
            self.tally["occupancy", verdict] += 1
            if verdict == "below" or verdict == "above" and not self.walk.ragged:
                self._broken(f"occupancy {verdict}{why}", f"{name}: {told:g} bits reported, {held:g} held")
            if held > memory["size"] + 1e-9:
                self._broken("more than fits" + why, f"{name}: {held:g} of {memory['size']} bits")

    def _compare_latency(self):
        latency, steps = self.evaluation["latency_total2"], self.walk.steps
        if self.walk.operations != self.layer["mac_count"]:
            self._broken("operations", f"{self.walk.operations} executed, the layer has {self.layer['mac_count']}")
        array, told = array_cycles.cycles(self.evaluation), self.evaluation["array_cycle"]
        verdict = "equal" if abs(told - array) < 1e-6 * array else "above" if told > array else "below"
        self.tally["array cycles", verdict] += 1
        # Stays meet again as reads of the units do.
        if verdict == "below" or verdict == "above" and not self.walk.cut_tiles:
            self._broken("array cycles", f"{told:g} counted, {array:g} executed")
        if latency < array - 1e-6:
            self._broken("latency below the array", f"{latency:g} cycles for {steps} steps, which take {array:g}")
        for port, cycles in self.busy.items():
            if latency < cycles - 1e-6:
                self._broken("latency below a port" + (" at which sums return" if port in self.returning else self.rounds),
                             f"{latency:g} cycles, {'.'.join(port)} is busy for {cycles:g}")

    def _compare_keys(self):
        """What memories and ports add to the computation by keys that ZigZag does not have."""
        computation, latency = self.evaluation["latency_total0"], self.evaluation["latency_total2"]
        array = array_cycles.cycles(self.evaluation)
        ports = {(memory["name"], port["name"]): port for memory in self.evaluation["accelerator"]["memories"] for port in memory["ports"]}
        for name, cycles in self.repeated.items():
            least = array + (1 - ports[name]["overlap"]) * min(array, cycles)
            if computation < least * (1 - 1e-9):
                self._broken("computation below what does not overlap" + self.rounds,
                             f"{computation:g} cycles, {'.'.join(name)} needs {cycles:g} beside {array:g} of the array: {least:g}")
        for name, cycles in self.requests.items():
            if latency < cycles * (1 - 1e-9):
                self._broken("latency below requests" + self.rounds, f"{latency:g} cycles, {'.'.join(name)} takes {cycles:g} for requests")
        for name, cycles in self.lines.items():
            if latency < cycles * (1 - 1e-9):
                self._broken("latency below lines", f"{latency:g} cycles, {'.'.join(name)} takes {cycles:g} for lines")
        loads = defaultdict(set)
        for o, memories in self.memories.items():
            for level, memory in enumerate(memories):
                tiles = self.walk.tiles[o, level]
                if computation < memory["tile_interval"] * tiles * (1 - 1e-9):
                    self._broken("computation below tile intervals", f"{computation:g} cycles for {tiles} tiles in {memory['name']}")
                if o > 0 and memory["shared_tiles"] and level + 1 < len(memories):
                    loads[memory["name"]].add(tiles)
        for name, counts in loads.items():
            if len(counts) > 1:
                self._broken("tiles that are not shared", f"{name} loads {counts}")
