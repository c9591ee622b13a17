"""Licence texts of what a package of zz carries, as Debian's packages have them, and its own, once the owner has chosen one.

usage: licences.py FOLDER     writes those of what is compiled into zz, as FOLDER/<package>.txt
"""
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTATION = pathlib.Path("/usr/share/doc")
# Texts that a copyright file names instead of having them. The GPL is that of Debian's packaging and of tools in the sources
# of these libraries, of which nothing is carried.
COMMON = pathlib.Path("/usr/share/common-licenses")
_NAMED = re.compile(rb"/usr/share/common-licenses/(?!L?GPL)([A-Za-z]\w*(?:-[\d.]*\d)?)")
# Packages whose headers, or scripts for pages, are parts of zz's own files.
COMPILED_IN = ("libboost1.*-dev", "libfmt-dev", "libjs-vega", "libonnx-dev", "libprotobuf-dev", "libspdlog-dev", "libyaml-cpp-dev",
               "nlohmann-json3-dev", "pybind11-dev")


def package_of(library):
    """The Debian package of a shared library, or None."""
    # dpkg knows files by the place where their package puts them, which may be a link.
    for place in dict.fromkeys((str(library), str(library).removeprefix("/usr"))):
        told = subprocess.run(["dpkg-query", "-S", place], capture_output=True, text=True)
        if told.returncode == 0:
            return told.stdout.partition(":")[0]
    return None


def texts(packages):
    """({name of a file: its content}, patterns of packages that have no text here) of packages, and of zz itself."""
    files, lacking = {}, []
    for pattern in packages:
        found = sorted(DOCUMENTATION.glob(f"{pattern}/copyright"))
        for copyright in found[:1]:
            content = copyright.read_bytes()
            if content not in files.values():  # packages of one source have one text
                files[f"{copyright.parent.name}.txt"] = content
        if not found:
            lacking.append(pattern)
    for name in sorted({name.decode() for text in files.values() for name in _NAMED.findall(text)}):
        if (COMMON / name).is_file():
            files[f"{name}.txt"] = (COMMON / name).read_bytes()
    if (SOURCE / "LICENSE").is_file():
        files["zz.txt"] = (SOURCE / "LICENSE").read_bytes()
    return files, lacking


def tell(lacking):
    """Says on the standard error of which packages no text was found."""
    if lacking:
        print(f"warning: no licence text of {', '.join(lacking)} in {DOCUMENTATION}: this package has none of them", file=sys.stderr)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    files, lacking = texts(COMPILED_IN)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    tell(lacking)


if __name__ == "__main__":
    main()
