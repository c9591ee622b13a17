"""All sources are formatted as .clang-format says. Versions differ in details, so only the one of Debian 12 judges.

usage: format.py SEEN

SEEN is a file that this program keeps: what was formatted well when it was last run is not looked at again until it changes.
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

from sources import sources

tool = shutil.which("clang-format-14") or shutil.which("clang-format")
version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout if tool else "none"
if not re.search(r"version 14\.", version):
    print(f"skipped: needs clang-format 14, found {version.strip()}")
    sys.exit(77)
kept = pathlib.Path(sys.argv[1])
rules = version.encode() + pathlib.Path(".clang-format").read_bytes()
digests = {path: hashlib.sha256(rules + path.read_bytes()).hexdigest() for path in sources()}
seen = set(kept.read_text().split()) if kept.exists() else set()
changed = [str(path) for path, digest in digests.items() if digest not in seen]
run = subprocess.run([tool, "--dry-run", "-Werror", *changed], capture_output=True, text=True) if changed else None
if run is None or run.returncode == 0:
    kept.write_text("\n".join(digests.values()))
else:
    print(run.stderr[:20000])
    sys.exit(run.returncode)
