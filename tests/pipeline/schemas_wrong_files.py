"""Wrong files: what a user types by mistake. Each is a kind of file, what is wrong with it, and a function that makes it wrong.

`BEYOND` names those that a schema lets pass, with the reason: what is wrong depends on another part of the file, or on another file.
"""


def of(path, change):
    """A function that goes to a part of a document and changes it."""
    def apply(document):
        part = document
        for step in path:
            part = part[step]
        change(part)
    return apply


def put(*path_and_value):
    *path, key, value = path_and_value
    return of(path, lambda part: part.__setitem__(key, value))


def drop(*path_and_key):
    *path, key = path_and_key
    return of(path, lambda part: part.pop(key))


REGISTER, BUFFER, ARRAY = ("memories", "register"), ("memories", "buffer"), ("operational_array",)
PORT = (*BUFFER, "ports", 0)

ACCELERATOR = {
    "a misspelt key of a memory": put(*BUFFER, "sise", 8),
    "no size": drop(*BUFFER, "size"),
    "a size of 0": put(*BUFFER, "size", 0),
    "a size in quotes": put(*BUFFER, "size", "65536"),
    "a size with a unit": put(*BUFFER, "size", "64 KiB"),
    "no costs": drop(*BUFFER, "r_cost"),
    "a negative cost": put(*BUFFER, "r_cost", -1),
    "a cost that is a word": put(*BUFFER, "r_cost", "free"),
    "a fraction as latency": put(*BUFFER, "latency", 0.5),
    "an unknown operand": put(*BUFFER, "operands", ["I1", "W"]),
    "an operand twice": put(*BUFFER, "operands", ["I1", "I1", "I2", "O"]),
    "no operand": put(*BUFFER, "operands", []),
    "operands as a text": put(*BUFFER, "operands", "I1, I2, O"),
    "a served dimension by another name": put(*BUFFER, "served_dimensions", ["D1", "X"]),
    "a port without a type": drop(*PORT, "type"),
    "an unknown type of a port": put(*PORT, "type", "readwrite"),
    "a bandwidth of 0": put(*PORT, "bandwidth_min", 0),
    "an unknown direction": put(*PORT, "allocation", ["I1, up"]),
    "a port by another name": put(*PORT, "name", "port 1"),
    "no ports": put(*BUFFER, "ports", []),
    "an overlap above 1": put(*PORT, "overlap", 1.5),
    "a line without cycles": put(*PORT, "line", {"bytes": 64}),
    "memories as a list": put("memories", []),
    "no memories": drop("memories"),
    "an array without energies": drop(*ARRAY, "unit_energy"),
    "an array dimension by another name": put(*ARRAY, "dimensions", ["D1", "DX"]),
    "a size of an array of 0": put(*ARRAY, "sizes", [4, 0]),
    "a whole number as name": put("name", 5),
    "a misspelt key of the file": put("operational_arrays", {}),
    "a clock without a unit": put("clock", "500"),
    "a clock twice": lambda file: file.update(clock="500 MHz", clock_period=2),
    "costs that are no auto": put("costs", "cacti"),
    "a fold with an unknown word": put(*ARRAY, "fold", {"operand": "I2", "fill": "all"}),
    "an instruction of no rows": put(*ARRAY, "instruction", {"operand": "I2", "along": ["OX"], "rows": 0}),
    "bits of an unknown operand": put(*ARRAY, "operand_precision", {"X": 8}),
    "a kind of memory computing without is_imc": put(*ARRAY, "imc_type", "analog"),
    "is_imc without its keys": put(*ARRAY, "is_imc", True),
    "a dataflow without a factor": put("dataflows", {"D1": ["K"]}),
    "a dimension that is served and not there": put(*BUFFER, "served_dimensions", ["D1", "D3"]),
    "a smallest transfer beyond the bandwidth": put(*PORT, "bandwidth_min", 128),
    "sizes of other dimensions": put(*ARRAY, "sizes", [4, 4, 4]),
}

MAPPING = {
    "no name": drop(0, "name"),
    "a misspelt key": put(0, "spatial_maping", {"D1": ["K, 4"]}),
    "a factor of 0": put(0, "spatial_mapping", {"D1": ["K, 0"]}),
    "a loop in small letters": put(0, "spatial_mapping", {"D1": ["k, 4"]}),
    "an array dimension by another name": put(0, "spatial_mapping", {"X": ["K, 4"]}),
    "an unknown memory operand": put(0, "memory_operand_links", {"O": "O", "W": "W", "I": "I1"}),
    "no link of the results": drop(0, "memory_operand_links", "O"),
    "an order without sizes": put(0, "temporal_ordering", [["C"], ["K", 4]]),
    "an order with a size of 0": put(0, "temporal_ordering", [["C", 0], ["*", "*"]]),
    "any loops with a size": put(0, "temporal_ordering", [["*", 4]]),
    "cuts without an order": put(0, "cuts", {"I": {"buffer": 1}}),
    "cuts of an unknown operand": lambda file: file[0].update(temporal_ordering=[["*", "*"]], cuts={"X": {"buffer": 1}}),
    "a negative core": put(0, "core_allocation", -1),
    "no core": put(0, "core_allocation", []),
    "a layout of an unknown operand": put(0, "layout", {"X": ["K"]}),
    "one memory operand for two": put(0, "memory_operand_links", {"O": "O", "W": "I1", "I": "I1"}),
}

WORKLOAD = {
    "no id": drop(0, "id"),
    "a negative id": put(0, "id", -1),
    "an unknown type": put(0, "operator_type", "Convolution"),
    "no equation": drop(0, "equation"),
    "an equation without brackets": put(0, "equation", "O = W * I"),
    "an operand by another name": put(0, "equation", "O[b][k]+=W[k][c]*A[b][c]"),
    "a loop of size 0": put(1, "loop_sizes", [0, 12, 288]),
    "a loop twice": put(1, "loop_dims", ["D", "D", "C"]),
    "no bits of the results": drop(0, "operand_precision", "O_final"),
    "negative bits": put(0, "operand_precision", "W", -8),
    "a part of a bit": put(0, "operand_precision", "W", 4.25),
    "a type of numbers that there is not": put(0, "operand_precision", "W", "mxfp5"),
    "a scale without a length of blocks": put(0, "operand_precision", "W", {"bits": 4, "scale": {"bits": 8}}),
    "a relation without a sum": put(0, "dimension_relations", ["ix=1*ox"]),
    "padding of nothing": put(0, "padding", [[1, 1]]),
    "padding of one side": lambda file: file[0].update(pr_loop_dims=["IX", "IY"], padding=[[1], [1, 1]]),
    "a source that is a name": put(1, "operand_source", {"I": "first", "W": 1}),
    "a constant result": put(1, "constant_operands", ["O"]),
    "a misspelt key": put(0, "loop_dim", ["K"]),
    "a source that is not there": put(1, "operand_source", {"I": 7, "W": 1}),
}

MULTI_CORE = {
    "no cores": put("cores", []),
    "cores that are whole numbers": put("cores", [1, 2]),
    "no graph": drop("graph"),
    "an unknown graph": put("graph", "type", "torus"),
    "a bandwidth of 0": put("graph", "bandwidth", 0),
    "a negative energy": put("graph", "unit_energy_cost", -1),
    "memories beside the cores": put("memories", {}),
    "one core that shares its memory": put("core_memory_sharing", [[0]]),
    "a core that is a name": put("graph", "offchip_core_id", "dram"),
    "a mesh without columns": lambda file: file["graph"].pop("nb_cols") if "nb_cols" in file["graph"] else file["graph"].update(
        type="2d_mesh", nb_rows=1),
    "a bandwidth of a simd core that is not there": put("graph", "simd_bandwidth", 64),
    "a core that is not there": put("graph", "offchip_core_id", 200),
}

PIPELINE = {
    "a misspelt stage": put("stages", 3, "SumStages"),
    "a misspelt parameter": put("parameters", "workloat", "workload.yaml"),
    "a misspelt rule": put("parameters", "compat", "zigzag-4.0"),
    "an exception that is none": put("parameters", "compat", "zigzag-3.9 but fast_ports"),
    "a seed that is a word": put("parameters", "seed", "random"),
    "a path into nothing that is handed down": put("parameters", "accelerater.memories[buffer].size", 8),
    "two spellings of one setting": put("parameters", "accelerator_path", "accelerator.yaml"),
    "another version": put("version", 2),
    "no version": drop("version"),
    "no stages": drop("stages"),
    "a misspelt key of the file": put("stage", []),
    "a setting of another type": put("stages", 9, {"LomaStage": {"loma_lpf_limit": "six"}}),
    "a setting of another stage": put("stages", 9, {"LomaStage": {"seed": 7}}),
    "two stages in one entry": put("stages", 9, {"LomaStage": {}, "SumStage": {}}),
    "a stage in the wrong place": put("stages", 10, "LomaStage"),
}

AXES = ("stages", 2, "ExplorationStage", "axes")
SPACE = {
    "no axes": of(AXES, lambda axes: axes.clear()),
    "an axis without values": put(*AXES, "memories.buffer.size", []),
    "a range without an end": put(*AXES, "memories.buffer.size", {"from": 1, "step": 1}),
    "a range of step 0": put(*AXES, "memories.buffer.size", {"from": 1, "to": 2, "step": 0}),
    "a range with step and factor": put(*AXES, "memories.buffer.size", {"from": 1, "to": 4, "step": 1, "factor": 2}),
    "a strategy that there is not": put("stages", 2, "ExplorationStage", "strategy", "genetic"),
    "a range that is empty": put(*AXES, "memories.buffer.size", {"from": 4, "to": 2, "step": 1}),
}

FUSED = {
    "no layers": put("layers", []),
    "an unknown role": put("layers", 0, "roles", {"O": ["lent", 1]}),
    "a misspelt key of a layer": put("layers", 0, "unroling", {}),
    "a loop without a size": put("layers", 0, "loops", [["C"]]),
    "no memory of the exchange": drop("exchange_memory"),
    "two names of one key": put("home", "buffer"),
    "an unknown objective": put("objective", "speed"),
}

FILES = {"accelerator": ACCELERATOR, "mapping": MAPPING, "workload": WORKLOAD, "multi_core": MULTI_CORE, "pipeline": PIPELINE,
         "space": SPACE, "fused": FUSED}

# What a schema cannot say.
BEYOND = {
    ("accelerator", "a dimension that is served and not there"): "the dimensions are named elsewhere in the file",
    ("accelerator", "a smallest transfer beyond the bandwidth"): "two numbers are compared",
    ("accelerator", "sizes of other dimensions"): "two lengths are compared",
    ("mapping", "one memory operand for two"): "two values are compared",
    ("workload", "a source that is not there"): "the layers are other entries of the file",
    ("multi_core", "a core that is not there"): "the cores are counted",
    ("pipeline", "a stage in the wrong place"): "the order of stages follows from what they hand down",
    ("space", "a range that is empty"): "two numbers are compared",
}
