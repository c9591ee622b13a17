"""Compiles each header alone, as a translation unit of its own, with warnings as errors.

usage: headers_compile.py COMPILER INCLUDE_FOLDER [flag ...] -- HEADER ...

Exit code 77 (skipped) when there is no such compiler.
"""
import os
import subprocess
import sys
import tempfile

compiler, include_folder, *rest = sys.argv[1:]
cut = rest.index("--")
flags, headers = rest[:cut], rest[cut + 1:]
if not os.access(compiler, os.X_OK):
    print(f"skipped: this machine lacks the compiler ({compiler or 'not found'})")
    sys.exit(77)

failed = False
with tempfile.TemporaryDirectory() as folder:
    for header in headers:
        name = os.path.relpath(header, include_folder)
        source = os.path.join(folder, "unit.c")
        with open(source, "w") as unit:
            # Twice: a header must stand being included again.
            unit.write(f'#include "{name}"\n#include "{name}"\nint zz_unit_is_not_empty;\n')
        command = [compiler, *flags, "-pedantic", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-fsyntax-only",
                   f"-I{include_folder}", source]
        done = subprocess.run(command, capture_output=True, text=True)
        print(("ok      " if done.returncode == 0 else "FAILED  ") + name)
        if done.returncode != 0:
            failed = True
            print(done.stderr)
sys.exit(1 if failed else 0)
