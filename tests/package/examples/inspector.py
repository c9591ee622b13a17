"""The file holds what the stages above made, wherever the stage stands, and nothing below runs."""
from example import has

STAGE = "  - InspectorStage: {file: outputs/context.json}\n"
MESSAGE = "ends the run here on purpose; the context is in 'outputs/context.json'"


def check(example):
    has(example.run(expect=4).stderr, "pipeline.yaml:15", MESSAGE)
    context = example.json("outputs/context.json")
    # The matrix product of the inputs, and what the stages above hand down.
    assert [loop["size"] for loop in context["layer"]["loops"]] == [4, 6, 8]
    assert context["layer"]["mac_count"] == 4 * 6 * 8
    assert [memory["name"] for memory in context["accelerator"]["memories"]] == ["buffer", "dram"]
    assert "spatial_mapping" in context and "temporal_mapping" not in context

    example.edit(STAGE, "")
    # Reducers hand its failure on, mappers pass it over and then do the same.
    places = ["AcceleratorParserStage", "SumStage", "MinimalLatencyStage", "CostModelStage"]
    keys = [("workload", "layer"), ("accelerator", "layer"), ("layer", "spatial_mapping"),
            ("temporal_mapping", None)]
    for place, (there, not_there) in zip(places, keys):
        example.edit(f"  - {place}", f"{STAGE}  - {place}")
        has(example.run(expect=4).stderr, MESSAGE)
        context = example.json("outputs/context.json")
        assert there in context and not_there not in context, f"above {place}: {list(context)}"
        example.edit(STAGE, "")

    example.edit("  - LomaStage", STAGE.replace("}", ", show: ['layer.loops[C].size', layer.lops]}") + "  - LomaStage")
    has(example.run(expect=2).stderr, "the context has no 'layer.lops', only ", "workload, accelerator", "layer")
    example.edit(", layer.lops", "")
    example.run(expect=4)
    assert example.json("outputs/context.json") == {"layer.loops[C].size": 8}
    example.edit("file: outputs/context.json, ", "")
    has(example.run(expect=2).stderr, "pipeline.yaml", "needs the setting 'file'")
