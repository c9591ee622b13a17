"""What most people want in one call: the best mapping of every layer, without writing a pipeline."""

from zz import _zz, pipelines
from zz.inputs import Inputs, expect, expect_path


def default_pipeline(workload, accelerator, mapping=None, *, objective="latency", quick=False, limit=None, within=None, precision=None,
                     output=None, fused=False):
    """The pipeline of map() as a dict for run(), to change or to look at; with `fused`, that of fused(). Arguments as for map()."""
    given = {"workload": workload, "accelerator": accelerator}
    if mapping is not None:
        given["mapping"] = mapping
    expect(objective=(objective, str, '"latency", "energy" or "edp"'), quick=(quick, bool, "True or False"),
           limit=(limit, int, "a whole number"), within=(within, float, "a fraction"), fused=(fused, bool, "True or False"))
    inputs = Inputs()
    names = {name: inputs.file(name, value) for name, value in given.items()}
    made = _zz.default_pipeline(**{"mapping": "", **names}, objective=objective, quick=quick, limit=limit, within=within,
                                precision="" if precision is None else str(precision),
                                output=expect_path(output=output), fused=fused, files=inputs.files)
    made["parameters"].update(given)
    return made


def map(workload, accelerator, mapping=None, *, objective="latency", quick=False, limit=None, within=None, precision=None, output=None,
        **more):
    """Finds the best mapping of every layer of a network with a proof, and returns what run() returns.

    workload:    an ONNX model, a list of layers, or the config.json of a language model.
    accelerator: with one core: the layers run one after the other and are added up, as in ZigZag.
                 With several: cuts, allocation and order of all layers are searched together.
    mapping:     what is prescribed for each layer. Without one no unrolling is, on one core; its memory operand I1
                 holds the inputs of a layer, I2 its weights, and O its outputs.
    objective:   what is made small: "latency" [cycles], "energy" [pJ] or "edp", their product.
    quick:       as ZigZag does: the best of three unrollings and of LOMA's loop orders, without a proof.
    limit:       with quick: most loop factors that LOMA orders; None is 6. More take longer.
    within:      by which fraction the objective may be above its least where the other of energy and latency gains;
                 None is 0.001.
    precision:   bits of weights, inputs and results, as 8 or 16, or "file" for those of the network's types. None takes
                 those of the accelerator's units where the network has floats.
    output:      the folder for result files; None writes none.
    more:        as for run(): threads, progress ..., and parameters of the pipeline such as operand_precision, or
                 time_limit, the seconds for the proof of a layer (1).

    ``search`` of the result says what was compared, and how many layers are not proven best; ``optimum_gap`` by how much
    a figure may be above the best.

    Inputs are given as for run(). `zz-host map` does the same.

    >>> zz.map("resnet18.onnx", "tpu.yaml", "tpu_mapping.yaml", objective="energy").energy
    """
    pipeline = default_pipeline(workload, accelerator, mapping, objective=objective, quick=quick, limit=limit, within=within,
                                precision=precision, output=output)
    return pipelines.run(pipeline, **more)
