"""The preset `clang` compiles: host, plugins, tools and tests, with warnings as errors.

usage: clang_build.py SOURCE_FOLDER

Configures the preset in a scratch folder and looks at every source as the preset compiles it, without making objects.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1]).resolve()
if shutil.which("clang++") is None or shutil.which("ninja") is None:
    print("skipped: clang or ninja is not installed")
    sys.exit(77)


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))} fails:\n{done.stdout}")


def look_at(entry):
    """What the compiler says of a source, or None when it compiles."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    words = [word for word in words[:at] + words[at + 2:] if word != "-c"] + ["-fsyntax-only"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else None


with tempfile.TemporaryDirectory(prefix="zz-clang-") as name:
    folder = pathlib.Path(name)
    run("cmake", "--preset", "clang", "-B", folder, "-DZZ_UNITY=ON", folder=source)
    entries = json.loads((folder / "compile_commands.json").read_text())
    generated = [file for entry in entries if not (file := pathlib.Path(entry["file"])).exists()]
    run("ninja", *(file.relative_to(folder) for file in generated), folder=folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [said for said in pool.map(look_at, entries) if said is not None]
    if wrong:
        sys.exit("\n".join(wrong) + f"\n{len(wrong)} of {len(entries)} sources do not compile")
    print(f"{len(entries)} sources compile")
