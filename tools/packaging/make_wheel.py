"""Makes wheels of the package zz: the host as a library, its program, all stages, the package, example inputs and what plugins
are built with, in one file, without asking the network.

usage: make_wheel.py BUILD FOLDER [--python PYTHON]...

BUILD is a build folder, as build/release; wheels go to FOLDER, and their paths are printed. Without --python there is one for
the Python of the build. Libraries of the system are in the wheel, but for those that every Linux of its tag has.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import licences  # noqa: E402
import shared_libraries  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SUMMARY = "A design-space explorer for deep-learning accelerators"
EXTRAS = {"pandas": ["pandas"], "dask": ["distributed"], "notebooks": ["pandas", "matplotlib", "notebook"]}
COMMANDS = "[console_scripts]\nzz-host = zz.command:main\n"
# Parts of an installed prefix that a wheel has, and where: the package is a prefix of its own.
PARTS = {"bin": "zz/bin", "lib": "zz/lib", "include": "zz/include", "share/zz": "zz/share/zz"}


def setting_of(build, name):
    """Of the build folder's cache."""
    return re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def installed(build, folder):
    """Installs the parts that a wheel has into a folder."""
    for component in ("zz-host", "zz-plugins", "zz-dev", "python3-zz"):
        subprocess.run(["cmake", "--install", build, "--prefix", folder, "--component", component, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)


def natives(build, pythons):
    """Builds the native part for Pythons; its files."""
    if not pythons:
        return []
    subprocess.run(["cmake", f"-DZZ_WHEEL_PYTHONS={';'.join(pythons)}", build], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "zz-wheel-natives"], check=True, stdout=sys.stderr)
    suffixes = [subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"], check=True,
                               capture_output=True, text=True).stdout.strip() for python in pythons]
    return [build / "wheel-natives" / f"_zz{suffix}" for suffix in suffixes]


def contents(prefix):
    """(name in the wheel, file) of everything that all wheels have."""
    [package] = prefix.glob("lib/python3*/dist-packages/zz")
    for source, name in ((package, "zz"), *((prefix / part, name) for part, name in PARTS.items())):
        for file in sorted(source.rglob("*")):
            within = source is package or package not in file.parents
            # Those of libraries stand with the wheel's own information.
            told = file.parent == prefix / "share/zz/licences"
            if file.is_file() and not file.is_symlink() and within and not told and not file.name.startswith("_zz."):
                yield pathlib.PurePath(name, file.relative_to(source)), file


def with_libraries(files):
    """The same with the libraries that not every system has, these libraries, and the least version of the C library that does."""
    files = dict(files)
    elf = [file for file in files.values() if shared_libraries.is_elf(file)]
    added = shared_libraries.foreign(elf, {name.name for name in files})
    files.update({pathlib.PurePath("zz/lib", name): file for name, file in added.items()})
    return files, [*added.values()], max(shared_libraries.glibc_of(file) for file in [*elf, *added.values()])


def licence_texts(libraries):
    """{name of a file: its content} of libraries that a wheel carries, and of what is compiled in."""
    packages = {library: licences.package_of(library) for library in libraries}
    files, lacking = licences.texts([*licences.COMPILED_IN, *sorted({package for package in packages.values() if package})])
    licences.tell([*lacking, *(library.name for library, package in packages.items() if not package)])
    return files


def owner(file=SOURCE / "tools/packaging/owner.txt"):
    """What the owner has filled in: lines of the metadata."""
    lines = [line.strip() for line in file.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#") and line.partition(":")[2].strip()]


def metadata(version):
    """As the core metadata of packages has it."""
    lines = ["Metadata-Version: 2.1", "Name: zz", f"Version: {version}", f"Summary: {SUMMARY}", *owner(),
             "Requires-Python: >=3.10",
             "Description-Content-Type: text/markdown", "Classifier: Operating System :: POSIX :: Linux",
             "Classifier: Programming Language :: Python :: 3", "Classifier: Topic :: Scientific/Engineering"]
    for extra, needs in EXTRAS.items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in needs)]
    return "\n".join(lines) + "\n\n" + (SOURCE / "README.md").read_text()


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return [str(name), f"sha256={digest}", len(content)]


def write(wheel, version, tag, files, texts):
    information = pathlib.PurePath(f"zz-{version}.dist-info")
    files = [*files.items(), *((information / "licenses" / name, text) for name, text in texts.items()),
             (information / "METADATA", metadata(version).encode()),
             (information / "entry_points.txt", COMMANDS.encode()),
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


def make(build, folder, pythons=()):
    """Writes the wheels, and yields their paths."""
    build = pathlib.Path(build).resolve()
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    version = setting_of(build, "CMAKE_PROJECT_VERSION")
    others = natives(build, list(pythons))
    with tempfile.TemporaryDirectory() as temporary:
        prefix = pathlib.Path(temporary)
        installed(build, prefix)
        for native in others or prefix.glob("lib/python3*/dist-packages/zz/_zz.*.so"):
            stripped = prefix / native.name
            subprocess.run(["strip", "--strip-unneeded", "-o", stripped, native], check=True)
            files, libraries, glibc = with_libraries([*contents(prefix), (pathlib.PurePath("zz", native.name), stripped)])
            python = "cp" + re.search(r"cpython-(\d+)", native.name)[1]
            tag = f"{python}-{python}-manylinux_2_{glibc}_{os.uname().machine}"
            wheel = folder / f"zz-{version}-{tag}.whl"
            write(wheel, version, tag, files, licence_texts(libraries))
            yield wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--python", action="append", default=[], help="a further Python, by its program")
    arguments = parser.parse_args()
    print(*make(arguments.build, arguments.folder, arguments.python), sep="\n")


if __name__ == "__main__":
    main()
