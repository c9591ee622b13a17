"""The wheel of the package zz: made, installed into a virtual environment of Debian's Python, moved there, and used.

usage: python.py BUILD FOLDER [--all]     --all also tries what it promises, and makes the source archive
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import venv

SKIPPED = 77
build, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
source = pathlib.Path(__file__).resolve().parents[2]
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
environment = {key: value for key, value in os.environ.items() if not key.startswith(("ZZ_", "PYTHON"))}
environment["PYTHONDONTWRITEBYTECODE"] = "1"  # such files name the place where they were made


def call(*command):
    print("$", *command, flush=True)
    done = subprocess.run([str(word) for word in command], cwd=work, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


sys.path.insert(0, str(source / "tools/packaging"))
import backend  # noqa: E402
import licences  # noqa: E402
import make_wheel  # noqa: E402
import shared_libraries  # noqa: E402

wheel = pathlib.Path(call(sys.executable, source / "tools/packaging/make_wheel.py", build, work / "wheels").strip())
assert wheel.stat().st_size < 20e6, wheel.stat().st_size
glibc = int(re.fullmatch(r"zz-[\d.]+-cp\d+-cp\d+-manylinux_2_(\d+)_\w+\.whl", wheel.name)[1])
venv.create(work / "environment", with_pip=False)
python = work / "environment/bin/python3"
[packages] = (work / "environment").glob("lib/python3*/site-packages")
# What an installer does with a wheel: there may be no pip.
shutil.unpack_archive(wheel, packages, "zip")
elf = [path for path in (packages / "zz").rglob("*") if path.is_file() and shared_libraries.is_elf(path)]
for program in elf:
    program.chmod(0o755)
command = work / "environment/bin/zz-host"
command.write_text(f"#!{python}\nfrom zz.command import main\nmain()\n")
command.chmod(0o755)

# It needs nothing of this system but what all systems of its tag have.
assert shared_libraries.foreign(elf, {path.name for path in elf}) == {}
assert max(map(shared_libraries.glibc_of, elf)) == glibc
[information] = packages.glob("zz-*.dist-info")
assert (information / "entry_points.txt").read_text() == make_wheel.COMMANDS
told = (information / "METADATA").read_text()
assert "Provides-Extra: pandas" in told
assert all(f"\n{line}\n" in told for line in make_wheel.owner()), told
# What clusters with tools of chip design run has glibc 2.34 and the C++ library of GCC 11. Debian 12 still builds for it.
system = int(os.confstr("CS_GNU_LIBC_VERSION").rpartition(".")[2])
assert glibc <= (34 if system <= 36 else system), glibc

# The owner's lines come into the metadata as they are, and those without a value not at all.
filled = work / "owner.txt"
filled.write_text("# Who publishes zz\nAuthor: A. Person\nMaintainer:\nHome-page: https://zz.invalid/\nLicense: MIT\n")
assert make_wheel.owner(filled) == ["Author: A. Person", "Home-page: https://zz.invalid/", "License: MIT"]

# Each library that it carries, and what is compiled in, has its licence text beside it.
texts = {path.name: path.read_bytes() for path in (information / "licenses").iterdir()}
carried = [path for path in (packages / "zz/lib").glob("lib*.so*") if not path.name.startswith("libzz-")]
assert len(carried) > 4, carried
for library in carried:
    package = licences.package_of(shared_libraries.path_of(library.name))
    assert (licences.DOCUMENTATION / package / "copyright").read_bytes() in texts.values(), f"no licence text of {library.name}"
assert b"Boost Software License" in next(text for name, text in texts.items() if name.startswith("libboost"))
assert b"Apache License" in texts["Apache-2.0.txt"], "a text that the copyright file of ONNX names"

assert call(python, "-c", "import zz; print(zz.__file__)").startswith(str(packages))
if "--all" in sys.argv:
    # All that it promises, with a compiler: this machine builds zz.
    tried = call(python, source / "tools/packaging/try_package.py")
    print(tried)
    assert f"command: {command} " in tried and re.search(r"^a plugin: .*area \[mm2\]", tried, re.MULTILINE)

    # README's line, as a reader types it beside the wheel: Debian's pip installs into an environment alone.
    [line] = re.findall(r"^\$ (python3 -m venv .*?) *#", (source / "README.md").read_text(), re.MULTILINE)
    if not importlib.util.find_spec("ensurepip"):
        print("not tried: README's line, as there is no python3-venv")
    else:
        shutil.copy(wheel, work)
        environment["HOME"] = str(work / "home")
        call("bash", "-c", line)
        assert "resnet18.onnx" in call("bash", "-c", "~/zz/bin/python3 -c 'import zz; print(*(zz.configs / \"workloads\").iterdir())'")

    # The source archive has what pip builds from, and is the same each time.
    for folder in ("first", "second"):
        (work / folder).mkdir()
        backend.build_sdist(work / folder)
    [archive] = (work / "first").iterdir()
    assert archive.read_bytes() == (work / "second" / archive.name).read_bytes()
    with tarfile.open(archive) as tar:
        names = set(tar.getnames())
    root = archive.name.removesuffix(".tar.gz")
    for name in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "tools/packaging/backend.py", "host/bindings/python/zz/__init__.py"):
        assert f"{root}/{name}" in names, name

for path in (packages / "zz").rglob("*"):
    if path.is_file():
        content = path.read_bytes()
        for place in (str(build), str(source / "core")):
            assert place.encode() not in content, f"{path.relative_to(packages)} names {place}"
