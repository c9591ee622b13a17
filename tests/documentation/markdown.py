"""A Markdown page as the tests see it: its fenced blocks with the markers above them, its links, and indented code."""
import pathlib
import re
from dataclasses import dataclass, field

MARKERS = ("file", "part of", "save", "within", "joins", "not run", "before")


@dataclass
class Block:
    """What stands between ``` and ```, or, without a language, what a <!-- before: ... --> comment says."""
    line: int
    language: str
    text: str
    markers: dict = field(default_factory=dict)


@dataclass
class Page:
    path: pathlib.Path
    blocks: list
    links: list  # (line, target)
    indented: list  # lines of code that is not fenced


def read(path):
    blocks, links, indented = [], [], []
    markers, opened, text, blank = {}, None, [], True
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = re.match(r"```(\S*)\s*$", line)
        if opened is not None:
            if fence and not fence[1]:
                opened.text = "\n".join(text) + "\n"
                blocks.append(opened)
                opened, text = None, []
            else:
                text.append(line)
            blank = False
            continue
        if fence:
            opened, markers = Block(number, fence[1], "", markers), {}
            continue
        comment = re.match(r"<!-- (%s): (.+?) -->$" % "|".join(MARKERS), line)
        if line == "<!-- slow -->":
            markers["slow"] = True
        elif comment and comment[1] == "before":
            blocks.append(Block(number, "before", comment[2], {"slow": True} if markers.pop("slow", False) else {}))
        elif comment:
            markers[comment[1]] = comment[2]
        elif line.strip():
            markers = {}
        if line.startswith("    ") and line.strip() and blank:
            indented.append(number)
        blank = not line.strip()
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "", line)):
            links.append((number, target))
    if opened is not None:
        raise SystemExit(f"{path}:{opened.line}: this block is never closed")
    return Page(path, blocks, links, indented)
