"""Two C++ runtimes in one process: the plugin with clang's, the host with GCC's."""
import subprocess

from dvfs import check as check_figures

FLAGS = ["-stdlib=libc++"]
OPTIONS = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++", f"-DCMAKE_CXX_FLAGS={FLAGS[0]}"]


def has_libcxx():
    command = ["clang++", *FLAGS, "-x", "c++", "-", "-o", "/dev/null"]
    try:
        return subprocess.run(command, input=b"#include <map>\nint main() {}", capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


NEEDS = [] if has_libcxx() else ["libc++ for clang++"]


def check(example):
    assert b"libc++.so" in (example.folder / "build/dvfs.so").read_bytes(), "the plugin does not use libc++"
    check_figures(example)
