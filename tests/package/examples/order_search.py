"""Random loop orders: never better than all of them, the same for one seed, and counted in a table."""
import json

from example import has


def check(example):
    [found] = example.results()
    example.edit("RandomOrderStage: {orders: 50}", "LomaStage", into="all.yaml")
    [best] = example.results(pipeline="all.yaml")
    assert found["latency_total2"] >= best["latency_total2"]
    assert example.results() == [found]

    output = example.run().stdout
    has(output, "loop orders of product:", "orders tried  fit  best latency [cycles]")
    summary = json.loads(example.run(extra_args=["--format=json"]).stdout)
    [table] = summary["tables"]
    assert table["columns"][:2] == ["orders tried", "fit"] and table["rows"][0][0] == 50
    assert table["rows"][0][2] == found["latency_total2"]

    example.edit("size: 8192", "size: 64", "../inputs/accelerator.yaml")
    has(example.run(expect=4).stderr, "none of the orders fits into the memories")
