"""That page.py notices mistakes: each page in wrong/ names, as `complaint:` comments, what must be said about it.

usage: wrong.py ZZ_HOST BUILD
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
failed = False
for path in sorted((HERE / "wrong").glob("*.md")):
    done = subprocess.run([sys.executable, HERE / "page.py", *sys.argv[1:], path], capture_output=True, text=True)
    missing = [c for c in re.findall(r"<!-- complaint: (.+?) -->", path.read_text())
               if not re.search(c, done.stdout, re.DOTALL)]
    good = done.returncode == 1 and not missing
    failed |= not good
    print(f"{'ok     ' if good else 'FAILED '} {path.name}")
    if not good:
        print(f"exit status {done.returncode}, not said: {missing}\n{done.stdout}{done.stderr}")
sys.exit(failed)
