"""How pip makes zz from its source (PEP 517): CMake compiles, make_wheel.py packs. Nothing is fetched.

What CMake needs is in tools/quickstart. With ZZ_BUILD in the environment, the wheel comes from that build folder, whose
native part is built for the Python at hand.
"""
import gzip
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import make_wheel

SOURCE = make_wheel.SOURCE


def _version():
    return re.search(r"project\(zz VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def _built():
    """A build folder for the Python at hand."""
    folder = SOURCE / "build" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DZZ_UNITY=ON",
                    "-DZZ_TESTS=OFF", "-DZZ_TOOLS=OFF", f"-DZZ_PYTHON={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel"], check=True)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    given = os.environ.get("ZZ_BUILD")
    pythons = [sys.executable] if given else []
    [wheel] = make_wheel.make(given or _built(), wheel_directory, pythons)
    return wheel.name


def _sources():
    """The files of the source, by git where it is a checkout, else all but what builds made."""
    if (SOURCE / ".git").exists():
        told = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
        return sorted(pathlib.PurePath(name) for name in told.split("\0") if name)
    files = (file.relative_to(SOURCE) for file in SOURCE.rglob("*") if file.is_file())
    return sorted(file for file in files if file.parts[0] not in ("build", "outputs", "PKG-INFO") and "__pycache__" not in file.parts)


def build_sdist(sdist_directory, config_settings=None):
    root = f"zz-{_version()}"
    archive = pathlib.Path(sdist_directory, f"{root}.tar.gz")
    # Two archives of one source are the same.
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            def add(name, content, mode):
                entry = tarfile.TarInfo(f"{root}/{name}")
                entry.size, entry.mode = len(content), mode
                tar.addfile(entry, io.BytesIO(content))

            add("PKG-INFO", make_wheel.metadata(_version()).encode(), 0o644)
            for file in _sources():
                path = SOURCE / file
                if path.is_file():
                    add(file, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
    return archive.name
