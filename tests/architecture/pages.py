"""No line of a page is wider than 120 columns, so that pages read well as plain text beside code.

A row of a table is one line in Markdown and may be wider, as may what a program prints: lines of a `console` block that
are not typed, blocks without a language, and messages of one line in `json` blocks. A word
that is wider than a line stands alone. The page of a room names files that exist.
"""
import pathlib
import re
import sys

from sources import FOLDERS

WIDTH = 120


def pages():
    folders = [*map(pathlib.Path, (*FOLDERS, "docs", "configs"))]
    return sorted([pathlib.Path("README.md"), *(page for folder in folders for page in folder.rglob("*.md") if "build" not in page.parts)])


def is_one_word(line):
    """Whether nothing can be moved to another line: text without a blank outside of `code`, after the mark of a list."""
    text = re.sub(r"^\s*([-*+:]|\d+[.)])?\s*", "", line)
    return " " not in re.sub(r"`[^`]*`", "``", text)


def wide_lines(path):
    language, typed = None, False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"\s*```(\S*)", line)
        if fence:
            language, typed = (fence[1] if language is None else None), False
            continue
        if language == "console":
            typed = line.startswith("$ ") or typed
        allowed = (line.lstrip().startswith(("|", "<!--")) or is_one_word(line) if language is None
                   else language == "" or language == "console" and not typed or language == "json" and line.startswith("{"))
        if len(line) > WIDTH and not allowed:
            yield number, len(line)
        typed = typed and line.endswith("\\")


def missing_files(path):
    """Sources that the page of a room names, from its folder or from the top, and that are not there."""
    for name in re.findall(r"`([\w./]+\.(?:hpp|cpp|def|py|html))`", path.read_text(encoding="utf-8")):
        if not (path.parent / name).exists() and not pathlib.Path(name).exists():
            yield name


def main():
    wrong = [f"{path}:{number}: {width} columns, {WIDTH} are the most" for path in pages() for number, width in wide_lines(path)]
    rooms = sorted(path for folder in ("core", "host", "plugins") for path in pathlib.Path(folder).rglob("README.md"))
    wrong += [f"{path}: there is no {name}" for path in rooms for name in missing_files(path)]
    print(*wrong, f"{len(wrong)} faults in pages", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
