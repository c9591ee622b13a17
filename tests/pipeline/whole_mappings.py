"""usage: whole_mappings.py ZZ_HOST [--all]

A mapping file is the whole mapping: results of proofs (tiles that do not divide their loop among them), of LOMA and of
annealing on shipped machines, written as mapping files, are costed again by every stage that takes a prescribed order, to
the same energy and latency, to the digit. ZigZag's readers find no key in such a file that they do not know. Everyday a few
machines with small layers; with --all all machines of one core and the shipped networks.
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host = pathlib.Path(sys.argv[1]).resolve()
configs = pathlib.Path(__file__).resolve().parent.parent.parent / "configs"
EVERYTHING = "--all" in sys.argv[2:]
RAGGED = """
- {id: 0, name: tokens, operator_type: Gemm, equation: "O[d][k]+=I[d][c]*W[c][k]", dimension_relations: [], loop_dims: [D, K, C],
   loop_sizes: [197, 48, 40], operand_precision: {W: 8, I: 8, O: 16, O_final: 8}, operand_source: {I: 0, W: 0}}
- {id: 1, name: shortcut, operator_type: Conv, equation: "O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]",
   dimension_relations: [ix=2*ox+1*fx, iy=2*oy+1*fy], loop_dims: [B, K, C, OY, OX, FY, FX], loop_sizes: [1, 20, 12, 7, 7, 1, 1],
   operand_precision: {W: 8, I: 8, O: 16, O_final: 8}, operand_source: {I: 1, W: 1}}
"""
OPEN = "- name: default\n  memory_operand_links: {O: O, W: I2, I: I1}\n"
# What ZigZag 3.8.5 knows.
ZIGZAG = {"name", "spatial_mapping", "spatial_mapping_hint", "memory_operand_links", "temporal_ordering"}
BELOW = ["MinimalEnergyStage", "SpatialMappingGeneratorStage", "MinimalEnergyStage"]
FOUND_BY = {
    "optimum": ["MinimalEnergyStage", {"OptimalMappingStage": {"tiles": "chains", "unrolling": "any", "time_limit": 0.3}},
                "CostModelStage"],
    "fastest": ["MinimalLatencyStage", {"OptimalMappingStage": {"time_limit": 0.3}}, "CostModelStage"],
    "loma": [*BELOW, {"LomaStage": {"loma_lpf_limit": 5}}, "CostModelStage"],
    "even": [*BELOW, {"LomaStage": {"loma_lpf_limit": 5, "temporal_mapping_type": "even"}}, "CostModelStage"],
    "salsa": [*BELOW, {"SalsaStage": {"salsa_iteration_number": 60}}, "CostModelStage"],
}
AGAIN = {
    "one mapping": ["SpatialMappingConversionStage", "TemporalOrderingConversionStage", "CostModelStage"],
    "loma": [*BELOW, "LomaStage", "CostModelStage"],
    "salsa": [*BELOW, "SalsaStage", "CostModelStage"],
    "optimal order": [*BELOW, "OptimalTemporalMappingStage", "CostModelStage"],
    "optimum": ["MinimalEnergyStage", {"OptimalMappingStage": {"unrolling": "any"}}, "CostModelStage"],
}


def call(*words, may_fail=False):
    run = subprocess.run([host, *words], cwd=folder, capture_output=True, text=True)
    if run.returncode and not may_fail:
        sys.exit(f"{words}: exit code {run.returncode}\n{run.stderr}")
    return run.returncode == 0 and run.stdout


def figures(network, machine, mapping, stages, may_fail=False):
    """Energy and latency of each layer, as texts of all digits; None where nothing fits."""
    parser = "ONNXModelParserStage" if network.endswith(".onnx") else "WorkloadParserStage"
    document = {"version": 1, "parameters": {"workload": network, "accelerator": machine, "mapping": mapping},
                "stages": [parser, "AcceleratorParserStage", {"PickleSaveStage": {"pickle_filename": "layers.zz"}},
                           "WorkloadStage", *stages]}
    (folder / "run.yaml").write_text(text_case.dump(document))
    if call("run.yaml", may_fail=may_fail) is False:
        return None
    rows = csv.DictReader(io.StringIO(call("show", "layers.zz", "--format=csv")))
    return [(row["layer"], row["energy_total"], row["latency_total2"]) for row in rows]


def check(network, machine, finder, again):
    found = figures(network, machine, "open.yaml", FOUND_BY[finder], may_fail=True)
    if found is None:
        return 0
    text = call("show", "layers.zz", "--format=mapping")
    (folder / "found.yaml").write_text(text)
    for entry in text_case.load(text):
        if set(entry) - ZIGZAG:
            sys.exit(f"{entry['name']}: ZigZag does not know {set(entry) - ZIGZAG}")
    for name in again:
        costed = figures(network, machine, "found.yaml", AGAIN[name])
        if costed != found:
            wrong = [(one, other) for one, other in zip(found, costed) if one != other]
            sys.exit(f"{network} on {machine}, found by {finder}, costed again by {name}: {wrong or (found, costed)}\n{text}")
    return text.count("\n# cuts: {")


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    (folder / "open.yaml").write_text(OPEN)
    (folder / "ragged.yaml").write_text(RAGGED)
    machines = sorted(path for path in (configs / "accelerators").glob("*.yaml") if "memories:" in path.read_text())
    networks = ["ragged.yaml"]
    if EVERYTHING:
        networks += [str(configs / "workloads" / name) for name in
                     ("small_cnn.yaml", "bert_base_encoder.yaml", "resnet50_bottleneck.yaml", "mobilenet_v2.onnx")]
        plan = [(network, str(machine), finder, AGAIN) for network in networks for machine in machines for finder in FOUND_BY]
    else:
        few = [configs / "accelerators" / f"{name}.yaml" for name in ("gemmini_like", "eyeriss_like", "simba_like")]
        plan = [("ragged.yaml", str(machine), finder, AGAIN) for machine in few for finder in FOUND_BY if finder == "optimum" or finder == "even" and machine is few[0]]
    entries = sum(check(*one) for one in plan)
    if entries < len(plan):
        sys.exit(f"only {entries} entries of {len(plan)} runs have cuts")
    print(f"{entries} entries with cuts cost the same again")
