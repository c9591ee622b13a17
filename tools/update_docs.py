#!/usr/bin/env python3
"""usage: update_docs.py ZZ_HOST [--check]

Writes docs/stages/*.md, one page for each stage, from what the stages say about themselves. With --check it only compares.
"""
import pathlib
import subprocess
import sys

host = sys.argv[1]
check = "--check" in sys.argv[2:]
folder = pathlib.Path(__file__).resolve().parent.parent / "docs/stages"


def ask(*words):
    return subprocess.run([host, *words], check=True, capture_output=True, text=True).stdout


pages = {f"{name}.md": ask("describe", name, "--format=md") for name in sorted(set(ask("stages", "--format=names").split()))}
folder.mkdir(parents=True, exist_ok=True)
stale = [name for name, text in pages.items() if not (folder / name).exists() or (folder / name).read_text() != text]
stale += [p.name for p in folder.glob("*.md") if p.name not in pages]
if check:
    for name in stale:
        print(f"docs/stages/{name} does not agree with the stage; run tools/update_docs.py ZZ_HOST")
    sys.exit(1 if stale else 0)
for name in stale:
    if name in pages:
        (folder / name).write_text(pages[name])
    else:
        (folder / name).unlink()
print(f"{len(pages)} pages, {len(stale)} changed")
