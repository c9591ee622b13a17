"""The examples of the installed package, tried as their readers try them.

usage: example.py build FOLDER NAME    configure and build the example of that name, as its README says
       example.py check FOLDER NAME    run check(example) of examples/NAME.py

FOLDER is where package.py has installed the package. NAME is the name of an example's folder, or `folder.variant`: the
same example built in another way. A file examples/NAME.py has

  OPTIONS = ["-D..."]     further options of the configuration
  NEEDS = ["rustc"]       programs that the build needs; where one is missing, build and check are skipped
  def check(example):     an Example; raises where something is not as it ought to be
"""
import importlib.util
import json
import math
import pathlib
import shutil
import subprocess
import sys

import yaml

from package import HERE, SKIPPED, call, environment

class Example:
    """A fresh copy of an example's folder, built, with the inputs of all examples beside it."""

    def __init__(self, package, name):
        self.installed = package / "zz"
        self.folder = package / "check" / name / name.partition(".")[0]
        self._collect = package / "plugins/collect.so"
        shutil.rmtree(self.folder.parent, ignore_errors=True)
        shutil.copytree(package / "examples" / name, self.folder.parent)

    def run(self, pipeline="pipeline.yaml", expect=0, extra_args=()):
        """Runs zz-host in the folder and gives the finished process with its stdout and stderr."""
        command = [str(self.installed / "bin/zz-host"), str(pipeline), *map(str, extra_args)]
        print("$", *command, flush=True)
        done = subprocess.run(command, cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        print(done.stdout, done.stderr, sep="", flush=True)
        assert done.returncode == expect, f"exit code {done.returncode}, expected {expect}"
        return done

    def results(self, above="WorkloadStage", pipeline="pipeline.yaml", without=()):
        """Runs a pipeline, without some of its stages, and gives every evaluation that passes the place above that
        stage, in order, as a dict in which metrics are found by their names, as in a stage."""
        chain = yaml.safe_load((self.folder / pipeline).read_text())
        chain["stages"] = [stage for stage in chain["stages"] if stage not in without]
        names = [stage if isinstance(stage, str) else next(iter(stage)) for stage in chain["stages"]]
        chain["stages"].insert(names.index(above), {"CollectResultsStage": {"file": "collected.json"}})
        chain["plugins"] = [*chain.get("plugins", []), str(self._collect)]
        (self.folder / "collected.yaml").write_text(yaml.safe_dump(chain))
        self.run("collected.yaml")
        return [{**evaluation, **evaluation["metrics"]} for evaluation in self.json("collected.json")]

    def edit(self, old, new, file="pipeline.yaml", into=None):
        """Replaces a text that is in a file exactly once, there or in a copy of the file."""
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1, f"'{old}' is {text.count(old)} times in {file}, not once"
        (self.folder / (into or file)).write_text(text.replace(old, new))

    def json(self, file):
        return json.loads((self.folder / file).read_text())

    def yaml(self, file):
        return yaml.safe_load((self.folder / file).read_text())


def equal(found, expected, what):
    """Two figures are the same but for rounding."""
    assert math.isclose(found, expected, rel_tol=1e-12), f"{what} is {found}, by hand {expected}"


def has(text, *parts):
    """A message has all these parts."""
    for part in parts:
        assert part in text, f"'{part}' is missing in: {text}"


def check_file(name):
    """The module tests/package/examples/NAME.py, or None."""
    path = HERE / "examples" / f"{name}.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(name.replace(".", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def options_of(module):
    """Options of the configuration; ends the test where this machine lacks what they need."""
    options = list(getattr(module, "OPTIONS", []))
    compilers = [option.partition("_COMPILER=")[2] for option in options]
    for program in filter(None, [*getattr(module, "NEEDS", []), *compilers]):
        if not shutil.which(program):
            print(f"skipped: this machine has no {program}")
            sys.exit(SKIPPED)
    return options


def build(package, name):
    folder = package / "examples" / name / name.partition(".")[0]
    shutil.rmtree(folder.parent, ignore_errors=True)
    options = options_of(check_file(name))
    installed = package / "zz/share/zz/examples"
    shutil.copytree(installed / "inputs", folder.parent / "inputs")
    shutil.copytree(installed / folder.name, folder)
    call("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={package / 'zz'}", *options, folder=folder)
    call("cmake", "--build", "build", folder=folder)


def check(package, name):
    module = check_file(name)
    options_of(module)
    module.check(Example(package, name))


if __name__ == "__main__":
    sys.path[:0] = [str(HERE / "examples")]
    sys.modules["example"] = sys.modules["__main__"]
    sys.dont_write_bytecode = True
    verb, package_folder, example_name = sys.argv[1:]
    {"build": build, "check": check}[verb](pathlib.Path(package_folder).resolve(), example_name)
