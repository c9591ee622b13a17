"""docs/deviations.md: each rule of core/compat/rules.def is an item that begins with the rule's own words, items name no other rules, the
tests that items name exist, and the code asks for each rule.

usage: deviation_rules.py
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'^ZZ_RULE\((\w+), (\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)$', re.MULTILINE)
rules = {name: "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words)).replace('\\"', '"')
         for name, _, words in ROW.findall((SOURCE / "core/compat/rules.def").read_text())}

items = []  # (line, text of an item with its continuation in one line)
for number, line in enumerate((SOURCE / "docs/deviations.md").read_text().splitlines(), 1):
    if re.match(r"\s*- ", line):
        items.append((number, line.strip()[2:]))
    elif items and line.startswith("  "):
        items[-1] = (items[-1][0], items[-1][1] + " " + line.strip())

wrong, named = [], set()
for number, text in items:
    place = f"docs/deviations.md:{number}"
    if tests := re.search(r"Tests?: (`[^.]*(?:\.\w[^.]*)*)", text):
        wrong += [f"{place}: there is no tests/{test}" for test in re.findall(r"`([^`]+)`", tests[1])
                  if not list((SOURCE / "tests").glob(test + "*"))]
    if not (rule := re.match(r"`(\w+)`: ", text)):
        continue
    name = rule[1]
    named.add(name)
    if name not in rules:
        wrong.append(f"{place}: core/compat/rules.def has no rule '{name}'")
    elif not text[rule.end():].startswith(rules[name]):
        wrong.append(f"{place}: begins otherwise than core/compat/rules.def says it: {rules[name]}")
    if not tests:
        wrong.append(f"{place}: names no test")
wrong += [f"docs/deviations.md has no item for the rule '{name}'" for name in rules if name not in named]

words = {word for folder in ("core", "plugins") for path in (SOURCE / folder).rglob("*.cpp") for word in re.findall(r"\w+", path.read_text())}
wrong += [f"core/compat/rules.def: nobody asks for the rule '{name}'" for name in rules
          if name not in words]
print("\n".join(wrong) or f"{len(rules)} rules, each with its item")
sys.exit(bool(wrong) or not rules)
