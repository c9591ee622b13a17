"""The C and C++ files of the project."""
import pathlib

FOLDERS = ("sdk", "core", "host", "plugins", "tests", "tools")
SUFFIXES = {".hpp", ".h", ".cpp", ".c"}


def sources(*folders, suffixes=SUFFIXES):
    found = []
    for folder in folders or FOLDERS:
        found += [p for p in pathlib.Path(folder).rglob("*") if p.suffix in suffixes and "build" not in p.parts]
    return sorted(found)
