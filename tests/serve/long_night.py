"""One server through a long night: random requests, cancelled runs, killed neighbours and full disks. It answers all of
them, its memory stays flat, and every file that is there is whole.

usage: long_night.py [SECONDS [SEED]]
"""

import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

from client import ENDLESS, STAGES, Server, pipeline

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 120
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
SAVING = [*STAGES[:2], "SimpleSaveStage", "SumStage", "WorkloadStage", {"CompleteSaveStage": {}}, *STAGES[4:]]
ODD = [None, True, False, 0, -1, 1, 2 ** 63, 1e308, -1e308, "", "a", "é" * 200, [], {}, [[]], {"a": {"b": 1}}, "*", "../x",
       "accelerator.memories[dram].r_cost", "1", "small", "saving", "endless", {"loma_lpf_limit": 3}, "energy_total"]
NAMES = ["pipeline", "set", "threads", "result", "layer", "part", "path", "text", "files", "format", "search", "stage", "id",
         "uri", "level", "reset", "cursor", "x"]
METHODS = ["load", "change", "run", "results", "why", "explain", "check", "stages", "cancel", "ping", "tools/list",
           "tools/call", "resources/list", "resources/read", "logging/setLevel", "initialize", "nothing"]
GOOD = [("run", {"pipeline": "small"}), ("run", {"pipeline": "saving"}), ("results", {"pipeline": "small"}),
        ("results", {"pipeline": "small", "part": "operands[W].levels"}), ("why", {"pipeline": "small"}),
        ("explain", {"pipeline": "saving", "format": "yaml"}), ("check", {"pipeline": "saving"}), ("stages", {}),
        ("change", {"pipeline": "small", "reset": True, "set": {"accelerator.memories[dram].r_cost": 5}}),
        ("resources/read", {"uri": "zz://parts"}),
        ("tools/call", {"name": "run", "arguments": {"pipeline": "small", "set": {"loma_lpf_limit": 4}}})]
#: Longer waits for an answer than that are no patience.
PATIENCE = 600


class Night:
    def __init__(self, folder):
        self.folder, self.random = folder, random.Random(SEED)
        self.server = Server("-q", "--folder", str(folder))
        self.requests = 0
        self.load()

    def load(self):
        # What random requests have loaded is forgotten.
        for name, stages, more in (("small", STAGES, {}), ("saving", SAVING, {"dump_folder": "out"}), ("endless", ENDLESS, {})):
            self.ask("load", {"pipeline": name, "text": pipeline(stages, **more)})

    def ask(self, method, params):
        self.requests += 1
        return self.server.answer(self.server.send(method, params), timeout=PATIENCE)

    def odd_request(self):
        params = {self.random.choice(NAMES): self.random.choice(ODD) for _ in range(self.random.randrange(4))}
        method = self.random.choice(METHODS)
        # Whatever is run has an end.
        runs = method in ("run", "tools/call") or "endless" in params.values()
        if not runs:
            self.ask(method, params)

    def odd_line(self):
        line = bytearray(json.dumps({"jsonrpc": "2.0", "id": "odd", "method": "check", "params": {"pipeline": "small"}}).encode())
        for _ in range(1 + self.random.randrange(4)):
            line[self.random.randrange(len(line))] = self.random.choice(b'{}[]",:0e9x\\\xff')
        if b'"id"' in line and b'"method"' in line:  # else it may be a notification
            self.server.write(bytes(line) + b"\n")
            self.ask("ping", {})

    def cancelled_run(self):
        number = self.server.send("run", {"pipeline": "endless"})
        waiting = self.server.send("run", {"pipeline": "saving"})
        time.sleep(self.random.random() / 20)
        self.ask("cancel", {"id": waiting})
        self.ask("cancel", {"id": number})
        for one in (waiting, number):
            self.server.answer(one, timeout=PATIENCE)

    def full_disk(self):
        limit = self.random.choice([0, 1, 100, 1000, 5000])
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        answer = self.ask("run", {"pipeline": "saving", "set": {"dump_folder": f"full/{limit}"}})
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert limit > 1000 or "cannot write" in answer["error"]["message"], answer

    def killed_neighbour(self):
        """Another server writes the same files, and is killed meanwhile."""
        lines = [{"jsonrpc": "2.0", "id": 1, "method": "load", "params": {"text": pipeline(SAVING, dump_folder="out")}},
                 *({"jsonrpc": "2.0", "id": number, "method": "run"} for number in range(2, 50))]
        with subprocess.Popen([os.environ["ZZ_HOST"], "serve", "-q", "--folder", self.folder], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as neighbour:
            neighbour.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
            neighbour.stdin.flush()
            time.sleep(self.random.random() / 4)
            neighbour.kill()

    def step(self):
        kind = self.random.randrange(100)
        if kind < 45:
            self.ask(*self.random.choice(GOOD))
        elif kind < 80:
            self.odd_request()
        elif kind < 90:
            self.odd_line()
        elif kind < 94:
            self.cancelled_run()
        elif kind < 98:
            self.full_disk()
        elif kind < 99:
            self.killed_neighbour()
        else:
            self.load()
        assert self.server.process.poll() is None, f"the server has ended: {self.server.process.returncode}"

    def look_at_files(self):
        # Only what was killed may have left something unfinished, and only that of the last one.
        for path in self.folder.rglob("*"):
            if path.suffix == ".json":
                json.loads(path.read_text())
            assert ".part" not in path.name or path.parent.name == "out", f"half-written: {path}"

    def memory(self):
        """Bytes that the server holds, when it has nothing to do."""
        pages = int(pathlib.Path(f"/proc/{self.server.process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()


def main():
    with tempfile.TemporaryDirectory() as name:
        night = Night(pathlib.Path(name))
        begin, sizes = time.monotonic(), []
        while time.monotonic() - begin < SECONDS:
            night.step()
            night.server.notifications.clear()
            night.server._early.clear()
            while not night.server._answers.empty():
                night.server._answers.get()
            if night.requests % 100 == 0:
                sizes.append(night.memory())
                night.look_at_files()
        night.look_at_files()
        answer = night.ask("run", {"pipeline": "small"})
        assert answer["result"]["complete"], answer
        # Names are kept for ever and caches fill up: what grows as the night goes on is what counts.
        quarter = max(1, len(sizes) // 4)
        early, late = max(sizes[quarter:2 * quarter], default=0), max(sizes[-quarter:], default=0)
        assert late < 1.25 * early + (16 << 20), f"memory grew from {early} to {late} bytes: {sizes}"
        code, errors = night.server.end()
        assert (code, errors) == (0, ""), (code, errors)
        print(f"seed {SEED}: {night.requests} requests in {SECONDS:.0f} s, memory {early >> 20} MiB, at the end {late >> 20} MiB")


main()
