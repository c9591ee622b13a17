"""An operator that zz does not know is costed as the stage of the example says."""
from example import has


def check(example):
    rows, summed, rank, columns = 2 * 16, 64, 8, 96
    done = example.run()
    has(done.stdout, "low_rank/down", "low_rank/up", "dense")
    operations = {}
    for path in sorted((example.folder / "outputs").glob("*_complete.json")):
        layer = example.json(path)["inputs"]["layer"]
        operations[layer["name"]] = 1
        for size in layer["loop_dimensions"].values():
            operations[layer["name"]] *= size
    assert operations == {"low_rank/down": rows * summed * rank, "low_rank/up": rows * rank * columns,
                          "dense": rows * columns * 32}, operations

    # Without the stage, the operator and what follows it are unknown.
    example.edit("  - ONNXModelParserStage:\n      operators: [LowRankOperatorStage]\n", "  - ONNXModelParserStage\n")
    has(example.run(expect=2).stderr, "node 'dense' (MatMul)", "operator 'org.example:LowRankMatMul' (node 'low_rank'), which is unknown")
