"""docs/deviations.md: each member of Rules (core/compat/rules.hpp) is named by a row, rows name no other members, each row whose figures
differ with `compat` names one, the tests that rows name exist, and a run tells of each rule that can move figures.

usage: deviation_rules.py
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
header = (SOURCE / "core/compat/rules.hpp").read_text()
body = header[header.index("struct Rules {"):header.index("\n};")]
members = re.findall(r"^  bool\s+(\w+)\s*=", body, re.MULTILINE)
made = set(re.findall(r"\.(\w+) = true", (SOURCE / "core/compat/rules.cpp").read_text()))

wrong, named, column, test_column = [], set(), None, None
for number, line in enumerate((SOURCE / "docs/deviations.md").read_text().splitlines(), 1):
    place = f"docs/deviations.md:{number}"
    if not line.startswith("|"):
        column = test_column = None
        continue
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    if test_column is None:
        test_column = cells.index("test") if "test" in cells else -1
        column = cells.index("member of `Rules`") if "member of `Rules`" in cells else -1
        with_compat = cells.index("with `compat`") if "with `compat`" in cells else -1
        continue
    if line.startswith("|---"):
        continue
    for test in re.findall(r"`([^`]+)`", cells[test_column]):
        if not list((SOURCE / "tests").glob(test + "*")):
            wrong.append(f"{place}: there is no tests/{test}")
    if column < 0:
        continue
    member = cells[column].strip("`")
    if member == "-":
        if with_compat >= 0 and cells[with_compat] != "the same":
            wrong.append(f"{place}: the figures differ with compat, but no member of Rules is named")
    elif member not in members:
        wrong.append(f"{place}: Rules has no member '{member}'")
    named.add(member)
wrong += [f"Rules::{member} is named by no row of docs/deviations.md" for member in members if member not in named]

# Rules that can move a figure are told of by a run.
TOLD_BY_NOBODY = {
    "loading_below_minimum": "3.8.5 only; the default is 3.9's own correction",
    "locality_needs_two_inputs": "ZigZag fails",
    "layer_names_lost": "no figure depends on names",
    "dependencies_in_set_order": "told with reshaped_data_repeated, which has the same layers",
    "unknown_hint_loops_ignored": "the default is an error",
    "unitless_cores_left_out": "the default is an error",
}
# Those from here to order_ignores_stacks are told together: the scheduler cannot mix Stream's rules with its own.
FIRST_OF_SCHEDULES, AFTER_SCHEDULES = "starts_before_arrival", "order_ignores_stacks"
of_schedules = members[members.index(FIRST_OF_SCHEDULES):members.index(AFTER_SCHEDULES)]
if f"&Rules::{FIRST_OF_SCHEDULES}" not in (SOURCE / "core/multicore/schedule/schedule_deviations.cpp").read_text():
    wrong.append("core/multicore/schedule/schedule_deviations.cpp does not look whether Stream's rules of schedules matter")
texts = (SOURCE / "core/compat/deviation_texts.cpp").read_text()
told = set(re.findall(r"RULE\((\w+)\),", texts))
told |= set(re.findall(r"\{&Rules::(\w+), \"", (SOURCE / "core/cost/deviations.cpp").read_text()))
sources = "".join(path.read_text() for folder in ("core", "plugins") for path in sorted((SOURCE / folder).rglob("*.cpp")))
wrong += [f"Rules::{member} is told of by no run: core/compat/deviation_texts.cpp has no text for it"
          for member in members if member not in told and member not in TOLD_BY_NOBODY and member not in of_schedules]
wrong += [f"core/compat/deviation_texts.cpp: nobody looks whether Rules::{member} matters"
          for member in told if f"&Rules::{member}" not in sources and f"&core::Rules::{member}" not in sources]
wrong += [f"Rules::{member} is never true: core/compat/rules.cpp does not set it" for member in members if member not in made]
print("\n".join(wrong) or f"{len(members)} members of Rules, each with its rows")
sys.exit(bool(wrong) or not members)
