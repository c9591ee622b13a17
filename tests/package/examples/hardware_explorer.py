"""Every point as a run of its own with an accelerator file of its own, and the Pareto set of these in Python."""
import yaml

from example import equal, has


def plain_run(example, cost, shape):
    """Energy and latency without the explorer; None where nothing can be mapped."""
    accelerator = example.yaml("../inputs/accelerator.yaml")
    buffer = accelerator["memories"]["buffer"]
    buffer.update(size=cost["size"], r_cost=cost["read"], w_cost=cost["write"], area=cost["area"])
    accelerator["operational_array"]["sizes"] = shape
    (example.folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator))
    pipeline = example.yaml("pipeline.yaml")
    pipeline["parameters"].update(accelerator="accelerator.yaml", dump_folder="plain")
    del pipeline["plugins"]
    pipeline["stages"] = ["SimpleSaveStage" if isinstance(stage, dict) else stage for stage in pipeline["stages"]]
    (example.folder / "plain.yaml").write_text(yaml.safe_dump(pipeline))
    if cost["size"] == 16:
        example.run("plain.yaml", expect=4)
        return None
    example.run("plain.yaml")
    return example.json("plain/overall_simple.json")


def check(example):
    results = example.results(above="HardwareExplorerStage")
    points = example.json("points.json")
    costs = example.yaml("memory_costs.yaml")
    shapes = [[1, 2], [2, 2], [2, 4], [6, 8]]
    expected = []
    for cost, shape in [(cost, shape) for cost in costs for shape in shapes]:
        point = points.pop(0)
        assert point["settings"] == {"buffer.size": cost["size"], "array_shape": shape}
        area = shape[0] * shape[1] * 0.001 + cost["area"]
        if area > 0.06:
            has(point["infeasible"], f"{area:.6f} mm2 are more than the budget")
            continue
        plain = plain_run(example, cost, shape)
        if plain is None:
            has(point["infeasible"], "buffer", "too small")
            continue
        for name, figure in (("energy", plain["energy"]), ("latency", plain["latency"]), ("area", area)):
            equal(point[name], figure, f"{name} of {point['settings']}")
        expected.append((plain["energy"], plain["latency"], area, point["pareto"]))
    assert not points

    def beaten(a):
        return any(all(x <= y for x, y in zip(b, a)) and b[:3] != a[:3] for b in (e[:3] for e in expected))
    front = [point for point in expected if not beaten(point[:3])]
    assert 0 < len(front) < len(expected)
    assert [point for point in expected if point[3]] == front
    assert [(r["energy_total"], r["latency_total2"], r["area"]) for r in results] == [point[:3] for point in front]

    # Threads change nothing.
    one = example.run().stdout.partition("layers:")[0]
    assert example.run(extra_args=["-j", "4"]).stdout.partition("layers:")[0] == one

    # The table is still there when nothing is feasible.
    example.edit("area_budget: 0.06", "area_budget: 0.001")
    (example.folder / "points.json").unlink()
    has(example.run(expect=4).stderr, "none of 20 points is feasible")
    assert all("infeasible" in point for point in example.json("points.json"))
    # A mistake in the settings is not taken for a bad point.
    example.edit("memory: buffer", "memory: bufer")
    has(example.run(expect=1).stderr, "HardwareExplorerStage", "bufer")
