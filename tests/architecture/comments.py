"""A comment of core, host and plugins opens with its subject: no line of it opens with "What", "Of", "How" or "Whether".

The places of LEFT still have some, at most so many. A number only falls, and a place that has none is not listed.
"""
import re
import sys
from collections import Counter

from sources import sources

OPENING = re.compile(r"^\s*///? (What|Of|How|Whether)\b|///< ([Ww]hat|Of|[Hh]ow|[Ww]hether)\b")
LEFT = {
    "core/exploration/": 10,
}


def folder_of(path):
    return next((folder for folder in LEFT if path.as_posix().startswith(folder)), "")


def main():
    assert OPENING.search("/// What it costs.") and OPENING.search("int a;  ///< how many there are")
    assert not OPENING.search("/// Costs of what it does.") and not OPENING.search("int a;  ///< of the layer")
    found, told = Counter(), []
    for path in sources("core", "host", "plugins"):
        folder = folder_of(path)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if OPENING.search(line):
                found[folder] += 1
                if not folder:
                    told.append(f"{path}:{number}: {line.strip()}")
    told += [f"{folder} has {found[folder]} such comments, more than {most}" for folder, most in LEFT.items() if found[folder] > most]
    if told:
        print("\n".join([*told, "comments open with their subject: 'Number of nodes', 'True if it fits', not 'How many ...', 'Whether ...'"]))
    return 1 if told else 0


sys.exit(main())
