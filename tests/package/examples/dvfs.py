"""The slowed schedule is replayed: work, order, links and memories by the rules of physics, and the energy."""
from example import equal, has

LATENCY = 80
BUFFER = 8192  # bits of the memory of a core
LINK = 64      # bits per cycle


def most(changes):
    """The largest sum of (time, change); what ends, ends first."""
    total = peak = 0
    for _, change in sorted(changes):
        total += change
        peak = max(peak, total)
    return peak


def share_and_work(start, end, levels, plan):
    """What a node that runs from start to end gets done, and its energy as share of that at full voltage."""
    work = energy = 0
    for window, level in enumerate(levels):
        cycles = min(end, (window + 1) * plan["window"]) - max(start, window * plan["window"])
        if cycles > 0:
            done = cycles * plan["speeds"][level]
            work += done
            energy += done * (plan["voltages"][level] / plan["voltages"][0]) ** 2
    return work, energy / work


def check(example):
    [slow] = example.results(above="DvfsStage")
    [fast] = example.results(above="AcceleratorParserStage")
    plan = example.json("outputs/levels.json")
    schedule = fast["schedule"]
    assert fast["latency_total2"] == slow["latency_total2"] == LATENCY

    # Nodes: each gets its work done, none before the one before it on its core.
    nodes, saved = {}, 0
    cost = [layer["on"][0]["onchip_energy"] for layer in schedule["costs"]["layers"]]
    last_end = [0, 0]
    for node, (start, end) in zip(schedule["nodes"], plan["nodes"]):
        work, share = share_and_work(start, end, plan["levels"][node["core"]], plan)
        equal(work, node["end"] - node["start"], "work")
        saved += (1 - share) * cost[node["layer"]]
        assert start >= node["start"] and start >= last_end[node["core"]] and end <= LATENCY
        last_end[node["core"]] = end
        nodes[node["layer"], node["sub_id"]] = (node["core"], start, end)
    assert len(nodes) == 8
    equal(fast["energy_total"] - slow["energy_total"], saved, "saved")
    equal(slow["metrics"]["saved_energy"], saved, "saved_energy")
    equal(slow["mac_energy"] + slow["mem_energy"], slow["energy_total"], "the sum of the parts")
    equal(sum(slow["schedule"]["energy_terms"].values()), fast["energy_total"], "the sum of the terms at full speed")

    # Data: row i of the second convolution needs row i of the first, as filters are 1 x 1.
    tensors = [(tensor["layer"], "OWI"[tensor["operand"]], tensor["first_node"] % 4)
               for tensor in schedule["graph"]["tensors"]]
    traffic, use, arrived = {}, {0: [], 1: []}, {}
    for transfer, (start, end) in zip(schedule["transfers"], plan["transfers"]):
        layer, operand, row = tensors[transfer["tensor"]]
        if operand == "O":
            assert start >= nodes[layer, row][2], "sent before it was finished"
        arrived[transfer["tensor"], transfer["receiver"]] = end
        for link in transfer["links"]:
            rate = transfer["bits"] / (end - start)
            traffic.setdefault(link, []).extend([(start, rate), (end, -rate)])
        if transfer["receiver"] < 2:
            use[transfer["receiver"]].append((start, transfer["bits"]))
        assert end <= LATENCY
    for (layer, row), (core, start, end) in nodes.items():
        inputs = [(layer, "W", 0), (0, "O", row) if layer else (0, "I", row)]
        for tensor in map(tensors.index, inputs):
            assert arrived[tensor, core] <= start, "starts before its input is there"
        use[core].append((start, schedule["graph"]["nodes"][4 * layer + row]["produced_bits"]))
    for removal, (time, _) in zip(schedule["removals"], plan["removals"]):
        if removal["core"] < 2:
            use[removal["core"]].append((time, -removal["bits"]))
        layer, operand, row = tensors[removal["tensor"]]
        for (reader, number), (core, _, end) in nodes.items():
            reads = reader == layer if operand == "W" else (reader, number) == (layer + (operand == "O"), row)
            assert not reads or core != removal["core"] or time >= end, "dropped while it is read"
    assert all(most(changes) <= LINK * (1 + 1e-12) for changes in traffic.values())
    assert all(0 < most(changes) <= BUFFER for changes in use.values())

    # By hand: row 0 goes through the first core from 6 to 14 and then keeps the second one busy to the end, so these
    # windows of 5 cycles are at full speed. Where nothing runs the lowest level does.
    assert plan["levels"][0][1:3] == [0, 0] and plan["levels"][1][3:] == [0] * 13
    assert plan["levels"][0][0] == plan["levels"][0][15] == plan["levels"][1][0] == 3
    assert saved > 0

    example.edit("windows: 16", "windows: 16, speeds: [1.0, 0.8, 0.9, 0.4]")
    has(example.run(expect=2).stderr, "'voltages' and 'speeds' need one entry for each level")
    (example.folder / "single.yaml").write_text("""version: 1
plugins: [build/dvfs.so]
parameters: {workload: ../inputs/workload.yaml, accelerator: ../inputs/accelerator.yaml, mapping: ../inputs/mapping.yaml}
stages: [WorkloadParserStage, AcceleratorParserStage, DvfsStage: {file: levels.json}, WorkloadStage, MinimalLatencyStage,
         SpatialMappingGeneratorStage, LomaStage, CostModelStage]
""")
    has(example.run("single.yaml", expect=2).stderr, "DvfsStage", "there is no schedule")
