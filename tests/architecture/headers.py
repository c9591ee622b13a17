"""usage: headers.py C++_COMPILER BUILD_FOLDER

Every header of core/ compiles on its own, so that a reader may include what he uses and nothing else (abi/headers does that for sdk/,
with each compiler). For a header with a source file of its name that is so when the source includes it first, because the source
compiles; only the others are compiled.
"""
import concurrent.futures
import os
import subprocess
import sys

from sources import sources

OPTIONS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-pragma-once-outside-header", "-x", "c++", "-I.",
           "-I" + sys.argv[2]]  # headers that the build generates


def first_include(source):
    return next((line for line in source.read_text().splitlines() if line.startswith("#include")), "")


def problem(header):
    source = header.with_suffix(".cpp")
    if source.exists():
        own = f'#include "{header}"'
        return "" if first_include(source) == own else f"{source}: the first include must be {own}\n"
    run = subprocess.run([sys.argv[1], *OPTIONS, str(header)], capture_output=True, text=True)
    return run.stderr if run.returncode else ""


headers = sources("core", suffixes={".hpp", ".h"})
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = [p for p in pool.map(problem, headers) if p]
print("".join(problems), f"{len(headers)} headers, {len(problems)} do not compile alone", sep="")
sys.exit(1 if problems or not headers else 0)
