#!/usr/bin/env python3
"""Executes mappings: the program that `zz-host show RESULT N --format=mlir` prints is run, and counts.

usage: programs.py ZZ_HOST [--pipelines FILE...] [--layers NAME...] [--random N] [--start SEED] [--mistakes FILE]

Of every layer that runs by itself in these pipelines, and of N random layers on random machines (cases.py; PYTHONPATH leads to the
package zz): sums are right, no access lies outside of its buffer, and the accesses of each operand, memory and direction are those
executed, or more by a cause that can act there. Random layers are walked by the executing reference as well (walk.py): both
executions move the same inputs above the units, and the same sums back. `--mistakes`: a program with a mistake in it is noticed.

Ends with 77 without mlir-opt-19 and mlir-cpu-runner-19 (Debian: mlir-19-tools).
"""
import argparse
import json
import logging
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

import yaml

import program_run


class Runs:
    def __init__(self, host, folder):
        self.host, self.folder, self.layers, self.causes, self.wrong = host, folder, 0, Counter(), []

    def archive(self, pipeline):
        """The results of a pipeline's layers, one by one."""
        document, place = yaml.safe_load(pipeline.read_text()), pipeline.resolve().parent
        for key, value in document["parameters"].items():
            if isinstance(value, str) and (place / value).is_file():
                document["parameters"][key] = str(place / value)
        document["parameters"]["dump_folder"] = "out"
        document["stages"].insert(document["stages"].index("SumStage"), {"PickleSaveStage": {"pickle_filename": "layers.zz"}})
        (self.folder / "pipeline.yaml").write_text(yaml.safe_dump(document))
        run = subprocess.run([self.host, "pipeline.yaml"], cwd=self.folder, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{pipeline}: {run.stderr}")
        return self.folder / "layers.zz"

    def show(self, archive, *words):
        return subprocess.run([self.host, "show", archive, *words], capture_output=True, text=True)

    def results(self, archive):
        return json.loads(self.show(archive, "--format=json").stdout)["results"]

    def check_all(self, archive, name, layers):
        for result in self.results(archive):
            if layers and result["evaluation"]["layer"]["name"] not in layers:
                continue
            self.check(archive, result, f"{name}: {result['evaluation']['layer']['name']}")

    def check(self, archive, result, name):
        """The rows of program_run.check(); none where something is wrong."""
        shown = self.show(archive, str(result["number"]), "--format=mlir")
        if shown.returncode:
            self.wrong.append(f"{name}: {shown.stderr}")
            return []
        self.layers += 1
        try:
            rows = program_run.check(shown.stdout, result["evaluation"])
        except program_run.Broken as broken:
            self.wrong.append(f"{name}: {broken}")
            return []
        script = self.show(archive, str(result["number"]), "--format=transform")
        try:
            program_run.check_transform(script.stdout, result["evaluation"])
        except program_run.Broken as broken:
            self.wrong.append(f"{name}, transformed: {broken}")
        for operand, memory, direction, accesses, executed, cause in rows:
            self.causes[cause or "equal"] += 1
            if accesses < executed:
                self.wrong.append(f"{name}: {operand}.{memory}.{direction}: {accesses} accesses, {executed} executed ({cause})")
        return rows


def check_random(runs, start, count):
    try:
        import zz
        from cases import STAGES, Case
        from walk import NotWalked
    except ImportError:
        print("skipped: no package zz")
        sys.exit(77)
    logging.disable(logging.CRITICAL)
    archive, done = runs.folder / "random.zz", 0
    for seed in range(start, start + 4 * count + 100):
        if done == count:
            return
        case = Case(seed)
        first, rest = case.stages()[:len(STAGES)], case.stages()[len(STAGES):]
        try:
            found = zz.run([*first, {"PickleSaveStage": {"pickle_filename": str(archive)}}, *rest], workload=[case.layer],
                           mapping=[case.mapping], accelerator=case.accelerator,
                           access_same_data_considered_as_no_access=case.same_data_free)
        except zz.NoResult:
            continue
        done += 1
        rows = runs.check(archive, runs.results(archive)[0], f"case {seed}")
        try:
            check_walked(runs, found[0].evaluation.to_python(), case.same_data_free, rows, f"case {seed}")
        except NotWalked:
            continue
    runs.wrong.append(f"only {done} of {count} random layers are mapped")


def check_walked(runs, evaluation, same_data_free, rows, name):
    """The executing reference moves the same, but for what it has by other rules: padding is data, units do not read what they read
    in the step before, and sums leave with the bits of results as soon as they are finished."""
    from compare import CODES, Comparison
    if program_run.with_padding(evaluation)["layer"]["relations"] != [dict(r) for r in evaluation["layer"]["relations"]]:
        return
    comparison = Comparison(evaluation, same_data_free)
    operands = [operand["name"] for operand in evaluation["layer"]["operands"]]
    for operand, memory, direction, _, executed, _ in rows:
        o = operands.index(operand)
        level = [one["name"] for one in comparison.memories[o]].index(memory)
        if o == 0 and direction not in program_run.FIRST_SUMS or o > 0 and level == 0 and direction == "rd_out_to_low":
            continue
        served = evaluation["layer"]["memory_operands"][operand], CODES[direction]
        port = next(port for port in comparison.memories[o][level]["ports"] for a in port["allocation"]
                    if (a["operand"], a["direction"]) == served)
        moved = comparison.walk.moves[o, level, direction].values()
        walked = math.floor(sum(comparison._words(o, port, portions.items()) for portions in moved) + 1e-9)
        runs.causes["walked alike"] += walked == executed
        if walked != executed:
            runs.wrong.append(f"{name}: {operand}.{memory}.{direction}: {executed} executed, {walked} walked")


def check_mistakes(runs, pipeline):
    """Programs of the last layer with one mistake each."""
    archive = runs.archive(pipeline)
    result = runs.results(archive)[-1]
    text = runs.show(archive, str(result["number"]), "--format=mlir").stdout
    if runs.show(archive, result["evaluation"]["layer"]["name"], "--format=mlir").stdout != text:
        runs.wrong.append("a layer by its name is another one than by its number")
    mistakes = {
        "a buffer that is too small": with_smaller_buffer(text),
        "data that are not brought": re.sub(r"\n *memref\.store %v_\d+, %\w+0_units\[.*", "", text, count=1),
        "a move that is not counted": re.sub(r"\n *memref\.store %v_\d+, %moved\[.*", "", text, count=1),
        "a cause of nothing": re.sub(r'("words_by": [\d.]+)}', r'\1, "unexecuted": 5, "because": "halo"}', text, count=1),
    }
    for name, wrong in mistakes.items():
        if wrong == text:
            runs.wrong.append(f"{name} is not in the program")
        try:
            program_run.check(wrong, result["evaluation"])
        except program_run.Broken:
            continue
        runs.wrong.append(f"{name} is not noticed")


def check_proposal(runs, archive):
    """Of the last two layers the command line that is proposed shows the first one."""
    last = len(runs.results(archive))
    if last < 2:
        return
    told = runs.show(archive, str(last - 1), str(last), "--format=mlir").stderr
    words = re.search(r"as in: zz-host show \S+ (\d+) (\S+) --format=mlir", told)
    if not words or int(words[1]) != last - 1 or runs.show(archive, words[1], words[2], "--format=mlir").returncode:
        runs.wrong.append(f"of results {last - 1} and {last} none is proposed that is there: {told}")


def with_smaller_buffer(text):
    """One element less in the last dimension of the first buffer that has several there."""
    name, type, extent = re.search(r"(%\w+) = memref\.alloc\(\) : (memref<[\dx]*x([2-9]|\d\d+)xi32>)", text).groups()
    smaller = type.replace(f"x{extent}xi32>", f"x{int(extent) - 1}xi32>")
    return "\n".join(line.replace(type, smaller) if re.search(rf"{name}\b", line) else line for line in text.split("\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("host", type=pathlib.Path)
    parser.add_argument("--pipelines", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--layers", nargs="*", default=[], help="only these of the pipelines")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--mistakes", type=pathlib.Path)
    options = parser.parse_args()
    if missing := program_run.missing():
        print(f"skipped: no {' and no '.join(missing)} (Debian: mlir-19-tools)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options.host.resolve(), pathlib.Path(folder))
        for pipeline in options.pipelines:
            archive = runs.archive(pipeline)
            runs.check_all(archive, pipeline.stem, options.layers)
            check_proposal(runs, archive)
        if options.random:
            check_random(runs, options.start, options.random)
        if options.mistakes:
            check_mistakes(runs, options.mistakes)
    print(f"{runs.layers} layers were executed; accesses:", ", ".join(f"{count} {cause}" for cause, count in sorted(runs.causes.items())))
    print(*runs.wrong, sep="\n")
    return 1 if runs.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
