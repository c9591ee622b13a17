"""What another program adds: worked out again here, with a column, and its failures told."""
import json

from example import equal, has


def check(example):
    prices = example.json("prices.json")
    [layer] = example.results(above="WorkloadStage")
    energy = sum(sum(level["accesses"].values()) * prices[level["memory"]]
                 for operand in layer["operands"] for level in operand["levels"])
    equal(layer["wire_energy"], energy, "wire_energy")
    has(example.run().stdout, "wire_energy [pJ]")
    summary = json.loads(example.run(extra_args=["--format=json"]).stdout)
    equal(summary["results"][0]["total"]["metrics"]["wire_energy"], energy, "wire_energy of the total")

    # Paths of a list count from the pipeline file, wherever the host is started.
    (example.folder / "elsewhere").mkdir()
    example.edit("plugins: [build", f"plugins: [{example.folder}/build", into="elsewhere.yaml")
    has(example.run("elsewhere.yaml").stdout, "wire_energy")

    example.edit("[wires.py, prices.json]", "[wires.py, gone.json]", into="gone.yaml")
    has(example.run("gone.yaml", expect=2).stderr, "wires.py ended with 1", "gone.json")
    example.edit("{files: [wires.py, prices.json]}", "{files: [wires.py, prices.json], interpreter: no-such-program}",
                 into="none.yaml")
    has(example.run("none.yaml", expect=2).stderr, "the program 'no-such-program' cannot be started", "No such file")
    (example.folder / "slow.py").write_text("import time\ntime.sleep(30)\n")
    example.edit("{files: [wires.py, prices.json]}", "{files: [slow.py], seconds: 0.3}", into="slow.yaml")
    has(example.run("slow.yaml", expect=4).stderr, "it took longer than 0.3 s")
