"""Holds docs/limits.md and the program together: each constant under a comment that names docs/limits.md has its number in the
table, and each number of the table is one of these constants.

usage: limits.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

CONSTANT = re.compile(r"constexpr [\w:]+ (\w+)(?: = |\{)(.+?)\}?;")


def value_of(expression):
    """The number that a C++ expression of literals, braces and shifts means."""
    text = re.sub(r"[\w:]+\{(\d+)\}", r"\1", expression).replace("'", "")
    return eval(text, {"__builtins__": {}})


def constants(text):
    """(name, value) of the constants that follow a comment with the page's name."""
    in_group = False
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("//"):
            in_group = in_group or "docs/limits.md" in words
        elif (found := CONSTANT.search(words)) and in_group:
            yield found[1], value_of(found[2])
        elif words != "":
            in_group = False


def main():
    source = pathlib.Path(sys.argv[1])
    known = {}
    for path in sorted(path for folder in ("core", "host", "plugins") for path in (source / folder).rglob("*.?pp")):
        for name, value in constants(path.read_text()):
            if not isinstance(value, str):
                known[f"{path.relative_to(source)}: {name}"] = value
    page = (source / "docs/limits.md").read_text()
    numbers = {float(number.replace(",", "")) for number in re.findall(r"^\|[^|]*\| ([\d,.e+]+) \|", page, re.MULTILINE)}
    numbers |= {float(number) for number in re.findall(r"at least ([\d.]+) bits", page)}
    wrong = [f"{name} is {value:,}, which docs/limits.md does not say" for name, value in known.items() if value not in numbers]
    wrong += [f"docs/limits.md says {number:,}, which no constant is" for number in numbers if number not in known.values()]
    print("\n".join(wrong) or f"{len(known)} limits")
    return 1 if wrong or len(known) < 15 else 0


sys.exit(main())
