"""The glossary's words for cutting layers: no source has a name that was replaced, and each word of a public type of core/multicore is a
term of docs/glossary.md.
"""
import re
import sys
from pathlib import Path

# Names of before, with the one that took their place.
REPLACED = {
    "HintLoop": "CutLoop",
    "OuterLoop": "NodeLoop",
    "LayerHints": "CutEntry",
    "TiledLayer": "CutLayer",
    "CostedCut": "PricedCut",
    "CutOfLayer": "PricedCut",
    "CutCosts": "PricedCut",
    "LayerCut": "CutReport",
    "LayerCuts": "CutMenu",
    "UniformCuts": "a menu",
    "PartitionObjective": "Objective",
}
# Words that a type's name may carry only in the sense of the glossary.
WORDS = {"cut", "piece", "menu", "price", "priced", "partition", "bound", "gene", "slot", "spread", "walk", "label", "objective"}
TYPE = re.compile(r"^\s*(?:struct|class|enum class|enum)\s+(\w+)|^\s*using\s+(\w+)\s*=", re.MULTILINE)
FOLDERS = ("core", "host", "plugins", "sdk", "tests", "tools")


def terms():
    """The words of all terms: those of the first column of every table."""
    rows = re.findall(r"^\| ([^|]+?) \|", Path("docs/glossary.md").read_text(), re.MULTILINE)
    return {word for row in rows for word in re.findall(r"[a-z]+", row.lower())}


def words_of(name):
    """"PricedMenus" -> priced, menu."""
    for word in re.findall(r"[A-Z][a-z0-9]*", name):
        yield re.sub(r"s$", "", word.lower())


def main():
    wrong = []
    old = re.compile(r"\b(" + "|".join(REPLACED) + r")\b")
    for path in sorted(path for folder in FOLDERS for path in Path(folder).rglob("*") if path.suffix in {".hpp", ".cpp", ".h"}):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            wrong += [f"{path}:{number}: {name} is now {REPLACED[name]}" for name in old.findall(line)]
    known = terms()
    for path in sorted(Path("core/multicore").rglob("*.hpp")):
        if "detail" in path.parts:
            continue
        for name in (first or second for first, second in TYPE.findall(path.read_text())):
            wrong += [f"{path}: {name}: docs/glossary.md has no term with the word '{word}'"
                      for word in words_of(name) if word in WORDS - known]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
