"""docs/abi.md: each rule has a number of its own and says what checks it; the tests that it names exist, and so do the rules that messages
of the host cite.

usage: rules.py CTEST BUILD
"""
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ctest, build = sys.argv[1:]
listing = subprocess.run([ctest, "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
tests = set(re.findall(r"Test +#\d+: (.+)", listing))
# Test cases of doctest are called by their file in the page.
known = {name.split("/", 1)[1] for name in tests if name.startswith(("abi/", "package/", "pipeline/"))}
known |= {path.stem for path in (SOURCE / "tests/unit").rglob("*_test.cpp")}
known |= {str(path.relative_to(SOURCE / "tests/abi")) for path in (SOURCE / "tests/abi").rglob("*.c")}

wrong, rules = [], {}
for number, line in enumerate((SOURCE / "docs/abi.md").read_text().splitlines(), 1):
    row = re.fullmatch(r"\| ([A-Z]\d+) \| (.+) \| (.+) \|", line)
    if not row:
        continue
    rule, _, checked_by = row.groups()
    if rule in rules:
        wrong.append(f"docs/abi.md:{number}: {rule} is also in line {rules[rule]}")
    rules[rule] = number
    for name in re.findall(r"`([^`]+)`", checked_by):
        pattern = re.escape(name).replace(r"\.\.\.", ".*").replace(r"\*", "[^/]*")
        if not any(re.fullmatch(rf"({pattern})|headers/{pattern}.*|{pattern}/.*", test) for test in known) and "(" not in name:
            wrong.append(f"docs/abi.md:{number}: {rule} is to be checked by '{name}', which is no test")
cited = {}
for path in (SOURCE / "host").rglob("*.cpp"):
    for rule in re.findall(r'rule ([A-Z]\d+)|"([A-Z]\d+)", (?:error|place|stream)', path.read_text()):
        cited[rule[0] or rule[1]] = path.relative_to(SOURCE)
wrong += [f"{path} cites rule {rule}, which is not in docs/abi.md" for rule, path in cited.items() if rule not in rules]
print("\n".join(wrong) or f"{len(rules)} rules, {len(cited)} of them cited by the host")
sys.exit(bool(wrong) or not rules)
