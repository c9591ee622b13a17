"""A locale with a decimal comma for tests, whether the machine has one or not: made by localedef in a folder of its own.

usage: german.py CC HOST CASE.yaml...     runs text cases (text_case.py) with a host in that locale

The host itself never sets a locale; what is loaded into it might, as the program does that has it as a library. So a
library that does is loaded before it. Exit code 77 (skipped) without localedef or the definitions of locales.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAME = "de_DE.UTF-8"
SOURCE = pathlib.Path(__file__).resolve().parent
# Ends whatever it is loaded into where the comma does not come about: the test would say nothing.
SETS_LOCALE = """
#include <locale.h>
#include <stdlib.h>
__attribute__((constructor)) static void set(void) {
  if (setlocale(LC_ALL, "") == NULL || localeconv()->decimal_point[0] != ',') abort();
}
"""


def why_not():
    """Why the locale cannot be made here; "" where it can."""
    if shutil.which("localedef") is None:
        return "no localedef here (Debian: libc-bin)"
    return "" if pathlib.Path("/usr/share/i18n/locales/de_DE").exists() else "no definitions of locales here (Debian: locales)"


def environment_in(folder):
    """Makes the locale in the folder; the variables by which programs find and choose it. Messages stay English."""
    folder.mkdir(parents=True, exist_ok=True)
    # Its exit status tells of warnings, too.
    subprocess.run(["localedef", "--no-archive", "-i", "de_DE", "-f", "UTF-8", folder / NAME], capture_output=True)
    if not (folder / NAME / "LC_NUMERIC").exists():
        raise RuntimeError(f"localedef made no {NAME}")
    return {"LOCPATH": str(folder), "LC_ALL": NAME, "LANGUAGE": "en"}


def main():
    compiler, host, *cases = sys.argv[1:]
    if reason := why_not():
        print(f"skipped: {reason}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = environment_in(folder / "locales")
        (folder / "set.c").write_text(SETS_LOCALE)
        subprocess.run([compiler, "-shared", "-fPIC", folder / "set.c", "-o", folder / "set.so"], check=True)
        # In Python the library would do no harm, but the host alone is what the cases are about.
        wrapper = folder / "zz-host"
        lines = [f"export {key}='{value}'" for key, value in {**environment, "LD_PRELOAD": folder / "set.so"}.items()]
        wrapper.write_text("\n".join(["#!/bin/sh", *lines, f"exec '{pathlib.Path(host).resolve()}' \"$@\"", ""]))
        wrapper.chmod(0o755)
        # Gaps in the tree around the host cannot be told of a wrapper.
        cases = [case for case in cases if "\nwithout:" not in pathlib.Path(case).read_text()]
        sys.exit(subprocess.run([sys.executable, SOURCE / "text_case.py", wrapper, *cases]).returncode)


if __name__ == "__main__":
    main()
