"""Checks that the program offers plugins the core and nothing else: what they bring of the libraries inside of it stays their own.

usage: offered_symbols.py ZZ_HOST

Names that a library beside the program knows as well are no offer: the linker binds them together in every program.
"""
import re
import subprocess
import sys


def names(file, *options):
    listing = subprocess.run(["nm", "-D", *options, file], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listing.splitlines()}


host = sys.argv[1]
offered = names(host, "--defined-only")
linked = subprocess.run(["ldd", host], capture_output=True, text=True, check=True).stdout
known = set().union(*(names(library) for library in re.findall(r"(/\S+) \(0x", linked)))
core = {name for name in offered if "2zz4core" in name}
others = sorted(offered - core - known)
print(f"{len(core)} names of the core, {len(offered - core)} that libraries know as well")
if not core:
    sys.exit("the program offers no core: built-in plugins cannot be loaded")
if others:
    sys.exit(f"{len(others)} names that are neither, such as:\n  " + "\n  ".join(others[:10]))
