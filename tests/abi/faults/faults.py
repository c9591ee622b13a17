"""Runs a small pipeline with a stage that goes wrong below each of its stages in turn, at every pull in turn.

usage: faults.py ZZ_HOST PLUGIN_FOLDER PIPELINE.yaml [EARLIER.yaml]...    below each stage that no earlier pipeline has, one of the usual
                                                     faults, in turn, at the first pulls, and a third of what breaks the
                                                     contract
       faults.py ZZ_HOST PLUGIN_FOLDER --thorough PIPELINE.yaml    all of them: also without short cuts, and on four threads
       faults.py ZZ_HOST PLUGIN_FOLDER --complete PIPELINE.yaml ...    together they use every stage that there is

A pipeline is a text case (tests/text_case.py) of which only the inputs count; `pipeline` names the file to run. FaultStage fails,
throws, is cancelled or ends at pull k, for k = 1, 2, ... until the run ends before that; MisbehavingStage breaks the
contract at some of the first pulls. What must hold, whatever happens where:
  - the exit code is the documented one, and a failure is told with the stage, its plugin, the place in the file, and the
    rule that it broke
  - the files are whole or absent, and none is there that a good run does not write
  - nothing crashes, no stage but the one that does is accused of a bug, and every value is released
"""
import concurrent.futures
import copy
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import text_case  # noqa: E402

DONE, FAILED, USAGE, NO_RESULT, INTERRUPTED = 0, 1, 2, 4, 130
# What a fault may lead to. Stages that search go on after a point that is refused or has no result.
KINDS = {
    "fail": {FAILED},
    "throw": {FAILED},
    "throw int": {FAILED},
    "cancel": {INTERRUPTED},
    "refuse": {USAGE, DONE, NO_RESULT},
    "no result": {NO_RESULT, DONE},
    "end": {DONE, FAILED, USAGE, NO_RESULT},
}
RULES = {"too many": "P1", "wild count": "P1", "unknown status": "F3", "negative status": "F3", "silence": "F2",
         "no room": "P1", "closed stream": "P4", "no context": "S3", "open without stream": "S2", "open in silence": "F2"}
# Legal as such, and who needs more says so; or refused by the host before it goes anywhere.
HARMLESS = ["nothing", "not a number", "open fails"]
USUAL = ("fail", "cancel", "end")
MISBEHAVING_AT = (1, 3)
EVERYDAY_PULLS = 3


class Runner:
    def __init__(self, host, plugins, case, folder):
        self.host, self.plugins, self.folder = host, plugins, folder
        text_case.prepare(case, folder)
        self.file = folder / case.get("pipeline", "pipeline.yaml")
        self.document = text_case.load(self.file.read_text())
        self.good_files = None
        self.known_archives = set()

    def places(self):
        """(name, function that puts a stage there) for the place below each stage, those of chains in settings included."""
        def insert(path, index):
            def do(document, stage):
                stages = document["stages"]
                for entry in path:
                    stages = next(iter(stages[entry].values()))["stages"]
                stages.insert(index, stage)
            return do

        def walk(stages, path, title):
            for index, entry in enumerate(stages):
                name, settings = next(iter(entry.items())) if isinstance(entry, dict) else (entry, None)
                if index + 1 < len(stages):
                    yield f"{title}{index + 1} {name}", insert(path, index + 1)
                if isinstance(settings, dict) and "stages" in settings:
                    yield from walk(settings["stages"], [*path, index], f"{title}{index + 1}.")

        leaf = next(iter(e)) if isinstance(e := self.document["stages"][-1], dict) else e
        yield from walk(self.document["stages"], [], "")
        assert leaf.endswith("Stage")

    def variant(self, number, put, stage):
        document = copy.deepcopy(self.document)
        document["plugins"] = [str(self.plugins / "faults.so"), str(self.plugins / "misbehaving_stage.so")]
        put(document, stage)
        path = self.folder / f"{number}_{stage}.yaml"
        path.write_text(text_case.dump(document))
        return path

    def run(self, pipeline, *options):
        with tempfile.TemporaryDirectory(dir=self.folder) as where:
            done = subprocess.run([self.host, pipeline, "-v", *options], cwd=where, capture_output=True, text=True, timeout=600,
                                  errors="replace")
            files = {str(p.relative_to(where)): p.read_bytes() for p in pathlib.Path(where).rglob("*") if p.is_file()}
        return done, files

    def not_whole(self, name, content):
        if name.endswith((".json", ".onnx")):
            if name.endswith(".onnx"):
                return len(content) == 0
            try:
                json.loads(content)
            except ValueError:
                return True
            return False
        if name.endswith(".html"):
            return not content.rstrip().endswith(b"</html>")
        if name.endswith(".zz"):
            digest = hashlib.sha256(content).digest()
            if digest not in self.known_archives:
                with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".zz") as file:
                    file.write(content)
                    file.flush()
                    if subprocess.run([self.host, "show", file.name], capture_output=True).returncode:
                        return True
                self.known_archives.add(digest)
        return False

    def complaints(self, done, files):
        """What is wrong with any run."""
        if done.returncode < 0 or re.search("segmentation fault|abort|an exception escaped|Sanitizer", done.stderr):
            yield f"it crashed (status {done.returncode})"
        if done.returncode not in (DONE, FAILED, USAGE, NO_RESULT, INTERRUPTED):
            yield f"the exit status {done.returncode} is not documented"
        if re.search("never released", done.stderr):
            yield "values were not released"
        if done.returncode and "zz-host:" not in done.stderr:
            yield "it failed without a word"
        if self.good_files is not None:
            # What a dump that ended early leaves is whole, and named so.
            yield from (f"the file {name} should not be there" for name in files
                        if name.replace(".incomplete.zz", ".zz") not in self.good_files)
        yield from (f"the file {name} is not whole" for name, content in files.items() if self.not_whole(name, content))

    def fault(self, pipeline, kind, k, *options):
        """Complaints, and whether the fault happened at all."""
        done, files = self.run(pipeline, "--set", f"kind={kind}", "--set", f"at={k}", *options)
        struck = "on purpose" in done.stderr
        wrong = list(self.complaints(done, files))
        if struck and done.returncode not in KINDS[kind]:
            wrong.append(f"the exit status is {done.returncode}, expected {sorted(KINDS[kind])}")
        if not struck and done.returncode != DONE:
            wrong.append(f"nothing happened, and yet it failed with {done.returncode}")
        if struck and KINDS[kind] == {FAILED} and not re.search(
                r"stage [\d.]+ Fault\w*Stage in faults\.so \(.*\.yaml:\d+", done.stderr):
            wrong.append("the stage that failed, its plugin or its place is not named")
        if "this is a bug" in done.stderr:
            wrong.append("a stage is accused of a bug")
        return [f"{w}\n{done.stderr}" for w in wrong], struck

    def every_pull(self, pipeline, kind, *options, most=math.inf):
        wrong, k = [], 0
        while True:
            k += 1
            found, struck = self.fault(pipeline, kind, k, *options)
            wrong += [f"{kind} at pull {k}: {w}" for w in found]
            if not struck or len(wrong) > 3 or k >= most:
                return wrong, k - 1

    def misbehaviour(self, pipeline, what, k):
        done, files = self.run(pipeline, "--set", f"what={what}", "--set", f"at={k}")
        struck = "on purpose" in done.stderr
        wrong = list(self.complaints(done, files))
        if struck and what in RULES:
            said = rf"stage [\d.]+ MisbehavingStage in misbehaving_stage\.so \(.*\.yaml:\d+.*\(rule {RULES[what]} of docs/abi\.md\)"
            if done.returncode != FAILED or not re.search(said, done.stderr):
                wrong.append(f"exit status {done.returncode}, and stage, plugin, place or rule {RULES[what]} is not named")
        if "nan" in done.stdout:
            wrong.append("a figure that is no number came through")
        if struck and what == "open fails" and (done.returncode != FAILED or "refused on purpose" not in done.stderr):
            wrong.append(f"exit status {done.returncode}, and the reason is not told")
        if what in HARMLESS and "this is a bug" in done.stderr:
            wrong.append("a stage is accused of a bug")
        return [f"{what} at pull {k}: {w}\n{done.stderr}" for w in wrong], 1

    def everything(self, thorough, tried):
        """(description, complaints, runs) of each series of runs. What happens below the stages in `tried` was seen before."""
        done, files = self.run(self.file)
        if done.returncode or list(self.complaints(done, files)):
            sys.exit(f"the pipeline itself fails\n{done.stderr}")
        self.good_files = set(files)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            begun = []
            for number, (name, put) in enumerate(self.places()):
                if name.partition(" ")[2] in tried:
                    continue
                # Without short cuts a search opens the chain below for each candidate; with them only where it must.
                forwards = self.variant(number, put, "FaultStage")
                barrier = self.variant(number, put, "FaultBarrierStage")
                misbehaving = self.variant(number, put, "MisbehavingStage")
                # Every day a third of the faults below each stage, and another third below the next one.
                part = slice(None) if thorough else slice(number % 3, None, 3)
                for kind in list(KINDS if thorough else USUAL)[part]:
                    begun.append((f"below {name}", pool.submit(self.every_pull, forwards, kind, most=math.inf if thorough else EVERYDAY_PULLS)))
                if thorough:
                    for kind in USUAL:
                        begun.append((f"below {name}, no short cuts", pool.submit(self.every_pull, barrier, kind)))
                    begun.append((f"below {name}, four threads", pool.submit(self.every_pull, forwards, "throw", "-j", "4")))
                for what in [*RULES, *HARMLESS][part]:
                    for k in MISBEHAVING_AT if thorough else MISBEHAVING_AT[:1]:
                        begun.append((f"below {name}", pool.submit(self.misbehaviour, misbehaving, what, k)))
            for title, future in begun:
                yield (title, *future.result())


def stage_names(document):
    for entry in document:
        name, settings = next(iter(entry.items())) if isinstance(entry, dict) else (entry, None)
        yield name
        if isinstance(settings, dict):
            yield from stage_names(settings.get("stages", []))


def stages_of(host, plugins, cases):
    used = set()
    for path in cases:
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(host, plugins, text_case.load(pathlib.Path(path).read_text()), pathlib.Path(folder))
            used |= set(stage_names(runner.document["stages"]))
    return used


def check_complete(host, plugins, cases):
    used = stages_of(host, plugins, cases)
    told = subprocess.run([host, "stages", "--format=json"], check=True, capture_output=True, text=True).stdout
    missing = sorted({stage["name"] for stage in json.loads(told) if not used & {stage["name"], *stage["aliases"]}})
    print(f"{len(used)} stages used; in no pipeline: {', '.join(missing) or 'none'}")
    sys.exit(bool(missing))


def main():
    host, plugins, *cases = sys.argv[1:]
    host, plugins = pathlib.Path(host).resolve(), pathlib.Path(plugins).resolve()
    if cases[0] == "--complete":
        check_complete(host, plugins, cases[1:])
    thorough = cases[0] == "--thorough"
    cases = cases[thorough:]
    with tempfile.TemporaryDirectory(prefix="zz-faults-") as folder:
        runner = Runner(host, plugins, text_case.load(pathlib.Path(cases[0]).read_text()), pathlib.Path(folder))
        series = runs = failed = 0
        for title, wrong, count in runner.everything(thorough, stages_of(host, plugins, cases[1:])):
            series, runs, failed = series + 1, runs + count, failed + bool(wrong)
            for complaint in wrong[:3]:
                print(f"{title}: {complaint}")
    print(f"{series} series, {runs} faults, {failed} series with complaints")
    sys.exit(bool(failed))


main()
