"""Runs the pipelines of pages. A whole one runs as if it lay in configs/pipelines, and every day on a small network in
place of a large one. Of a fragment, what `...` leaves out, and what is missing at either end, is that of a plain chain;
files that a reader would have are small ones of this folder's frames.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = SOURCE / "tests"

# A plain chain for one core, and one for several. A stage that takes the place of others names the first and the last.
ONE_CORE = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
            "SpatialMappingGeneratorStage", "MinimalLatencyStage", "LomaStage", "CostModelStage"]
SEVERAL = ["AcceleratorParserStage", "UserDefinedModelParserStage", "GenerateCNWorkloadHybridStage", "IntraCoreMappingStage",
           "InterCoreMappingStage"]
PLACES = {"WorkloadParserStage": (0, 0), "ONNXModelParserStage": (0, 0), "TransformerWorkloadStage": (0, 0), "ScaleSimStage": (0, 1),
          "TimeloopStage": (0, 1), "AccelForgeStage": (0, 1), "AcceleratorParserStage": (1, 1), "SumStage": (2, 2), "WorkloadStage": (3, 3),
          "SpatialMappingGeneratorStage": (5, 5), "SpatialMappingConversionStage": (5, 5), "LomaStage": (7, 7), "SalsaStage": (7, 7),
          "TemporalMappingGeneratorStage": (7, 7), "OptimalTemporalMappingStage": (7, 7), "TemporalOrderingConversionStage": (7, 7),
          "OptimalMappingStage": (5, 7), "OptimalFusedMappingStage": (3, 7), "CostModelStage": (8, 8)}
PLACES_OF_SEVERAL = {"AcceleratorParserStage": (0, 0), "UserDefinedModelParserStage": (1, 1), "StreamONNXModelParserStage": (1, 1),
                     "GenerateCNWorkloadHybridStage": (2, 2), "IntraCoreMappingStage": (3, 3), "InterCoreMappingStage": (4, 4)}
# Which files stand for those that only a reader has, by the setting and the ending.
FILES = {"workload": {".onnx": "network.onnx", ".json": "config.json", "": "workload.yaml"}, "accelerator": {"": "accelerator.yaml"},
         "mapping": {"": "mapping.yaml"}, "topology": {"": "net.csv"}, "config": {"": "array.cfg"}, "problem": {"": "problem.yaml"},
         "architecture": {"": "arch.yaml"}, "energies": {"": "ert.yaml"}, "einsums": {"": "network.yaml"}}
# What stages of fragments cannot do without, or take too long over.
WANTED = {"GeneralParameterIteratorStage": {"general_parameter_iterations": {"loma_lpf_limit": [3, 4]}},
          "InterCoreMappingStage": {"nb_ga_generations": 2, "nb_ga_individuals": 4}, "SearchHintLoopsStage": {"evaluation_limit": 20},
          "GenerateCNWorkloadHybridStage": {"cn_define_mode": 1, "hint_loops": [["OY", "all"]]},
          "PEArrayScalingStage": {"pe_array_scaling": 1}, "SalsaStage": {"salsa_iteration_number": 20},
          "TransformerWorkloadStage": {"phase": "decode", "context": 4}}
QUICK = (("SearchHintLoopsStage", "evaluation_limit", 20), ("InterCoreMappingStage", "nb_ga_generations", 2))
SAVERS = ("SimpleSaveStage", "CompleteSaveStage", "VisualizationStage", "HardwareOptimizerStage")


SMALL_NETWORK = "configs/workloads/quantised_cnn.onnx"


def write_inputs(folder, names):
    """The small project of the tests, with a memory as pages call it, and files of other tools and models from text cases;
    for a chain with stages of these names."""
    for path in (TESTS / "inputs").iterdir():
        shutil.copy(path, folder)
    text = (folder / "accelerator.yaml").read_text()
    accelerator = text_case.load(text.replace("  buffer:", "  l1:"))
    l1 = accelerator["memories"]["l1"]
    l1["ports"] = [{"name": "rw_port_1", "type": "read_write", "bandwidth_min": 64, "bandwidth_max": 64,
                    "allocation": [item for port in l1["ports"] for item in port["allocation"]]}]
    if "ComponentCostStage" in names:
        l1["r_cost"] = l1["w_cost"] = l1["area"] = "auto"
    (folder / "accelerator.yaml").write_text(text_case.dump(accelerator))
    if "TemporalOrderingConversionStage" in names:
        mapping = text_case.load((folder / "mapping.yaml").read_text())
        mapping[0]["temporal_ordering"] = [[loop, "all"] for loop in ("FX", "FY", "C", "OX", "OY", "K", "D", "B")]
        (folder / "mapping.yaml").write_text(text_case.dump(mapping))
    shutil.copy(SOURCE / SMALL_NETWORK, folder / "network.onnx")
    for case in ("scale_sim", "timeloop", "accelforge", "transformer_decode"):
        for name, content in text_case.load((TESTS / f"pipeline/{case}.yaml").read_text())["files"].items():
            if name != "pipeline.yaml":
                (folder / pathlib.PurePath(name).name).write_text(content)


def name_of(entry):
    return next(iter(entry)) if isinstance(entry, dict) else entry


def is_stage(entry):
    return isinstance(entry, (str, dict)) and bool(entry) and (entry == "..." or str(name_of(entry)).endswith("Stage"))


def merge(whole, part):
    """Puts what is in `part` into `whole`, in place: maps by key, lists of named maps by name. `...` stands for what there is."""
    for key, value in part.items():
        if key == "...":
            continue
        here = whole.get(key)
        if isinstance(value, dict) and isinstance(here, dict):
            merge(here, value)
        elif isinstance(value, list) and isinstance(here, list) and all(isinstance(one, dict) and "name" in one for one in value):
            for one in value:
                merge(next(known for known in here if known["name"] == one["name"]), one)
        else:
            whole[key] = value


def alternatives(stages):
    """A list that names one stage several times on end shows ways to write it."""
    names = [name_of(stage) for stage in stages]
    repeated = len(names) > 1 and len(set(names)) == 1
    return [[stage] for stage in stages] if repeated else [stages]


def quick(chain):
    """Options that make a search as short as can be, whatever the pipeline says."""
    return [f"--set={stage}.{setting}={value}" for stage, setting, value in QUICK if stage in map(name_of, chain)]


def placed(stages, places):
    """The place of each stage in the plain chain, (first, last) or None."""
    found = [places.get(name_of(stage)) for stage in stages]
    following = None
    for number in range(len(stages) - 1, -1, -1):
        if name_of(stages[number]).startswith("Minimal"):
            found[number] = (6, 6) if following is not None and following > 6 else (4, 4)
        if found[number] is not None:
            following = found[number][0]
    return found


def whole_chain(stages):
    """The stages of a pipeline that a fragment is a part of."""
    several = any(name_of(stage) in PLACES_OF_SEVERAL and name_of(stage) not in PLACES or name_of(stage) in ("SearchHintLoopsStage",)
                  for stage in stages)
    chain, places = (SEVERAL, PLACES_OF_SEVERAL) if several else (ONE_CORE, PLACES)
    found = placed(stages, places)
    known = [place for place in found if place]
    if "..." not in stages and (not known or known[0][0] > 0):
        stages, found = ["...", *stages], [None, *found]
    if stages[-1] != "..." and (not known or known[-1][1] < len(chain) - 1):
        stages, found = [*stages, "..."], [*found, None]
    made, last = [], -1
    for number, stage in enumerate(stages):
        if stage != "...":
            made.append(stage)
            last = max(last, found[number][1]) if found[number] else last
            continue
        following = next((place[0] for place in found[number + 1:] if place), None)
        if following is None:  # before stages that may stand anywhere the parsers, and the rest at the end
            following = 2 if number + 1 < len(stages) and not several else 1 if number + 1 < len(stages) else len(chain)
        made += chain[last + 1:following]
        last = max(last, following - 1)
    return made


class Runner:
    """Runs pipelines with `host`; `settings` are {stage: {setting}} and `input_paths` the names of settings that are files."""

    def __init__(self, host, input_paths):
        self.host, self.input_paths = host, input_paths

    def complaints(self, pipeline, folder, *options):
        done = subprocess.run([self.host, pipeline, "-q", *options], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return [f"does not run\n{done.stderr}"] if done.returncode else []

    def whole(self, text, place, slow):
        """A pipeline that says all; `place` is where it lies in a checkout. Every day a small network takes the place of a file."""
        place.write_text(text)
        document = text_case.load(text)
        parameters = document.get("parameters") or {}
        small = [f"--set={name}={SOURCE / SMALL_NETWORK}" for name, value in parameters.items()
                 if name == "workload" and str(value).endswith(".onnx") and not slow]
        small += [] if slow else quick(document["stages"])
        with tempfile.TemporaryDirectory() as folder:
            return self.complaints(place, folder, *small)

    def joined(self, document, marker, folder):
        """What a file of a checkout becomes with the document as a part of it, as `joins:` of page.py says."""
        found = re.fullmatch(r"([^\s:,]+)(?::(\w+))?(?:, (\w+) of (\S+))?", marker)
        if not found:
            return [f"'joins: {marker}' is not as page.py says"]
        path, key, setting, pipeline = found.groups()
        whole = text_case.load((folder / path).read_text())
        merge(whole if key is None else whole[key], document)
        # Beside the file, whose paths count from there.
        made = folder / path
        if (folder / pathlib.PurePath(path).parts[0]).is_symlink():
            made = folder / path.replace("/", "_")
        made = made.with_name(f"joined_{made.name}")
        made.write_text(text_case.dump(whole))
        with tempfile.TemporaryDirectory() as top:
            if setting is None:
                return self.complaints(made, top)
            return self.complaints(folder / pipeline, top, f"--set={setting}={made}", "--set=dump_folder=outputs")

    def with_input(self, name, document):
        """A file of inputs of the small project, of one core or of several."""
        several = name.startswith("stream")
        with tempfile.TemporaryDirectory() as top:
            folder = pathlib.Path(top)
            for path in (TESTS / "inputs").iterdir():
                shutil.copy(path, folder)
            for stands_for, core in (("a.yaml", "stream_core.yaml"), ("b.yaml", "stream_core.yaml"), ("dram.yaml", "stream_offchip.yaml")):
                shutil.copy(folder / core, folder / stands_for)
            if not several:
                document = [{**text_case.load((folder / name).read_text())[0], **entry} for entry in document]
            (folder / name).write_text(text_case.dump(document))
            pipeline = folder / ("stream.yaml" if several else "pipeline.yaml")
            if any("temporal_ordering" in entry for entry in document):
                pipeline.write_text(pipeline.read_text().replace("LomaStage", "TemporalOrderingConversionStage"))
                workload = folder / "workload.yaml"
                workload.write_text(workload.read_text().replace("[1, 8, 4, 6, 6, 3, 3]", "[1, 64, 64, 14, 14, 3, 3]"))  # as large as a page's layer
            return self.complaints(pipeline, folder)

    def fragment(self, document, saved=None, slow=False):
        """A part of a pipeline: a list of stages, or a map with `stages`."""
        document = {"stages": document} if isinstance(document, list) else document
        wrong = []
        for stages in alternatives(document["stages"]):
            chain = whole_chain(stages)
            names = {name_of(stage) for stage in chain}
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                write_inputs(folder, names)
                for path, content in (saved or {}).items():
                    if "/" not in path:
                        (folder / path).write_text(content)
                several = "InterCoreMappingStage" in names
                kind = ".json" if "TransformerWorkloadStage" in names else ".onnx" if any("ONNX" in stage for stage in names) else ""
                parameters = {"workload": FILES["workload"][kind], "accelerator": "accelerator.yaml", "mapping": "mapping.yaml"}
                if several and "LayerSplittingStage" in names:  # its networks need larger memories
                    parameters |= {key: str(SOURCE / f"configs/{key}s/systolic_quad_core.yaml") for key in ("accelerator", "mapping")}
                elif several:
                    parameters |= {"accelerator": "stream_accelerator.yaml", "mapping": "stream_mapping.yaml"}
                if several:
                    parameters |= {} if kind else {"workload": "stream_workload.yaml"}
                if names & {"ScaleSimStage", "TimeloopStage", "AccelForgeStage"}:
                    parameters = {}
                searched = names & {"SearchHintLoopsStage", "DetermineHintLoopsStage"}
                for stage in names:
                    parameters |= {} if searched and stage == "GenerateCNWorkloadHybridStage" else WANTED.get(stage, {})
                parameters |= {"dump_folder": "outputs"} if names & set(SAVERS) else {}
                if "dimensions" in (document.get("parameters") or {}):
                    shutil.copy(SOURCE / "configs/workloads/bert_encoder.onnx", folder / "network.onnx")
                    parameters["loma_lpf_limit"] = 3
                for key, value in (document.get("parameters") or {}).items():
                    stands_for = FILES.get(key) if isinstance(value, str) and not (folder / value).exists() else None
                    if stands_for is None or key not in self.input_paths:
                        parameters[key] = value
                    elif key == "architecture" and "AccelForgeStage" in names:
                        parameters[key] = "chip.yaml"
                    elif key not in parameters or not several:
                        parameters[key] = stands_for.get(pathlib.Path(value).suffix, stands_for.get("", ""))
                if several:
                    parameters["loma_lpf_limit"] = parameters.get("loma_lpf_limit", 3) if slow else 3
                whole = {"version": 1, "parameters": parameters, "stages": chain}
                (folder / "pipeline.yaml").write_text(text_case.dump(whole))
                wrong += [f"{complaint}of {text_case.dump(whole)}"
                          for complaint in self.complaints("pipeline.yaml", folder, *([] if slow else quick(chain)))]
        return wrong
