"""What shared libraries and programs need: other libraries, and versions of the symbols of the C library."""

import functools
import pathlib
import re
import subprocess

# Libraries of every Linux of a manylinux tag (PEP 600), as far as they are needed here. A compiler's library is among them by
# the versions of its symbols.
OF_EVERY_SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1", "libstdc++.so.6",
                   "libz.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libresolv.so.2", "libutil.so.1", "libnsl.so.1"}

# minor version of glibc from which on a system's other libraries have these versions of symbols
NEEDS = {"GLIBCXX_3.4": {19: 17, 22: 24, 24: 26, 25: 28, 26: 31, 29: 34, 30: 35, 31: 37, 32: 38, 33: 39},
         "CXXABI_1.3": {7: 17, 9: 24, 10: 26, 11: 28, 12: 31, 13: 34, 14: 38, 15: 39}}
_LOWEST = 17


def is_elf(file):
    with open(file, "rb") as content:
        return content.read(4) == b"\x7fELF"


def _told(option, file):
    return subprocess.run(["readelf", "--wide", option, file], capture_output=True, text=True, check=True).stdout


@functools.cache
def needed(file):
    """The names of the libraries that it is linked to."""
    return re.findall(r"\(NEEDED\).*\[(.+?)\]", _told("-d", file))


@functools.cache
def glibc_of(file):
    """The minor version of the C library whose systems have all symbols that it needs."""
    text = _told("-V", file)
    text = text[text.find("Version needs section"):] if "Version needs section" in text else ""
    lowest = max([_LOWEST, *(int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", text))])
    for family, systems in NEEDS.items():
        for version in re.findall(rf"Name: {re.escape(family)}\.(\d+)", text):
            lowest = max(lowest, next((glibc for known, glibc in sorted(systems.items()) if known >= int(version)), 99))
    return lowest


@functools.cache
def _known_to_the_loader():
    lines = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0]: line.split(" => ")[1] for line in reversed(lines) if " => " in line and "x32" not in line}


def path_of(name):
    """The file of a library of this system."""
    return pathlib.Path(_known_to_the_loader()[name]).resolve()


def foreign(files, present):
    """{name: file} of all libraries that files need and that neither they nor every system have."""
    found, waiting = {}, list(files)
    while waiting:
        for name in needed(waiting.pop()):
            if name not in OF_EVERY_SYSTEM and name not in present and name not in found:
                found[name] = path_of(name)
                waiting.append(found[name])
    return found
