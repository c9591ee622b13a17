"""What somebody with nothing but the installed package does, one step at a time.

usage: package.py install BUILD FOLDER          cmake --install into an empty prefix, then move the tree
       package.py build FOLDER SOURCE NAME      build a plugin against it: FOLDER/plugins/NAME.so
The examples are the business of example.py.
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(("ZZ_", "CMAKE_"))}


def call(*command, folder=None):
    print("$", *command, flush=True)
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment(), stdin=subprocess.DEVNULL)
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


def build(folder, source, name):
    folder = pathlib.Path(folder)
    # Out of the source tree, so that nothing there can be found by accident.
    copy = folder / "source" / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy)
    shutil.rmtree(folder / "build" / name, ignore_errors=True)
    call("cmake", "-S", copy, "-B", folder / "build" / name, f"-DCMAKE_PREFIX_PATH={folder / 'zz'}")
    call("cmake", "--build", folder / "build" / name)
    [library] = (folder / "build" / name).glob("*.so")
    (folder / "plugins").mkdir(exist_ok=True)
    shutil.copy(library, folder / "plugins" / f"{name}.so")


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    {"install": install, "build": build}[verb](*arguments)
