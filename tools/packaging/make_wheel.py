"""Makes a wheel of the package zz: the host as a library, all stages and the package in one file, without asking the network.

usage: make_wheel.py BUILD FOLDER

BUILD is a build folder, as build/release; the wheel goes to FOLDER, and its path is printed. What the wheel needs from Debian, it
says when it is imported: the libraries are not in it.
"""
import argparse
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

SUMMARY = "A design-space explorer for deep-learning accelerators"


def installed(build, folder):
    """Installs the parts that a wheel has into a folder."""
    for component in ("zz-host", "zz-plugins", "python3-zz"):
        subprocess.run(["cmake", "--install", build, "--prefix", folder, "--component", component, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)


def setting_of(build, name):
    """Of the build folder's cache."""
    return re.search(rf"^{name}:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def platform_tag():
    """As linux_x86_64: the wheel is for machines like this one."""
    return f"linux_{os.uname().machine}"


def contents(prefix, library_folder):
    """(name in the wheel, file) of everything that belongs into it; libraries lie to each other as they do when installed."""
    [package] = prefix.glob("lib/python3*/dist-packages/zz")
    libraries = prefix / library_folder
    for source, name in ((package, "zz"), (prefix / "bin", "zz/bin"), (libraries, "zz/lib")):
        for file in sorted(source.rglob("*")):
            within = source is package or package not in file.parents
            if file.is_file() and within and (source is not libraries or ".so" in file.suffixes):
                yield pathlib.PurePath(name, file.relative_to(source)), file


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return [str(name), f"sha256={digest}", len(content)]


def write(wheel, version, tag, files):
    information = pathlib.PurePath(f"zz-{version}.dist-info")
    files = list(files) + [
        (information / "METADATA", f"Metadata-Version: 2.1\nName: zz\nVersion: {version}\nSummary: {SUMMARY}\n"
         f"Requires-Python: >={sys.version_info[0]}.{sys.version_info[1]}\n".encode()),
        (information / "WHEEL", f"Wheel-Version: 1.0\nGenerator: zz\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())]
    records = io.StringIO()
    writer = csv.writer(records, lineterminator="\n")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in files:
            content = source if isinstance(source, bytes) else source.read_bytes()
            entry = zipfile.ZipInfo(str(name))
            mode = 0o755 if isinstance(source, pathlib.Path) and os.access(source, os.X_OK) else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            writer.writerow(record_line(name, content))
        writer.writerow([str(information / "RECORD"), "", ""])
        archive.writestr(str(information / "RECORD"), records.getvalue())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    version = setting_of(arguments.build, "CMAKE_PROJECT_VERSION")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        prefix = pathlib.Path(temporary)
        installed(arguments.build.resolve(), prefix)
        [native] = prefix.glob("lib/python3*/dist-packages/zz/_zz.*.so")
        python = "cp" + re.search(r"cpython-(\d+)", native.name)[1]
        tag = f"{python}-{python}-{platform_tag()}"
        wheel = arguments.folder / f"zz-{version}-{tag}.whl"
        write(wheel, version, tag, contents(prefix, setting_of(arguments.build, "CMAKE_INSTALL_LIBDIR")))
    print(wheel)


main()
