#!/usr/bin/env python3
"""usage: update_docs.py ZZ_HOST [--check]

Writes docs/stages/*.md, one page for each stage, and the tables of context keys and metrics in docs/values.md, from what the stages say
about themselves. With --check it only compares.
"""
import json
import pathlib
import subprocess
import sys

host = sys.argv[1]
check = "--check" in sys.argv[2:]
folder = pathlib.Path(__file__).resolve().parent.parent / "docs/stages"


def ask(*words):
    return subprocess.run([host, *words], check=True, capture_output=True, text=True).stdout


def links(names, folder="stages"):
    return ", ".join(f"[{name}]({folder}/{name}.md)" for name in sorted(names)) or "-"


def vocabulary(stages):
    """The tables of docs/values.md: who hands down and who takes each context key, and who sets each metric."""
    keys, metrics = {}, {}
    for stage in stages:
        taken = {port["key"] for port in stage["consumes"]}
        for direction in ("provides", "consumes"):
            for port in stage[direction]:
                key = keys.setdefault(port["key"], {"types": set(), "docs": [], "provides": set(), "consumes": set(), "settings": set()})
                key["types"].add(port["type"])
                # Where it comes from says best what it is.
                key["docs"].append((port["key"] in taken, port["doc"].startswith("in `"), stage["name"], port["doc"]))
                key[direction].add(stage["name"])
        for metric in stage["writes"]:
            metrics.setdefault(metric, set()).add(stage["name"])
    for stage in stages:
        for setting in stage["settings"]:
            for name in keys.keys() & {setting["name"], *setting["aliases"]}:
                keys[name]["settings"].add(stage["name"])

    text = "\n| context key | type | what | handed down by | taken by | a setting of |\n|---|---|---|---|---|---|\n"
    for name in sorted(keys, key=lambda name: (name == "*", name)):
        key = keys[name]
        what = "whatever the settings of the stage name" if name == "*" else min(key["docs"])[3]
        types = " or ".join(f"`{t}`" if t in object_types else t for t in sorted(key["types"]))
        people = " | ".join(links(key[role]) for role in ("provides", "consumes", "settings"))
        text += f"| `{name}` | {types} | {what} | {people} |\n"
    if not metrics:
        return text + "\nThe metrics of the built-in stages are the fields of [`evaluation`](#evaluation); none of them adds another.\n\n"
    text += "\nBesides the fields of [`evaluation`](#evaluation) there are these metrics:\n\n| metric | set by |\n|---|---|\n"
    for name in sorted(metrics):
        text += f"| {'any' if name == '*' else f'`{name}`'} | {links(metrics[name])} |\n"
    return text + "\n"


pages = {f"{name}.md": ask("describe", name, "--format=md") for name in sorted(set(ask("stages", "--format=names").split()))}
values = folder.parent / "values.md"
before, begin, rest = values.read_text().partition("<!-- Made by tools/update_docs.py: -->\n")
_, end, after = rest.partition("<!-- end -->\n")
if not end:
    sys.exit("docs/values.md has no place for the tables of context keys and metrics")
object_types = {line[3:].strip() for line in after.splitlines() if line.startswith("## ")}
described = [json.loads(ask("describe", name[:-3], "--format=json")) for name in pages]
values_text = before + begin + vocabulary(described) + end + after
folder.mkdir(parents=True, exist_ok=True)
stale = [name for name, text in pages.items() if not (folder / name).exists() or (folder / name).read_text() != text]
stale += [p.name for p in folder.glob("*.md") if p.name not in pages]
values_are_stale = values.read_text() != values_text
if check:
    if values_are_stale:
        print("the tables in docs/values.md do not agree with the stages; run tools/update_docs.py ZZ_HOST")
    for name in stale:
        print(f"docs/stages/{name} does not agree with the stage; run tools/update_docs.py ZZ_HOST")
    sys.exit(1 if stale or values_are_stale else 0)
if values_are_stale:
    values.write_text(values_text)
for name in stale:
    if name in pages:
        (folder / name).write_text(pages[name])
    else:
        (folder / name).unlink()
print(f"{len(pages)} pages, {len(stale) + values_are_stale} changed")
