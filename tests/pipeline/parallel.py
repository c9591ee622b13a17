"""usage: parallel.py ZZ_HOST

The same results on 1, 2 and 4 threads: what is printed and every file, byte by byte. Runs the small project with
layers in parallel, hardware points in parallel, and the pair of stages that gathers tasks; with that pair everything
is as without it.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
HOST = pathlib.Path(sys.argv[1]).resolve()

CHAIN = (SOURCE / "tests/inputs/pipeline.yaml").read_text()
SWEEP = CHAIN.replace("parameters:\n", """parameters:
  general_parameter_iterations:
    accelerator.memories[buffer].size: [32768, 65536]
    loma_lpf_limit, dump_folder: [[1, out/1], [2, out/2], [3, out/3], [6, out/6]]
""").replace("  - SimpleSaveStage", "  - GeneralParameterIteratorStage\n  - SimpleSaveStage")
# Points of one folder would overwrite each other's files in any order.
SWEEP_ONCE = SWEEP.replace("[32768, 65536]", "[65536]")
PAIR = SWEEP_ONCE.replace("  - GeneralParameterIteratorStage\n",
                     "  - MultiProcessingGatherStage\n  - GeneralParameterIteratorStage\n  - MultiProcessingSpawnStage\n")
LIMITED = PAIR.replace("parameters:\n", "parameters:\n  nb_multiprocessing_threads: 3\n", 1)
HARDWARE = CHAIN.replace("parameters:\n", """parameters:
  hardware_parameters:
    memories.buffer.size: [16, 8192, 65536]
    operational_array.sizes: [[4, 4], [0, 4], [2, 2], [8, 4]]
""").replace("  - SimpleSaveStage", "  - HardwareOptimizerStage\n  - SimpleSaveStage")
REDUCED = CHAIN.replace("  - SpatialMappingGeneratorStage\n", "  - SpatialMappingGeneratorStage\n  - MultiProcessingSpawnStage\n").replace(
    "  - CompleteSaveStage\n  - MinimalLatencyStage\n", "  - CompleteSaveStage\n  - MinimalLatencyStage\n  - MultiProcessingGatherStage\n").replace(
    "  - MultiProcessingSpawnStage\n  - MinimalLatencyStage\n", "  - MultiProcessingSpawnStage\n")
EVERYTHING = CHAIN.replace("  - SumStage\n", "  - PickleSaveStage: {pickle_filename: out/all.zz}\n  - SumStage\n").replace(
    "  - WorkloadStage\n", "  - WorkloadStage\n  - VisualizationStage: {plot_results: 1}\n")
NETWORK = (SOURCE / "tests/inputs/workload.yaml").read_text()


def run(pipeline, threads, workload=NETWORK):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for path in (SOURCE / "tests/inputs").iterdir():
            shutil.copy(path, folder)
        (folder / "pipeline.yaml").write_text(pipeline)
        (folder / "workload.yaml").write_text(workload)
        done = subprocess.run([HOST, "pipeline.yaml", "-j", str(threads)], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit code {done.returncode} on {threads} threads\n{pipeline}\n{done.stderr}")
        files = {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
        # Counters tell how much work was done; where a point fails, other threads may be further on.
        table = re.sub(r"^[a-z ]+: [0-9.]+( s)?\n", "", done.stdout, flags=re.MULTILINE)
        return table, files


def same(a, b, what):
    if a == b:
        return
    different = [name for name in a[1].keys() | b[1].keys() if a[1].get(name) != b[1].get(name)]
    sys.exit(f"{what}: not the same\n{a[0]}\n{b[0]}\nfiles: {different}")


for name, pipeline in {"layers": CHAIN, "sweep": SWEEP, "pair": PAIR, "limited pair": LIMITED, "hardware": HARDWARE,
                       "pair below a reducer": REDUCED}.items():
    alone = run(pipeline, 1)
    for threads in (2, 4):
        same(alone, run(pipeline, threads), f"{name} on {threads} threads")
    print(f"{name}: {len(alone[1])} files")
same(run(SWEEP_ONCE, 1), run(PAIR, 4), "with and without the pair")

alone = run(REDUCED, 1)
if (alone[0], alone[1].keys()) != (run(CHAIN, 1)[0], run(CHAIN, 1)[1].keys()):
    sys.exit("with and without the pair below a reducer: not the same")

# Copies of layers are begun after the first of their kind; pictures show the first layer, whichever is done first.
layers = yaml.safe_load(NETWORK)
many = yaml.safe_dump([{**layer, "id": len(layers) * copy + layer["id"], "name": f"{layer['name']}{copy}",
                        "operand_source": dict.fromkeys(layer["operand_source"], len(layers) * copy + layer["id"])}
                       for copy in range(40) for layer in layers])
alone = run(EVERYTHING, 1, many)
for threads in (2, 4):
    same(alone, run(EVERYTHING, threads, many), f"archive and pictures of many layers on {threads} threads")

one_name = NETWORK.replace("name: second", "name: first")
ARCHIVES = CHAIN.replace("  - SimpleSaveStage\n", "").replace(
    "  - CompleteSaveStage\n", "  - DumpStage: {dump_filename_pattern: 'out/{layer.name}.zz'}\n")
for threads in (2, 4):
    same(run(ARCHIVES, 1, one_name), run(ARCHIVES, threads, one_name), f"layers of one name on {threads} threads")
