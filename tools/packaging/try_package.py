"""Tries what an installed zz promises, by the Python that has it: a run, a sweep on two processes, a stage in Python, zz-host,
a plugin built and loaded. Prints a line for each.

usage: PYTHON try_package.py

What a system may lack (a compiler, libpq, Python as a library) is used where it is. Elsewhere the message must say what to
install.
"""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import zz

WORKLOAD, CHIP = zz.configs / "workloads/small_cnn.yaml", zz.configs / "accelerators/gemmini_like.yaml"
EXAMPLES = zz.configs.parent / "examples"
# That of the environment, whether it is activated or not.
HOST = shutil.which("zz-host", path=os.path.dirname(sys.executable)) or shutil.which("zz-host")


class Nothing(zz.Stage):
    """Passes everything on."""

    def run(self, context):
        yield from self.substage(context)


def has_library(name):
    try:
        return bool(ctypes.CDLL(name))
    except OSError:
        return False


def call(*command, said="", fails=False):
    """Runs a program that must say something, and succeed or fail; the line with it."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said not in done.stdout or fails != (done.returncode != 0):
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}, and '{said}' was expected\n{done.stdout}")
    return next((line for line in done.stdout.splitlines() if said in line), "").strip()


def main():
    print(f"zz {zz.__version__} in Python {sys.version.split()[0]}, {zz.__file__}")
    found = zz.run(zz.configs / "pipelines/small_cnn_simba_like.yaml", dump_folder="run")
    print("run:", found)
    assert found.latency > 0

    points = [{"pipeline": zz.default_pipeline(WORKLOAD, CHIP, objective=objective)} for objective in ("energy", "latency")]
    outcomes = list(zz.sweep(points, executor=2, store="sweep.sqlite"))
    print("a sweep on two processes:", *outcomes)
    assert [outcome.status for outcome in outcomes] == ["done", "done"]

    chain = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
             "SpatialMappingGeneratorStage", Nothing, "MinimalLatencyStage", "LomaStage", "CostModelStage"]
    inputs = {name: EXAMPLES / f"inputs/{name}.yaml" for name in ("workload", "accelerator", "mapping")}
    print("a stage in Python:", zz.run(chain, **inputs))

    print("command:", HOST, call(HOST, "--version", said=zz.__version__))
    print("command:", call(HOST, zz.configs / "pipelines/small_cnn_simba_like.yaml", said="total"))
    library = pathlib.Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME"))
    absent = "" if library.exists() else f"the package {library.name.partition('.so')[0]}"
    print("a stage in Python by the command:", call(
        HOST, "describe", "Nothing", "--plugin", __file__, said=absent or "Passes everything on", fails=absent != ""))

    said = "cannot be reached" if has_library("libpq.so.5") else "the package libpq5"
    print("a store on a server:", call(HOST, "front", "postgresql://zz@localhost:1/none", said=said, fails=True))

    if not shutil.which("cmake") or not shutil.which("c++"):
        return print("a plugin: left out, as there is no cmake or no C++ compiler")
    shutil.copytree(EXAMPLES / "k_best_reducer", "k_best_reducer")
    shutil.copytree(EXAMPLES / "inputs", "inputs")
    call("cmake", "-S", "k_best_reducer", "-B", "k_best_reducer/build", f"-Dzz_DIR={zz.cmake_dir()}")
    call("cmake", "--build", "k_best_reducer/build")
    call(HOST, "check-plugin", "k_best_reducer/build/k_best_reducer.so")
    os.chdir("k_best_reducer")
    print("a plugin:", zz.run("pipeline.yaml"))
    os.chdir("..")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir("/")
