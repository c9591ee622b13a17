"""usage: when_there.py PATH... -- COMMAND...

Runs the command when all paths exist; otherwise says what is missing and ends with 77, which CTest shows as skipped.
"""
import os
import sys

split = sys.argv.index("--")
missing = [p for p in sys.argv[1:split] if not os.path.exists(p)]
if missing:
    print("skipped, not there: " + ", ".join(missing))
    sys.exit(77)
command = sys.argv[split + 1:]
os.execvp(command[0], command)
