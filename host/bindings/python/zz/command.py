"""The command zz-host of an environment: the program in the package, told which Python this is."""

import os
import pathlib
import sys
import sysconfig


def main():
    package = pathlib.Path(__file__).resolve().parent
    program = package / "bin" / "zz-host"
    name = sysconfig.get_config_var("INSTSONAME") or ""
    library = pathlib.Path(sysconfig.get_config_var("LIBDIR") or "", name)
    # By its name where it is elsewhere or missing: then the message names this Python's library.
    told = {"ZZ_PYTHON": sys.executable, "ZZ_PYTHON_LIBRARY": str(library) if library.is_file() else name}
    try:
        os.execve(program, ["zz-host", *sys.argv[1:]], {**told, **os.environ})
    except FileNotFoundError:
        sys.exit(f"there is no {program}: this package was not installed from a wheel; zz-host is where its program was installed")
