"""Swapped loops: never better than all orders, the same for one seed, and found again in a store."""
import json
import os
import pathlib
import signal
import subprocess
import time

from example import has
from package import environment


def counters(example, *arguments):
    return json.loads(example.run(extra_args=["--format=json", *arguments]).stdout)["counters"]


def processor_time(pid):
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def check(example):
    [found] = example.results()
    example.edit("GreedyMapperStage: {starts: 20}", "LomaStage", into="all.yaml")
    [best] = example.results(pipeline="all.yaml")
    assert found["latency_total2"] == best["latency_total2"], (found["latency_total2"], best["latency_total2"])
    assert example.results() == [found]

    store = ["--set", f"store={example.folder / 'answers.db'}"]
    assert counters(example, *store)["orders scored"] > 0
    again = counters(example, *store)
    assert "orders scored" not in again and again["found in the store"] == 1, again
    assert counters(example, *store, "--set", "GreedyMapperStage.starts=21")["orders scored"] > 0

    # Whoever stops it gets the best so far, and is told that the run was cut short.
    endless = ["--format=json", "--set", "GreedyMapperStage.starts=2000000000"]
    command = [example.installed / "bin/zz-host", "pipeline.yaml", *endless]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the job of a shell in the background ignores it
    run = subprocess.Popen(command, cwd=example.folder, env=environment(), stdout=subprocess.PIPE, text=True)
    while processor_time(run.pid) < 0.5:  # it searches
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    stopped = json.loads(run.communicate()[0])
    assert run.returncode == 130 and not stopped["complete"], stopped
    assert stopped["results"][0]["layers"][0]["latency_total2"] == best["latency_total2"], stopped

    example.edit("size: 8192", "size: 64", "../inputs/accelerator.yaml")
    has(example.run(expect=4).stderr, "none of the orders fits into the memories")
