"""Runs of zz over many layers at once: a machine, and layers with their mappings."""
import copy
import pathlib
import sys

import yaml
import zz

MACHINES = pathlib.Path(__file__).resolve().parent / "machines"
LINKS = {"O": "O", "W": "I2", "I": "I1"}
#: The unrolling and the order of loops that the mapping entry prescribes.
PRESCRIBED = ("SpatialMappingGeneratorStage", {"LomaStage": {"loma_lpf_limit": 20}})


def machine(name):
    """A machine of the ledger, as a dict that may be changed."""
    return read(MACHINES / f"{name}.yaml")


def read(path, known={}):
    """A YAML file, to be changed by the caller."""
    if path not in known:
        known[path] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return copy.deepcopy(known[path])


def layer(operator, equation, sizes, bits, relations=()):
    """A layer as a workload file has it; it reads from no other one."""
    made = {"operator_type": operator, "equation": equation, "loop_dims": [*sizes], "loop_sizes": [*sizes.values()],
            "operand_precision": bits}
    return {**made, "dimension_relations": [*relations]} if relations else made


def convolution(sizes, bits, stride=(1, 1)):
    """A layer with the loops B, K, C, OY, OX, FY, FX; `stride` of X and of Y."""
    return layer("Conv", "O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]", sizes, bits,
                 [f"ix={stride[0]}*ox+1*fx", f"iy={stride[1]}*oy+1*fy"])


def roofline(evaluation):
    """Cycles of a layer by two numbers of its machine: the longer of operations at the peak, and of tensors through the port of the
    memory where they lie."""
    return max(zz._zz.roofline(evaluation))


def evaluated(rows, accelerator, layer_of, stages, reducer="MinimalLatencyStage", **parameters):
    """(row, evaluation) of each row, by one run for all. `layer_of(row)`: a layer and its mapping entry; `stages` search the mapping.
    Rows that zz refuses, or has no mapping for, are told of and left out."""
    rows = list(rows)
    if not rows:
        return
    made = [layer_of(row) for row in rows]
    workload = [{**layer, "id": i, "name": f"layer {i}", "operand_source": {"I": i, "W": i}} for i, (layer, _) in enumerate(made)]
    mapping = [{"memory_operand_links": LINKS, **entry, "name": f"layer {i}"} for i, (_, entry) in enumerate(made)]
    mapping.append({"name": "default", "memory_operand_links": LINKS})
    chain = ["WorkloadParserStage", "AcceleratorParserStage", "WorkloadStage", reducer, *stages, "CostModelStage"]
    try:
        results = zz.run(chain, workload=workload, accelerator=accelerator, mapping=mapping, **parameters)
    except zz.Error as error:
        if len(rows) == 1:
            print(f"ledger: nothing predicted for {rows[0]}: {error}", file=sys.stderr)
            return
        for row in rows:
            yield from evaluated([row], accelerator, layer_of, stages, reducer, **parameters)
        return
    by_name = {result.evaluation["layer.name"]: result.evaluation for result in results}
    for row, layer in zip(rows, workload):
        yield row, by_name[layer["name"]]
