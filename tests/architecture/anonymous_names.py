"""Names in anonymous namespaces differ within a folder, because the preset release compiles a folder's sources together.

Overloads may share a name. Looks at definitions that begin in the first column, as clang-format writes them.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

SCOPE = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
TYPE = re.compile(r"^(?:struct|class|enum(?: class)?) (\w+)(?= [{:]| final)", re.MULTILINE)
VARIABLE = re.compile(r"^(?:inline |static |const |constexpr |constinit |thread_local |std::)[\w:<>,&* ]*?(\w+)(?:\[\w*\])?(?:\{| = |;$)", re.MULTILINE)
FUNCTION = re.compile(r"^(?!struct |class |enum |using |namespace |return |template )\w[\w:<>,&*\[\] ]*?[ &*](\w+)\(([^{;]*?)\)(?: const)?(?: noexcept)?\s*\{", re.MULTILINE)


def parameters(text):
    """The types of a parameter list, names and defaults left out."""
    depth, parts, part = 0, [], ""
    for character in text:
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            parts, part = parts + [part], ""
        else:
            part += character
    return tuple(re.sub(r"\s+", " ", re.sub(r"\s+\w+$|\s*=.*$", "", one.strip())) for one in parts + [part])


def definitions(text):
    """What the anonymous namespaces of a file define."""
    for scope in SCOPE.finditer(text):
        body = scope[1]
        for match in TYPE.finditer(body):
            yield match[1]
        for match in FUNCTION.finditer(body):
            yield f"{match[1]}({', '.join(parameters(match[2]))})"
        for match in VARIABLE.finditer(body):
            if "(" not in match[0]:
                yield match[1]


wrong = 0
for top in ("core", "host", "plugins", "tools", "tests/unit"):
    for folder in sorted({path.parent for path in Path(top).rglob("*.cpp")}):
        where = defaultdict(set)
        for path in folder.glob("*.cpp"):
            for name in definitions(path.read_text()):
                where[name].add(path.name)
        for name, files in sorted(where.items()):
            if len(files) > 1:
                print(f"{folder}: {name} is defined in {', '.join(sorted(files))}")
                wrong += 1
sys.exit(1 if wrong else 0)
