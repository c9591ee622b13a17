"""usage: spoiling.py ZZ_HOST PLUGIN_FOLDER

What a plugin does to the process does not spoil the run: what it prints stands on standard error and not before the JSON, it
cannot change the working folder, the permissions of files that it sets are gone after its call, an end by `_exit` or by another
program in the place of this one is told as a crash, and a library of a plugin folder that ends the program when it is loaded is
passed over by the next one, until it changes.
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
(folder / "own").mkdir()
for file in INPUTS.glob("*.yaml"):
    shutil.copy(file, folder)
environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
environment.pop("ZZ_PLUGIN_PATH", None)


def run(*arguments, **more):
    return subprocess.run([host, *arguments], cwd=folder, capture_output=True, text=True, env={**environment, **more})


def spoilt(what):
    text = (folder / "pipeline.yaml").read_text()
    (folder / "spoilt.yaml").write_text(text.replace("  - WorkloadStage\n", f"  - SpoilingStage: {{what: {what}}}\n  - WorkloadStage\n"))
    return run("spoilt.yaml", "--plugin", plugins / "spoiling.so", "--format=json")


good = json.loads(run("pipeline.yaml", "--format=json").stdout)
for what in ("print", "folder", "mask", "mask of thread", "child"):
    done = spoilt(what)
    assert done.returncode == 0, done
    found = json.loads(done.stdout)
    assert found["results"][0]["total"] == good["results"][0]["total"], found
    assert "printed while it was loaded" in done.stderr, done.stderr
    if what == "child":
        assert "the child says hello" in done.stderr, done.stderr
    elif what.startswith("mask"):
        assert all(file.stat().st_mode & 0o400 for file in (folder / "out").iterdir()), list((folder / "out").iterdir())
    elif what == "print":
        assert "printed by a stage" in done.stderr, done.stderr
    else:
        assert "warning: the working folder stays as it is" in done.stderr and "it was to be / in stage 5 SpoilingStage in spoiling.so (spoilt.yaml:" in done.stderr, done.stderr
        assert "the folder has changed" not in done.stderr
        assert (folder / "out").is_dir()
for verb in (["stages", "--format=json"], ["schema"], ["describe", "SpoilingStage", "--format=json"]):
    done = run(*verb, "--plugin", plugins / "spoiling.so")
    json.loads(done.stdout)
    assert "printed while it was loaded" in done.stderr, done.stderr

for what in ("_exit", "_exit of thread", "exit", "exit of thread", "quick_exit", "SYS_exit_group", "execl", "execle", "execlp", "execv", "execve", "execvp",
             "execvpe", "fexecve", "daemon"):
    name = what.removesuffix(" of thread")
    done = spoilt(what)
    assert done.returncode == 1 and f"error: {name} was called in stage 5 SpoilingStage in spoiling.so" in done.stderr, done
    assert json.loads(done.stdout)["exit_status"] == 1, done.stdout

# After the document there is no other.
done = spoilt("at exit")
assert done.returncode == 1 and "error: abort" in done.stderr, done
assert json.loads(done.stdout)["results"][0]["total"] == good["results"][0]["total"], done.stdout

# A library that nobody names.
library = folder / "own/falling.so"
shutil.copy(plugins / "falling.so", library)
first = run("pipeline.yaml", ZZ_PLUGIN_PATH=str(library.parent))
assert first.returncode == 1 and f"loading the plugin {library}" in first.stderr, first
for _ in range(2):
    later = run("pipeline.yaml", ZZ_PLUGIN_PATH=str(library.parent))
    assert later.returncode == 0 and f"{library} [ZZ_PLUGIN_PATH] ended the program when it was loaded last" in later.stderr, later
listed = run("plugins", "-v", ZZ_PLUGIN_PATH=str(library.parent))
assert listed.returncode == 0 and "ended the program when it was loaded last" in listed.stdout, listed
shutil.copy(plugins / "spoiling.so", library)
changed = run("stages", "--format=names", ZZ_PLUGIN_PATH=str(library.parent))
assert changed.returncode == 0 and "SpoilingStage" in changed.stdout, changed
assert not list((folder / "cache/zz").iterdir())
