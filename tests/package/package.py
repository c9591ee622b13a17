"""What somebody with nothing but the installed package does, one step at a time.

usage: package.py install BUILD FOLDER          cmake --install into an empty prefix, then move the tree
       package.py build FOLDER SOURCE NAME [-D...]   build a plugin against it, in FOLDER/build/NAME, and install it
                                                as NAME.so; NAME may differ from the plugin's own name
       package.py run FOLDER CHECK PLUGIN ...   run pipelines with them and check the results: check_... below
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def call(*command, folder=None):
    print("$", *command, flush=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ZZ_", "CMAKE_"))}
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}")


def install(build, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    first = folder / "first place"
    call("cmake", "--install", build, "--prefix", first)
    first.rename(folder / "zz")
    # Nothing in it may remember the source tree, the build tree or its first place.
    for path in (folder / "zz").rglob("*"):
        if path.is_file() and path.suffix in {".cmake", ".pc", ".h", ".hpp"}:
            for place in (build, str(HERE.parent.parent), "first place"):
                if place in path.read_text():
                    sys.exit(f"{path} names {place}")


def build(folder, source, name, *options):
    folder = pathlib.Path(folder)
    for option in options:
        compiler = option.partition("_COMPILER=")[2]
        if compiler and not shutil.which(compiler):
            print(f"skipped: this machine has no {compiler}")
            sys.exit(SKIPPED)
    # Out of the source tree, so that nothing there can be found by accident.
    copy = folder / "source" / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy)
    shutil.rmtree(folder / "build" / name, ignore_errors=True)
    call("cmake", "-S", copy, "-B", folder / "build" / name, f"-DCMAKE_PREFIX_PATH={folder / 'zz'}", *options)
    call("cmake", "--build", folder / "build" / name)
    [library] = (folder / "build" / name).glob("*.so")
    (folder / "plugins").mkdir(exist_ok=True)
    shutil.copy(library, folder / "plugins" / f"{name}.so")


def run_pipeline(folder, name, stages, plugins):
    """The results that CollectResultsStage wrote; `plugins` are installed for this run and found by themselves."""
    where = folder / "run" / name
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(folder / "zz/share/zz/examples/inputs", where)
    [plugin_folder] = (folder / "zz").glob("lib/**/zz/plugins-*")
    installed = [plugin_folder / f"{plugin}.so" for plugin in plugins]
    lines = ["version: 1", "parameters:", "  workload: workload.yaml", "  accelerator: accelerator.yaml",
             "  mapping: mapping.yaml", "stages:"]
    lines += [f"  - {stage}" for stage in
              ["WorkloadParserStage", "AcceleratorParserStage", "CollectResultsStage: {file: results.json}",
               "WorkloadStage", *stages]]
    (where / "pipeline.yaml").write_text("\n".join(lines) + "\n")
    try:
        for path in installed:
            shutil.copy(folder / "plugins" / path.name, path)
        call(folder / "zz/bin/zz-host", "pipeline.yaml", folder=where)
    finally:
        for path in installed:
            path.unlink(missing_ok=True)
    return json.loads((where / "results.json").read_text())


MAPPER = ["SpatialMappingGeneratorStage", "LomaStage", "CostModelStage"]


def check_k_best(folder, *plugins):
    """Three results, the best ones, in order; the same from every compiler."""
    everything = run_pipeline(folder, "everything", MAPPER, ["collect"])
    assert len(everything) > 10, f"only {len(everything)} mappings to choose from"
    for metric, key in (("energy_total", "energy"), ("latency_total2", "latency")):
        expected = sorted(everything, key=lambda result: result[key])[:3]
        for plugin in plugins:
            best = run_pipeline(folder, f"{plugin}_{key}", [f"KBestReducer: {{keep: 3, metric: {metric}}}", *MAPPER],
                                ["collect", plugin])
            assert len(best) == 3, f"{plugin}: {len(best)} results, expected 3"
            assert best == expected, f"{plugin}: {best}, expected {expected}"


def check_c_cost_model(folder, plugin):
    """The energy of the matrix product in the examples' inputs, as the README of the example works it out."""
    results = run_pipeline(folder, "c_cost_model",
                           ["SpatialMappingGeneratorStage", "LomaStage", "SimpleCostModelStage: {stall: 1.5}"],
                           ["collect", plugin])
    assert results
    rows, columns, terms = 4, 6, 8
    mac_energy = rows * columns * terms * 0.5
    bits = {"I": rows * terms * 8, "W": terms * columns * 8, "O": rows * columns * 16}
    buffer = (bits["I"] + bits["W"]) / 64 * 2 + bits["O"] / 64 * 3
    dram = (bits["I"] + bits["W"]) / 32 * 100 + bits["O"] / 32 * 200
    cycles = rows * (columns // 2) * (terms // 2)
    for result in results:
        for key, value in (("mac_energy", mac_energy), ("mem_energy", buffer + dram),
                           ("energy", mac_energy + buffer + dram), ("latency", 1.5 * cycles)):
            assert math.isclose(result[key], value, rel_tol=1e-12), f"{key} is {result[key]}, by hand {value}"


def check_template(folder, plugin):
    """The template works as it is."""
    assert run_pipeline(folder, "template", ["MyStage: {price: 2}", *MAPPER], ["collect", plugin])


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    if verb == "install":
        install(*arguments)
    elif verb == "build":
        build(*arguments)
    else:
        folder, check, *plugins = arguments
        folder = pathlib.Path(folder)
        lacking = [plugin for plugin in plugins if not (folder / "plugins" / f"{plugin}.so").exists()]
        if lacking:
            print(f"skipped: {', '.join(lacking)} could not be built on this machine")
            sys.exit(SKIPPED)
        globals()["check_" + check](folder, *plugins)
