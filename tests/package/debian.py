"""The Debian packages: made, unpacked into an empty root, moved, and used there.

usage: debian.py BUILD FOLDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
build, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
for program in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file"):
    if not shutil.which(program):
        print(f"skipped: this machine has no {program}")
        sys.exit(SKIPPED)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
environment = {key: value for key, value in os.environ.items() if not key.startswith(("ZZ_", "CMAKE_"))}


def call(*command, folder=work):
    print("$", *command, flush=True)
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


call("cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", work / "packages")
packages = {path.name.split("_")[0]: path for path in (work / "packages").glob("*.deb")}
with_python = any(build.glob("lib/python3*/dist-packages/zz"))
expected = {"zz-host", "zz-plugins", "zz-dev"} | ({"python3-zz"} if with_python else set())
assert set(packages) == expected, sorted(packages)


def fields(package):
    text = call("dpkg-deb", "-f", packages[package])
    return dict(line.split(": ", 1) for line in text.splitlines() if not line.startswith(" ") and ": " in line)


host, plugins, dev = (fields(package) for package in ("zz-host", "zz-plugins", "zz-dev"))
version = host["Version"]
for library in ("libc6", "libstdc++6", "libfmt", "libyaml-cpp", "libonnx", "libprotobuf"):
    assert library in host["Depends"], f"zz-host does not depend on {library}: {host['Depends']}"
assert f"zz-host (= {version})" in plugins["Depends"] and "libc6" in plugins["Depends"], plugins["Depends"]
assert "Depends" not in dev or "zz-" not in dev["Depends"]
for package in (host, plugins, dev):
    assert package["Architecture"] and package["Section"], package
assert len({package["Description"] for package in (host, plugins, dev)}) == 3

first = work / "first place"
for package in packages.values():
    call("dpkg-deb", "-x", package, first)
root = work / "moved"
first.rename(root)
prefix = root / "usr"
program = prefix / "bin/zz-host"

# A pipeline of the package runs; results go to the working directory.
run = work / "run"
run.mkdir()
printed = call(program, prefix / "share/zz/configs/pipelines/small_cnn_simba_like.yaml", "--format=json", folder=run)
assert json.loads(printed)["complete"] and (run / "outputs").is_dir()
listing = call(program, "plugins", "-v", folder=run)
assert "not used" not in listing and f"{prefix}/lib" in listing

if with_python:
    [python_folder] = prefix.glob("lib/python3*/dist-packages")
    environment["PYTHONPATH"] = str(python_folder)
    printed = call(sys.executable, "-c", "import sys, zz; print(zz.__file__, zz.run(sys.argv[1]).latency)",
                   prefix / "share/zz/configs/pipelines/small_cnn_simba_like.yaml", folder=run)
    assert printed.startswith(str(python_folder)), printed

# Nothing in it names the place where it was built.
source = pathlib.Path(__file__).resolve().parent.parent.parent
for path in root.rglob("*"):
    if path.is_file() and not path.is_symlink():
        content = path.read_bytes()
        for place in (str(build), str(source)):
            assert place.encode() not in content, f"{path.relative_to(root)} names {place}"

# Licence texts of what is compiled in.
texts = {path.stem for path in (prefix / "share/zz/licences").glob("*.txt")}
assert {"libfmt-dev", "libjs-vega", "nlohmann-json3-dev", "pybind11-dev", "Apache-2.0"} <= texts, texts

# An example is built there, with CMake and with pkg-config.
example = work / "example"
shutil.copytree(prefix / "share/zz/examples/k_best_reducer", example / "k_best_reducer")
shutil.copytree(prefix / "share/zz/examples/inputs", example / "inputs")
call("cmake", "-S", "k_best_reducer", "-B", "k_best_reducer/build", f"-DCMAKE_PREFIX_PATH={prefix}", folder=example)
call("cmake", "--build", "k_best_reducer/build", folder=example)
call(program, "check-plugin", "k_best_reducer/build/k_best_reducer.so", folder=example)
call(program, "pipeline.yaml", folder=example / "k_best_reducer")
[metadata] = prefix.glob("lib/**/zz-abi.pc")
environment["PKG_CONFIG_PATH"] = str(metadata.parent)
plugin_folder = call("pkg-config", "--variable=plugindir", "zz-abi").strip()
assert list(pathlib.Path(plugin_folder).glob("*.so")), plugin_folder
flags = call("pkg-config", "--cflags", "zz-abi").replace("\\ ", " ").split("-I")[1:]
(work / "plain.c").write_text("#include <zz/stage_abi.h>\nint major = ZZ_ABI_MAJOR;\n")
call("cc", "-c", "plain.c", *("-I" + flag.strip() for flag in flags))
print(f"{len(packages)} packages of version {version}")
