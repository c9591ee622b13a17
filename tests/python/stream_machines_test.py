"""No schedule is faster than a port or a link: each needs its time for what passes it, on every machine of several cores
that comes with zz, and on those that Stream's repository ships.

Stream's are read from a copy of its repository, a checkout or a git directory: the folder that ZZ_STREAM_REPOSITORY names,
or shared/stream beside this checkout. Without one they are skipped.
"""

import collections
import logging
import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

import zz
from zz.as_zigzag.stream.systems import any_mapping, system_of

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = SOURCE / "configs"
REPOSITORY = pathlib.Path(os.environ.get("ZZ_STREAM_REPOSITORY") or SOURCE.parent / "shared" / "stream")
#: Cores of these machines compute nothing that zz has a cost model for, or are parts of a fixture.
_NOT_COSTED = ("/aie/", "/cores/", "/fixtures/")


def network():
    """Two pairs of layers side by side: weights from off chip, a result from core to core, and results off chip."""
    layers = []
    for number, (channels, filters, source) in enumerate([(32, 64, 0), (64, 32, 0), (64, 64, 2), (64, 16, 2)]):
        layers.append({
            "id": number, "name": f"layer {number}", "operator_type": "Conv",
            "equation": "O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]",
            "dimension_relations": ["ix=1*ox+1*fx", "iy=1*oy+1*fy"], "loop_dims": ["B", "K", "C", "OY", "OX", "FY", "FX"],
            "loop_sizes": [1, filters, channels, 4, 4, 1, 1], "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8},
            "operand_source": {"W": number, "I": source}, "pr_loop_dims": ["IY", "IX"], "padding": [[0, 0], [0, 0]]})
    return layers


def traffic(schedule):
    """({link: bits that it carries}, {(top memory, "in" or "out"): bits that transfers and streams move there}).

    A transfer that several cores receive leaves its sender once."""
    machine = schedule.accelerator
    cores, offchip = len(machine.cores), machine.offchip_core
    links, memories = collections.Counter(), collections.Counter()
    sent = set()
    for transfer in schedule.transfers:
        for link, own in zip(transfer.links, transfer.own):
            links[link] += transfer.bits * own
        if not len(transfer.links):
            continue
        memories[transfer.receiver_memory, "in"] += transfer.bits
        if transfer.sender == offchip and (transfer.tensor, transfer.start) not in sent:
            sent.add((transfer.tensor, transfer.start))
            memories[machine.memories_of[offchip][0], "out"] += transfer.bits
    for block in schedule.blocks:
        time = block.end - block.start
        for source, sink, demand in ((offchip, block.core, block.read_demand), (block.core, offchip, block.write_demand)):
            for link in set(machine.routes[source * cores + sink]):
                links[link] += demand * time
            memories[machine.memories_of[offchip][0], "out" if source == offchip else "in"] += demand * time
    return links, memories


def one_port(machine, memory):
    """Whether a top memory reads and writes by one port."""
    top = machine.top_memories[memory]
    return any(len(one.ports) == 1 for one in machine.cores[top.cores[0]].memories if one.name == top.name)


class NothingBeatsAPort(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        logging.disable(logging.WARNING)
        cls.addClassCleanup(logging.disable, logging.NOTSET)

    def check(self, machine, mapping):
        found = zz.schedule(network(), machine, mapping, quick=True, evaluation_limit=30)
        schedule = found.evaluation.schedule
        self.assertLessEqual(found.evaluation["metrics.partition_lower_bound"], schedule.latency)
        made = schedule.accelerator
        links, memories = traffic(schedule)
        needs = {f"link {link}": bits / made.links[link].bandwidth for link, bits in links.items()}
        for memory, top in enumerate(made.top_memories):
            written, read = (memories[memory, way] / width for way, width in
                             (("in", top.write_bandwidth), ("out", top.read_bandwidth)))
            for way, cycles in (("both", written + read),) if one_port(made, memory) else (("in", written), ("out", read)):
                needs[f"{top.name} of cores {list(top.cores)} {way}"] = cycles
        for name, cycles in needs.items():
            self.assertGreaterEqual(schedule.latency, cycles * (1 - 1e-3), name)
        weights = sum(layer["loop_sizes"][1] * layer["loop_sizes"][2] for layer in network()) * 8
        offchip = made.top_memories[made.memories_of[made.offchip_core][0]]
        self.assertGreaterEqual(found.evaluation["metrics.partition_lower_bound"], weights / offchip.read_bandwidth)

    def test_machines_of_zz(self):
        machines = [path for path in sorted((CONFIGS / "accelerators").glob("*.yaml"))
                    if "cores" in yaml.safe_load(path.read_text())]
        self.assertGreater(len(machines), 3)
        for path in machines:
            with self.subTest(machine=path.name):
                self.check(str(path), str(CONFIGS / "mappings" / path.name))

    def test_links_of_each_core_with_the_memory_are_one_port(self):
        """Three cores, each with a link of its own, and wide ones: the 64 bits of the port remain."""
        folder = CONFIGS / "accelerators" / "cores"
        dram = yaml.safe_load((folder / "dram_one_port.yaml").read_text())
        for kind in ("link", "bus"):
            groups = [[0, 3], [1, 3], [2, 3]] if kind == "link" else [[0, 1, 2, 3]]
            machine = {"name": kind, "offchip_core_id": 3, "bandwidth": 512,
                       "cores": {**{core: str(folder / "systolic_32x32.yaml") for core in range(3)}, 3: dram},
                       "core_connectivity": [{"type": kind, "cores": cores} for cores in groups]}
            with self.subTest(kind=kind):
                self.check(machine, [{"name": "default", "core_allocation": [0, 1, 2]}])

    def test_machines_of_stream(self):
        if not REPOSITORY.is_dir():
            self.skipTest(f"no copy of Stream's repository in {REPOSITORY}: name one with ZZ_STREAM_REPOSITORY")
        with tempfile.TemporaryDirectory() as folder:
            root = REPOSITORY
            if not (root / "stream" / "inputs").is_dir():
                archive = subprocess.run(["git", f"--git-dir={root}", "archive", "HEAD", "stream/inputs"], check=True,
                                         capture_output=True).stdout
                subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
                root = pathlib.Path(folder)
            machines = [path for path in sorted((root / "stream" / "inputs").rglob("hardware/*.yaml"))
                        if not any(part in str(path) for part in _NOT_COSTED)]
            self.assertGreater(len(machines), 8)
            checked = []
            for path in machines:
                with self.subTest(machine=str(path.relative_to(root))):
                    try:
                        machine, takes = system_of(str(path))
                    except FileNotFoundError as problem:
                        print(f"{path.relative_to(root)} names what is not there: {problem}")
                        continue
                    for core in machine["cores"].values():
                        core.pop("operand_precision", None)  # the network's bits count
                    try:
                        self.check(machine, any_mapping(takes))
                        checked.append(path.name)
                    except zz.NoResult as problem:
                        print(f"{path.relative_to(root)} cannot run this network: {problem}")
            self.assertGreater(len(checked), 5, checked)


if __name__ == "__main__":
    unittest.main()
