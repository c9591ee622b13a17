"""Where the files lie that come with the package."""

import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent


def _prefix():
    """What bin, lib and share lie in: the package itself in a wheel, else where it is installed."""
    return _PACKAGE if (_PACKAGE / "share").is_dir() else _PACKAGE.parents[3]


#: The folder of the example inputs: accelerators, mappings, pipelines, workloads ...
configs = _prefix() / "share" / "zz" / "configs"


def cmake_dir():
    """The folder with which CMake finds zz, to build plugins: cmake -Dzz_DIR=$(python3 -c 'import zz; print(zz.cmake_dir())')"""
    for pattern in ("cmake/zz", "*/cmake/zz"):
        for folder in (_prefix() / "lib").glob(pattern):
            return str(folder)
    raise FileNotFoundError("the files for building plugins are not installed: they are in the wheel and in the package zz-dev")
