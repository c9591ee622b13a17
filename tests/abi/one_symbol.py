"""Checks that every plugin exports zz_plugin_v0 and nothing else.

usage: one_symbol.py PLUGIN.so|FOLDER ...

Exit code 77 (skipped) when there is no plugin.
"""
import pathlib
import subprocess
import sys

plugins = []
for argument in map(pathlib.Path, sys.argv[1:]):
    plugins += [argument] if argument.suffix == ".so" else sorted(argument.glob("*.so"))
if not plugins:
    print("skipped: no plugins found")
    sys.exit(77)

failed = False
for plugin in plugins:
    listing = subprocess.run(["nm", "-D", "--defined-only", plugin], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-1] for line in listing.splitlines()]
    good = symbols == ["zz_plugin_v0"]
    failed |= not good
    print(f"{'ok     ' if good else 'FAILED '} {plugin.name}: {', '.join(symbols[:5])}")
sys.exit(1 if failed else 0)
