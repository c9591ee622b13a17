"""usage: rebuilt.py ZZ_HOST PLUGIN_FOLDER

A library that was built again while a server runs is loaded anew, and told; one that was written over where it lies, which the
linker would give as it was, is refused with what to do.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

host, plugins = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
INPUTS = pathlib.Path(__file__).resolve().parents[1] / "inputs"
temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # removed when the test ends
folder = pathlib.Path(temporary.name)
library = folder / "mine.so"


def build(name):
    """As linkers do it: another file under the same name."""
    shutil.copy(plugins / name, folder / "new.so")
    os.replace(folder / "new.so", library)


def pipeline(stage):
    return json.dumps({"version": 1, "plugins": [str(library)],
                       "parameters": {key: str(INPUTS / f"{key}.yaml") for key in ("workload", "accelerator", "mapping")},
                       "stages": ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
                                  "SpatialMappingGeneratorStage", "MinimalLatencyStage", *stage, "CostModelStage"]})


errors = open(folder / "errors", "w+")  # a pipe that nobody reads would fill up, and the server would wait
server = subprocess.Popen([host, "serve", "--allow-code", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=errors, text=True)
number = 0
said = []


def ask(method, **params):
    global number
    number += 1
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while True:
        message = json.loads(server.stdout.readline())
        said.append(json.dumps(message))
        if message.get("id") == number:
            return message


def energy(stage):
    loaded = ask("load", text=pipeline(stage))
    assert "result" in loaded, loaded
    ran = ask("run")
    assert "result" in ran, ran
    return ran["result"]["results"][0]["total"]["energy_total"]


build("whole_files.so")
first = energy(["LomaStage", "WholeFilesStage"])
build("hasty.so")
assert energy(["HastyStage"]) >= first
build("whole_files.so")
assert energy(["LomaStage", "WholeFilesStage"]) == first
os.utime(library, (1, 1))
refused = ask("load", text=pipeline(["LomaStage", "WholeFilesStage"]))
assert "was written over while this process has it loaded" in json.dumps(refused), refused
server.stdin.close()
assert server.wait() == 0
assert sum(f"the plugin {library} was built again" in message for message in said) == 2, said
