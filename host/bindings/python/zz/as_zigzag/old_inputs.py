"""python3 -m zz.as_zigzag.old_inputs MODULE > FILE.yaml

Writes an input of ZigZag 2, a module of Python, as the YAML file that ZigZag 3 and zz read. MODULE is a file or a dotted name. It
is run, with the few classes of `zigzag` that make accelerators in place of ZigZag's, and must then have an `accelerator` (or
`cores`), a `mapping` or a `workload`."""

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import re
import runpy
import sys
import types


class OldInputError(Exception):
    """What a module has and no YAML file can say."""


class MemoryInstance:
    # The order of ZigZag 2, for calls by position.
    def __init__(self, name, size, r_bw, w_bw=None, r_cost=0, w_cost=0, area=0, r_port=1, w_port=1, rw_port=0, latency=1,
                 min_r_granularity=None, min_w_granularity=None, mem_type="sram", auto_cost_extraction=False,
                 double_buffering_support=False, shared_memory_group_id=-1):
        self.name = name
        self.entry = {"size": size, "r_bw": r_bw, "w_bw": r_bw if w_bw is None else w_bw, "r_cost": r_cost, "w_cost": w_cost,
                      "area": area, "r_port": r_port, "w_port": w_port, "rw_port": rw_port, "latency": latency, "mem_type": mem_type}
        if min_r_granularity is not None:
            self.entry["min_r_granularity"] = min_r_granularity
        if min_w_granularity is not None:
            self.entry["min_w_granularity"] = min_w_granularity
        if auto_cost_extraction:
            self.entry["auto_cost_extraction"] = True


class OperationalUnit:
    def __init__(self, input_precision, energy_cost=0, area=0, *further):
        # The base class takes the bits of the output second.
        self.energy, self.area = (area, further[0]) if further else (energy_cost, area)


class Multiplier(OperationalUnit):
    def __init__(self, input_precision, energy_cost, area):
        super().__init__(input_precision, energy_cost, area)


class OperationalArray:
    def __init__(self, operational_unit=None, dimensions=None, multiplier=None):
        self.unit = operational_unit or multiplier
        self.dimensions = dimensions


class MemoryHierarchy:
    def __init__(self, operational_array=None):
        self.operational_array = operational_array
        self.memories = {}

    def add_memory(self, memory_instance, operands, port_alloc=None, served_dimensions="all"):
        names = list(self.operational_array.dimensions)
        if isinstance(served_dimensions, str):
            served = names if served_dimensions == "all" else []
        else:
            served = [name for position, name in enumerate(names) if any(vector[position] for vector in served_dimensions)]
        name, number = memory_instance.name, 2
        while name in self.memories:
            name, number = f"{memory_instance.name}_{number}", number + 1
        if port_alloc is None:
            raise OldInputError(f"memory '{memory_instance.name}' has no port_alloc: say which port carries what")
        ports = [{code: port for code, port in alloc.items() if port is not None} for alloc in port_alloc]
        self.memories[name] = {**memory_instance.entry, "operands": list(operands), "ports": ports, "served_dimensions": served}


class Core:
    def __init__(self, id, operational_array, memory_hierarchy, *further, **more):
        self.id, self.operational_array, self.memory_hierarchy = id, operational_array, memory_hierarchy


class Accelerator:
    def __init__(self, name, core_set, *further, **more):
        self.name, self.cores = name, core_set


_CLASSES = {"MemoryInstance": MemoryInstance, "MemoryHierarchy": MemoryHierarchy, "OperationalUnit": OperationalUnit,
            "Multiplier": Multiplier, "OperationalArray": OperationalArray, "MultiplierArray": OperationalArray, "Core": Core,
            "Accelerator": Accelerator}


class _Unknown:
    """What a module imports and may never use."""

    def __init__(self, name, place):
        self._name, self._place = name, place

    def __call__(self, *arguments, **more):
        raise OldInputError(f"the module uses {self._name} of {self._place}, which is not known here; known are "
                            f"{', '.join(sorted(_CLASSES))}")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self()


class _Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _CLASSES.get(name) or _Unknown(name, self.__name__)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.startswith("zigzag.classes"):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


def _run(module):
    """The names that the module has when it was run."""
    sys.meta_path.insert(0, _Finder())
    sys.path.insert(0, os.getcwd())
    # A dotted name is found below the working folder, or as a module.
    file = pathlib.Path(module if module.endswith(".py") else module.replace(".", "/") + ".py")
    sys.path.insert(1, str(file.parent))  # a module may import its neighbours
    if "zigzag" not in sys.modules:
        sys.modules["zigzag"] = _Module("zigzag")
    return runpy.run_path(str(file)) if file.is_file() else vars(importlib.import_module(module))


def accelerator(name, cores):
    """The file of an accelerator of one core."""
    if len(cores) != 1:
        raise OldInputError(f"the accelerator has {len(cores)} cores; write the file of each, and one that lists them "
                            "(docs/zigzag-scripts.md)")
    core, = cores
    array = core.operational_array
    dimensions = dict(array.dimensions)
    return {"name": name, "memories": core.memory_hierarchy.memories,
            "operational_array": {"unit_energy": array.unit.energy, "unit_area": array.unit.area,
                                  "dimensions": list(dimensions), "sizes": list(dimensions.values())}}


_OPERAND_OF = {"O": "O", "I2": "W", "I1": "I"}


def _links(links):
    """ZigZag 2 let layers call their operands A and B, or X and Y."""
    return {_OPERAND_OF.get(memory, operand): memory for operand, memory in links.items() if memory in _OPERAND_OF}


def _loops(unrolled):
    """("K", 32), or several of them."""
    pairs = [unrolled] if isinstance(unrolled[0], str) else unrolled
    return [f"{loop}, {int(factor)}" for loop, factor in pairs]


def mapping(entries):
    file = []
    for name, given in entries.items():
        entry = {"name": name}
        if given.get("spatial_mapping"):
            entry["spatial_mapping"] = {along: _loops(loops) for along, loops in given["spatial_mapping"].items()}
        if given.get("spatial_mapping_hint"):
            entry["spatial_mapping_hint"] = {along: list(loops) for along, loops in given["spatial_mapping_hint"].items()}
        if given.get("temporal_ordering"):
            entry["temporal_ordering"] = [[loop, size] for loop, size in given["temporal_ordering"]]
        if given.get("memory_operand_links"):
            entry["memory_operand_links"] = _links(given["memory_operand_links"])
        file.append(entry)
    return file


#: As ZigZag's mapping files link them to I2 and I1.
_OLD_NAMES = {"W": "W", "I": "I", "X": "W", "Y": "I", "B": "W", "A": "I"}
#: Parts of a layer that are those of a mapping file now.
_MAPPED = ("spatial_mapping", "temporal_ordering", "memory_operand_links", "core_allocation")


def _new_names(number, precision):
    """{input: W or I}, as inputs may only be called now."""
    inputs = [operand for operand in precision if operand not in ("O", "O_final")]
    if len(inputs) > 2:
        raise OldInputError(f"layer {number} has the inputs {', '.join(inputs)}; a layer has one or two")
    names = {operand: _OLD_NAMES.get(operand) for operand in inputs}
    if len(inputs) == 1 and inputs != ["W"]:
        return {inputs[0]: "I"}
    return names if set(names.values()) <= {"W", "I"} and len(set(names.values())) == len(inputs) else dict(zip(inputs, "WI"))


def workload(layers):
    file = []
    mapped = sorted({part for given in layers.values() for part in _MAPPED if part in given})
    if mapped:
        print(f"not taken over: {', '.join(mapped)} of layers; these belong into a mapping file", file=sys.stderr)
    for number, given in layers.items():
        relations = list(given.get("dimension_relations") or given.get("equation_relations") or [])
        names = _new_names(number, given["operand_precision"])
        equation = re.sub(r"\w+(?=\[)", lambda operand: names.get(operand[0], operand[0]), given["equation"])
        entry = {"id": number, "name": given.get("name", f"layer_{number}"),
                 "operator_type": given.get("operator_type", "Conv" if relations else "Gemm"),
                 "equation": equation, "loop_dims": list(given["loop_dim_size"]), "loop_sizes": list(given["loop_dim_size"].values()),
                 "operand_precision": {names.get(operand, operand): bits for operand, bits in given["operand_precision"].items()}}
        if relations:
            entry["dimension_relations"] = relations
        sources = given.get("operand_source", {})
        entry["operand_source"] = {new: (sources.get(operand) or [number])[0] for operand, new in names.items()}
        file.append(entry)
    return file


def _told(convert, part, what):
    try:
        return convert(part)
    except KeyError as missing:
        raise OldInputError(f"{what} has no {missing}") from None


def converted(module):
    """What the file of the module says, as maps and lists."""
    names = _run(module)
    made = names.get("accelerator")
    if made is not None or "cores" in names:
        stem = pathlib.Path(module).stem if module.endswith(".py") else module.rpartition(".")[2]
        return accelerator(getattr(made, "name", stem), list(made.cores if made is not None else names["cores"]))
    if "mapping" in names:
        return _told(mapping, names["mapping"], "an entry of the mapping")
    if "workload" in names:
        return _told(workload, names["workload"], "a layer of the workload")
    raise OldInputError("the module has no 'accelerator', 'cores', 'mapping' or 'workload'")


def _yaml(value, indent=0):
    """Maps of maps in lines, what is in them between brackets."""
    blanks = "  " * indent
    if isinstance(value, dict) and indent < 3:
        return "".join(f"{blanks}{key}:" + (f"\n{_yaml(item, indent + 1)}" if isinstance(item, dict) and indent < 2 else
                                             f" {json.dumps(item)}\n") for key, item in value.items())
    return f"{blanks}{json.dumps(value)}\n"


def text_of(value):
    if isinstance(value, dict):
        return _yaml(value)
    return "".join("- " + "\n  ".join(f"{key}: {json.dumps(item)}" for key, item in entry.items()) + "\n" for entry in value)


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        sys.stdout.write(text_of(converted(arguments[0])))
    except (OldInputError, ImportError, OSError) as problem:
        print(f"{arguments[0]}: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
