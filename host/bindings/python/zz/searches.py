"""Searches by one call: the best mapping of a layer with its proof, fused groups and the best schedule of a network."""

import os

from zz import errors
from zz.inputs import plain_of
from zz.mapping import default_pipeline
from zz.parts import Part
from zz.pipelines import run


def _whole(layer, number):
    """A layer as workload files have it: a layer on its own needs neither number nor sources."""
    inputs = [operand for operand in layer.get("operand_precision", {}) if operand not in ("O", "O_final")]
    kind = "Conv" if layer.get("dimension_relations") else "Gemm"
    return {"id": number, "name": f"layer {number}", "operator_type": kind, "dimension_relations": [],
            "operand_source": {operand: number for operand in inputs}, **layer}


def optimum(layer, accelerator, objective="latency", *, mapping=None, **parameters):
    """The best of all mappings of a layer, with a proof.

    layer:       a dict as an entry of a workload file, without ``id``, ``name`` and ``operand_source`` if you like; a list
                 of such, or a workload as for map(): then each layer is searched for, and the figures are sums.
    accelerator: a path or a dict, with one core.
    objective:   "latency" [cycles], "energy" [pJ] or "edp" [pJ cycles].
    mapping:     a path or a list as in a mapping file; without one, no unrolling is prescribed.
    parameters:  as for run(): ``time_limit`` [s], 1 for a layer, ``gap`` and ``within`` of OptimalMappingStage,
                 ``threads`` ...

    Returns what run() returns: of the mappings at most ``within`` (0.001) above the least found, ``optimum_least``, the
    one with the least of the other one of energy and latency. ``optimum_gap`` of each layer is 0 when the proof is whole;
    otherwise the optimum is by at most this fraction below what was found. ``optimum_lower_bound`` is below every mapping.

    >>> best = zz.optimum({"equation": "O[d][k]+=I[d][c]*W[c][k]", "loop_dims": ["D", "K", "C"],
    ...                    "loop_sizes": [64, 256, 256], "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}},
    ...                   "configs/accelerators/gemmini_like.yaml", "latency")
    >>> best.latency, best.optimum_gap
    """
    if isinstance(layer, Part):  # of a workload, without the layers around it
        layer = {name: part for name, part in layer.to_python().items() if name not in ("id", "operand_source")}
    layer = plain_of(layer)
    if not isinstance(layer, (dict, list, tuple, str, bytes, bytearray, memoryview, os.PathLike)) and not hasattr(layer, "SerializeToString"):
        raise TypeError(f"layer={layer!r}: expected a dict as an entry of a workload file, a list of such, or a workload")
    is_layer = isinstance(layer, dict) and "model_type" not in layer  # and no config.json of a language model
    workload = [layer] if is_layer else list(layer) if isinstance(layer, tuple) else layer
    if isinstance(workload, list):
        workload = [_whole(one, number) if isinstance(one, dict) else one for number, one in enumerate(workload)]
    pipeline = default_pipeline(workload, accelerator, mapping, objective=objective)
    if isinstance(workload, list) and len(workload) == 1:
        pipeline["stages"].remove("SumStage")  # the layer's own evaluation says more than a sum
    return run(pipeline, **parameters)


def fused(workload, accelerator, *, mapping=None, objective="energy", groups="auto", gap=0.01, spatial="fixed", precision=None, output=None,
          **parameters):
    """The best mapping of a network on one core whose layers may be fused, with a proof.

    workload:    as for map(), or a list of layers as for optimum().
    accelerator: a path or a dict, with one core.
    mapping:     a path or a list as in a mapping file; without one, no unrolling is prescribed.
    objective:   "latency" [cycles], "energy" [pJ] or "edp" [pJ cycles].
    groups:      which layers may exchange tensors on chip: "auto", "none", or lists of names.
    gap:         a proven gap that is small enough, as a fraction.
    spatial:     known for the sake of old programs: "fixed", the unrolling that is best for each layer by itself.
    precision, output: as for map().
    parameters:  as for run(): ``time_limit`` [s], 60 for the whole network, ``exchange_memories`` and ``keep`` of
                 OptimalFusedMappingStage ...

    Returns what run() returns. ``fused_unfused`` is the objective of the best mappings without groups, ``fused_lower_bound``
    is below every mapping, and ``fused_gap`` says by how much the result is above it, as a fraction. `zz-host fused` does the
    same.

    >>> best = zz.fused("llama.yaml", "configs/accelerators/tpu_like.yaml", mapping="configs/mappings/tpu_like.yaml")
    >>> best.energy, best.fused_unfused, best.fused_gap
    """
    pipeline = default_pipeline(workload, accelerator, mapping, objective=objective, precision=precision, output=output,
                                fused=True)
    search = next(stage for stage in pipeline["stages"] if "OptimalFusedMappingStage" in stage)
    search["OptimalFusedMappingStage"].update(groups=groups, gap=gap)
    if spatial != "fixed":
        search["OptimalFusedMappingStage"].update(spatial=spatial)  # refused, with the reason
    return run(pipeline, **parameters)


def schedule(workload, accelerator, mapping, objective="latency", *, quick=False, **parameters):
    """The best schedule of a network on several cores: cuts, allocation and order are searched together.

    workload:    a path, bytes or an onnx.ModelProto; or a path or a list as in a workload file.
    accelerator: a path, or a dict whose ``cores`` are paths or dicts.
    mapping:     a path or a list: which cores may run which layers.
    objective:   "latency" [cycles], "energy" [pJ] or "edp" [pJ cycles]; "throughput": cycles of a sample where the
                 network is served continuously, with ``samples`` at once, and with ``resident=True`` constants that stay
                 on their cores.
    quick:       pieces of layers are mapped by LOMA; without it their mappings are proven best.
    parameters:  as for run(): ``evaluation_limit`` [schedules], ``time_limit`` [s], ``seed``, ``start``, ``most_nodes``,
                 ``samples`` of SearchHintLoopsStage, ``threads``, ``progress`` ...

    Returns what run() returns. ``partition_lower_bound`` is below every schedule, and ``partition_gap`` says by how much
    the result is above it, as a fraction.

    >>> best = zz.schedule("resnet18.onnx", "quad_core.yaml", "quad_core_mapping.yaml", evaluation_limit=10000)
    >>> best.latency, best.partition_gap
    """
    steady = objective == "throughput"
    pipeline = default_pipeline(workload, accelerator, mapping, objective="latency" if steady else objective, quick=quick)
    if "InterCoreMappingStage" not in pipeline["stages"]:
        raise errors.InputError("a schedule needs an accelerator with several cores, and this one has one; zz.map() and "
                                "zz.optimum() map layers on one core")
    if steady:
        search = next(stage for stage in pipeline["stages"] if "SearchHintLoopsStage" in stage)
        search["SearchHintLoopsStage"].update(objective=objective)
    return run(pipeline, **parameters)
