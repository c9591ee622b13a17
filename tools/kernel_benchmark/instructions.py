#!/usr/bin/python3
"""usage: instructions.py BENCHMARK [--check | --record] [--kernel PATTERN]

Counts the instructions that kernels need for one evaluation, with callgrind: the same number on a busy machine as on an idle one.
BENCHMARK is zz-kernel-benchmark of a release build. Without an option the counts are printed beside the recorded ones.

--check   fails (1) where a kernel needs over 25 % more than recorded in instructions.json; 77, skipped, where nothing can be compared
--record  writes instructions.json; to be committed with the change that explains the difference
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).with_name("instructions.json")
MOST = 1.25  # of the recorded count


def count(benchmark, kernel, shipped=True):
    """(instructions, evaluations) of one run of a kernel, reading of input not included."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--toggle-collect=zz::tools::run_measured*",
                   benchmark, *["--shipped"] * shipped, "--once", kernel]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{run.stderr}")
    return int(re.search(r"Collected : (\d+)", run.stderr)[1]), int(re.search(r"evaluations (\d+)", run.stdout)[1])


def compiler(benchmark):
    """What compiled it, from the comment that compilers leave in an executable."""
    text = subprocess.run(["readelf", "-p", ".comment", benchmark], capture_output=True, text=True).stdout
    found = re.search(r"(GCC|clang).*?(\d+)\.\d+\.\d+\s*$", text, re.MULTILINE)
    return f"{found[1]} {found[2]}" if found else "an unknown compiler"


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--kernel", default="")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        skip("valgrind is not installed (Debian: valgrind)")
    recorded = json.loads(RECORDED.read_text())
    if arguments.check and compiler(arguments.benchmark) != recorded["compiler"]:
        skip(f"the counts are of {recorded['compiler']}, this executable is of {compiler(arguments.benchmark)}")
    worse = []
    print(f"{'kernel':44} {'evaluations':>11} {'instructions each':>18} {'recorded':>10} {'change':>8}")
    for kernel, before in recorded["instructions"].items():
        if not re.search(arguments.kernel, kernel):
            continue
        instructions, evaluations = count(arguments.benchmark, kernel)
        each = instructions / evaluations
        change = each / before - 1 if before else 0
        print(f"{kernel:44} {evaluations:11} {each:18.1f} {before:10.1f} {change:8.1%}", flush=True)
        if before and each > MOST * before:
            worse.append(kernel)
        if arguments.record:
            recorded["instructions"][kernel] = round(each, 1)
    if arguments.record:
        recorded["compiler"] = compiler(arguments.benchmark)
        RECORDED.write_text(json.dumps(recorded, indent=1) + "\n")
    if arguments.check and worse:
        sys.exit("over 25 % more instructions than recorded: " + ", ".join(worse))


if __name__ == "__main__":
    main()
