"""usage: tidy.py BUILD_FOLDER

Runs clang-tidy with the project's .clang-tidy over every file of the product that the build compiles.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

tool = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
if not tool:
    print("skipped: clang-tidy is not installed")
    sys.exit(77)
here = pathlib.Path.cwd()
build = pathlib.Path(sys.argv[1])
commands = json.loads((build / "compile_commands.json").read_text())
files = sorted({pathlib.Path(c["file"]) for c in commands if c["file"].endswith(".cpp")})
files = [f for f in files if f.is_relative_to(here) and f.relative_to(here).parts[0] in ("core", "host", "plugins", "tools")]


def findings(path):
    run = subprocess.run([tool, "--quiet", "-p", str(build), str(path)], capture_output=True, text=True)
    return run.stdout if run.returncode else ""


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    found = [f for f in pool.map(findings, files) if f]
print("".join(found))
print(f"{len(files)} files, {len(found)} with findings")
sys.exit(1 if found or not files else 0)
