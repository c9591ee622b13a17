"""A front that is proven where costs: auto are filled below, and follow sizes, widths and kinds of memories, is that of the grid.

usage: proof_of_filled_costs.py ZZ_HOST [--thorough]
"""
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

host, thorough = pathlib.Path(sys.argv[1]).resolve(), "--thorough" in sys.argv
source = pathlib.Path(__file__).resolve().parents[2]
# Every day layers that are searched in a moment.
CONV, PRODUCT = ([12, 8, 2, 8, 1, 3], [4, 16, 32]) if thorough else ([6, 4, 2, 4, 1, 3], [4, 8, 8])
NETWORK = f"""
- {{id: 0, name: wide, operator_type: Conv, equation: "O[k][oy][ox]+=W[k][c][fy][fx]*I[c][iy][ix]",
   dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy], loop_dims: [K, C, OY, OX, FY, FX], loop_sizes: {CONV},
   operand_precision: {{W: 8, I: 8, O: 16, O_final: 8}}, operand_source: {{I: 0, W: 0}}}}
- {{id: 1, name: deep, operator_type: Gemm, equation: "O[d][k]+=I[d][c]*W[c][k]", dimension_relations: [], loop_dims: [D, K, C],
   loop_sizes: {PRODUCT}, operand_precision: {{W: 8, I: 8, O: 16, O_final: 8}}, operand_source: {{I: 0, W: 1}}}}
"""
PIPELINE = """version: 1
parameters: {{workload: network.yaml, accelerator: {source}/configs/accelerators/edge_28nm.yaml,
  mapping: {source}/configs/mappings/any_unrolling.yaml, {parameters}}}
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - ExplorationStage: {space}
  - {costs}
  - SumStage
  - WorkloadStage
  - MinimalLatencyStage
  - OptimalMappingStage
  - CostModelStage
"""
BUFFER, SUMS, DRAM = "memories.buffer", "memories.accumulator", "memories.dram"
# Below 512 bits an SRAM is a register file; above 512 bits of width it is several; above 1 GiB, or of 65536 bits of registers, there is no answer.
SPACES = [
    ("technology_node: 7", "latency, energy, area", {
        f"{BUFFER}.size": [256, 512, 32768], f"{SUMS}.size": [384, 2048],
        f"{BUFFER}.ports[r_port_1].bandwidth_max": [64, 128]}, ""),
    ("technology_node: 28, transistors: low_standby_power", "latency, energy", {
        f"{BUFFER}.ports[r_port_1].bandwidth_max": [128, 512, 1024], f"{BUFFER}.size": [4096, 17179869184],
        f"{DRAM}.ports[rw_port_1].bandwidth_max": [32, 256]}, ""),
    ("technology_node: 45", "edp, price", {
        f"{BUFFER}.mem_type": ["sram", "rf", "hbm2"], f"{BUFFER}.size": [8192, 524288], "operational_array.sizes[D1]": [4, 8]},
     f'linked: {{{SUMS}.size: "max(256, {BUFFER}.size / 16)"}}, metrics: {{price: "3 * area + 1"}}, constraints: ["area <= 0.2"], '),
]


def space_by_chance(draw):
    steps = {
        f"{BUFFER}.size": [256, 384, 512, 768, 1024, 4096, 16384, 65536, 262144, 1048576],
        f"{BUFFER}.ports[r_port_1].bandwidth_max": [64, 128, 256, 512, 1024, 2048, 4096],
        f"{BUFFER}.ports[w_port_1].bandwidth_max": [64, 128, 512, 768, 1024],
        f"{SUMS}.size": [256, 512, 2048, 8192, 32768, 131072],
        f"{SUMS}.ports[r_port_1].bandwidth_max": [32, 256, 1024],
        f"{SUMS}.area": [0.01, 0.02, 0.05],
        f"{DRAM}.ports[rw_port_1].bandwidth_max": [32, 64, 256, 512],
        f"{BUFFER}.mem_type": ["sram", "rf", "hbm2"],
        f"{DRAM}.mem_type": ["hbm2", "ddr4", "lpddr4", "dram"],
        "operational_array.sizes[D1]": [4, 8, 16],
        "memories.weight_register.size": [8, 64, 128]}
    axes = {name: draw.sample(steps[name], draw.randint(2, 3)) for name in draw.sample(sorted(steps), draw.randint(3, 4))}
    objectives = draw.choice(["latency, energy", "latency, area", "energy, area", "latency, energy, area", "edp, price"])
    more = 'metrics: {price: "3 * area + 1"}, ' if "price" in objectives else ""
    if f"{BUFFER}.size" in axes and draw.random() < 0.3:
        more += f'linked: {{{BUFFER}.r_cost: "0.01 * sqrt({BUFFER}.size)"}}, '
    node, transistors = draw.choice([7, 10, 16, 22, 28, 40, 45, 90]), draw.choice(["high_performance", "low_standby_power"])
    return f"technology_node: {node}, transistors: {transistors}", objectives, axes, more


def written(parameters, objectives, axes, more, costs="ComponentCostStage"):
    shown = ", ".join(f'"{name}": {steps}' for name, steps in axes.items())
    return PIPELINE.format(source=source, parameters=parameters, costs=costs,
                           space=f"{{axes: {{{shown}}}, {more}objectives: [{objectives}]}}")


def run(folder, *arguments):
    return subprocess.run([host, *arguments], cwd=folder, capture_output=True, text=True)


def front(folder, strategy):
    store = folder / f"{strategy}.sqlite"
    store.unlink(missing_ok=True)
    done = run(folder, "-q", "space.yaml", f"--set=ExplorationStage.strategy={strategy}", f"--set=ExplorationStage.store={store.name}")
    if done.returncode == 4:  # no point is feasible and keeps the constraints
        return {}, done.stderr
    assert done.returncode == 0, (strategy, done.stderr)
    shown = run(folder, "front", store.name, "--format=csv").stdout
    return {row["point"]: row for row in csv.DictReader(io.StringIO(shown))}, done.stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "network.yaml").write_text(NETWORK)
    draw = random.Random(1)
    for space in SPACES + [space_by_chance(draw) for _ in range(100 if thorough else 0)]:
        (folder / "space.yaml").write_text(written(*space))
        grid, _ = front(folder, "grid")
        proven, said = front(folder, "proof")
        assert set(proven) == set(grid), (space, sorted(set(proven) ^ set(grid)))
        for point, row in grid.items():
            for figure in space[1].split(", "):
                if figure in row:
                    assert abs(float(proven[point][figure]) / float(row[figure]) - 1) < 1e-9, (space, point, figure)
        if space is SPACES[0]:
            first = sorted(grid.items())[0]
        if space in SPACES:
            assert len(grid) > 1 and "points discarded by a bound" in said, (space, said)

    # By itself, with every stage opened, a point has the same area and energy.
    (folder / "space.yaml").write_text(written(*SPACES[0]))
    point, row = first
    alone = run(folder, "run", "space.yaml", "--point", point, "--format=json", "--set=ExplorationStage.figures=energy",
                "--set=OptimalMappingStage.within=0")
    assert alone.returncode == 0, alone.stderr
    total = json.loads(alone.stdout)["results"][0]["total"]
    assert abs(total["metrics"]["area"] / float(row["area"]) - 1) < 1e-12 and abs(total["energy_total"] / float(row["energy"]) - 1) < 1e-9, (total, row)

    # What has no bounds is told by name, and before the run.
    (folder / "cacti").touch(mode=0o755)
    (folder / "cache.cfg").touch()
    for costs, words in (("ComponentCostStage: {cacti: ./cacti}", "costs that CACTI answers for have no bounds"),
                         ("ComponentCostStage\n  - LeakageStage: {leakage_power: 1}", "LeakageStage makes something else")):
        (folder / "space.yaml").write_text(written(*SPACES[1], costs=costs).replace("objectives:", "strategy: proof, objectives:"))
        refused = run(folder, "check", "space.yaml")
        assert refused.returncode == 2 and words in refused.stderr, refused.stderr
