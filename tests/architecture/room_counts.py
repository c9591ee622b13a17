"""Sizes of rooms: what `rooms.py --counts` prints, and how it is compared with the committed table."""
from collections import defaultdict
from pathlib import Path
from statistics import median

COUNTED = {".hpp", ".cpp", ".h", ".def", ".proto", ".py", ".pyi"}
COLUMNS = ["files", "lines", "median", "90th", "under 40", "doors", "headers", "one-client", "floors"]
# Of these a change says so when they grow; the others only follow from them.
HELD = ["files", "lines", "under 40", "doors", "one-client", "floors"]
# Lines come and go; a room that grows by less says nothing.
LINES_OF_SLACK = 40
INTRODUCTION = """# Sizes of the rooms

Written by `tests/architecture/rooms.py --counts --write`; the test fails when a number grew and this table was not
written anew. Lines are of files of C++ and Python; `90th` is the 90th percentile of a file's lines. Doors are headers
that other rooms include (tests and tools do not count). A one-client header is included by a single other file. Floors
are the longest chain of includes inside the room.
"""


def longest_chain(edges):
    """Headers on the longest path of includes."""
    length = {}

    def of(header, above=()):
        if header in above:
            return 0
        if header not in length:
            length[header] = 1 + max((of(other, above + (header,)) for other in edges[header]), default=0)
        return length[header]

    return max((of(header) for header in list(edges)), default=0)


def sizes(paths):
    lines = sorted(len(path.read_text().splitlines()) for path in paths)
    return {"files": len(lines), "lines": sum(lines), "median": round(median(lines)),
            "90th": lines[min(len(lines) - 1, len(lines) * 9 // 10)], "under 40": sum(count < 40 for count in lines)}


def counts_of(tops, room_of, include):
    """By name of a room, or of a top folder, its columns."""
    rooms, clients, edges = defaultdict(list), defaultdict(set), defaultdict(lambda: defaultdict(set))
    for top in tops:
        for path in sorted(path for path in Path(top).rglob("*") if path.suffix in COUNTED):
            room = room_of(path)
            if room:
                rooms[(top, room)].append(path)
            if path.suffix not in {".hpp", ".cpp", ".h"}:
                continue
            for name in map(Path, include.findall(path.read_text())):
                if name.with_suffix("") == path.with_suffix(""):
                    continue
                clients[name].add(path)
                if path.suffix != ".cpp" and room_of(name) == room:
                    edges[(top, room)][path].add(name)

    def columns(room, paths):
        headers = [path for path in paths if path.suffix in {".hpp", ".h"}]
        used = [header for header in headers if any(room_of(client) != room_of(header) for client in clients[header])]
        return sizes(paths) | {"doors": len(used), "headers": len(headers),
                               "one-client": sum(len({c.with_suffix("") for c in clients[header]}) == 1 for header in headers),
                               "floors": longest_chain(defaultdict(set, edges[room])) if room in edges else min(1, len(headers))}

    result = {}
    for top in tops:
        within = {room: paths for room, paths in rooms.items() if room[0] == top}
        of_top = columns(None, [path for paths in within.values() for path in paths])
        result[f"{top}/"] = of_top | {"floors": max((columns(room, paths)["floors"] for room, paths in within.items()), default=0)}
        for room, paths in sorted(within.items()):
            result[room[1] if top != "core" else f"core/{room[1]}"] = columns(room, paths)
    return result


def table_text(counts):
    width = max(map(len, counts))
    rows = ["| " + " | ".join([f"{'room':{width}}"] + [f"{column:>10}" for column in COLUMNS]) + " |",
            "|" + "|".join(["-" * (width + 2)] + ["-" * 11 + ":"] * len(COLUMNS)) + "|"]
    for room, row in counts.items():
        rows.append("| " + " | ".join([f"{room:{width}}"] + [f"{row[column]:>10}" for column in COLUMNS]) + " |")
    return INTRODUCTION + "\n" + "\n".join(rows) + "\n"


def read_table(path):
    rows = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) + 1 and cells[1].isdigit():
            rows[cells[0]] = dict(zip(COLUMNS, map(int, cells[1:])))
    return rows


def grown(counts, table):
    """Sentences about the rooms that grew, or are new or gone."""
    told = [f"{room} is no room any more" for room in table if room not in counts]
    for room, row in counts.items():
        if room not in table:
            told.append(f"{room} is new")
            continue
        before = table[room]
        slack = {"lines": LINES_OF_SLACK}
        changes = [f"{column} {before[column]} -> {row[column]}" for column in HELD
                   if row[column] > before[column] + slack.get(column, 0)]
        if changes:
            told.append(f"{room} grew: " + ", ".join(changes))
    if told:
        told.append("if that is meant, write the table anew: tests/architecture/rooms.py --counts --write")
    return told
