"""A comment of core, host and plugins opens with its subject: no line of it opens with "What", "Of", "How" or "Whether"."""
import re
import sys

from sources import sources

OPENING = re.compile(r"^\s*///? (What|Of|How|Whether)\b|///< ([Ww]hat|Of|[Hh]ow|[Ww]hether)\b")


def main():
    assert OPENING.search("/// What it costs.") and OPENING.search("int a;  ///< how many there are")
    assert not OPENING.search("/// Costs of what it does.") and not OPENING.search("int a;  ///< of the layer")
    told = [f"{path}:{number}: {line.strip()}" for path in sources("core", "host", "plugins")
            for number, line in enumerate(path.read_text().splitlines(), 1) if OPENING.search(line)]
    if told:
        print("\n".join([*told, "comments open with their subject: 'Number of nodes', 'True if it fits', not 'How many ...', 'Whether ...'"]))
    return 1 if told else 0


sys.exit(main())
