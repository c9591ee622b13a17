"""The rooms of core and host: no cycles between them, private headers stay private, definitions lie where their names say.

A room is a folder below core/ or host/; the parts of search, input, output and multicore, and hardware/imc, are rooms of
their own. `--graph` prints which room includes which, lowest first. `--counts` prints the sizes of all rooms, plugins too,
with the numbers that grew since counts.md was written; the test fails at those. `--counts --write` writes the table.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

from room_counts import counts_of, grown, read_table, table_text

NESTED = {"search", "input", "output", "multicore"}
NESTED_ROOMS = {"hardware/imc"}
TOPS = ("core", "host", "plugins")
INCLUDE = re.compile(r'^\s*#\s*include\s*"((?:core|host|plugins)/[^">]+)"', re.MULTILINE)
TABLE = Path(__file__).with_name("counts.md")
# The card's entries and no others.
TOP_LEVEL = {"README.md", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "mkdocs.yml", "pyproject.toml", "docs", "sdk",
             "core", "host", "plugins", "configs", "tests", "tools"}
# Definitions that lie elsewhere than in the header's own .cpp, with the reason.
EXTRA_SOURCES = {
    "core/input/onnx/operators": "one family of operators a file: each defines its list, declared in operator.hpp",
    **{f"core/output/program/{name}.cpp": "one format a file, declared in program_text.hpp"
       for name in ("mlir_text", "tile_levels", "timeloop_text", "transform_text")},
    "core/schema": "one file a subject: tables that define type_of<T>, declared in core/value/value.hpp",
    "core/multicore/schedule/detail/list_scheduler_copies.cpp": "part of the class in list_scheduler.hpp",
    "core/multicore/schedule/detail/list_scheduler_memory.cpp": "part of the class in list_scheduler.hpp",
    "core/multicore/schedule/detail/list_scheduler_transfers.cpp": "part of the class in list_scheduler.hpp",
    "core/multicore/schedule/detail/list_scheduler_transfers.cpp": "part of the class in list_scheduler.hpp",
}


def room_of(path):
    """The room of a file, as "search/loma" of core or "host/chain"; `detail` belongs to the room around it."""
    top, parts = path.parts[0], path.parts[1:-1]
    if not parts:
        return ""
    if top != "core":
        return f"{top}/{parts[0]}"
    nested = len(parts) > 1 and (parts[0] in NESTED or "/".join(parts[:2]) in NESTED_ROOMS) and parts[1] != "detail"
    return "/".join(parts[:2] if nested else parts[:1])


def sources_of(top):
    return sorted(path for path in Path(top).rglob("*") if path.suffix in {".hpp", ".cpp"})


def included_rooms(top):
    graph = defaultdict(lambda: defaultdict(list))
    for path in sources_of(top):
        room = room_of(path)
        if not room:
            continue
        graph[room]
        for name in INCLUDE.findall(path.read_text()):
            name = Path(name)
            other = room_of(name)
            if other and other != room and name.parts[0] == top:
                graph[room][other].append(f"{path} -> {name}")
    return graph


def cycles(graph):
    """Rooms that can reach themselves, as lists of rooms that reach each other."""
    def reach(start):
        seen, todo = set(), list(graph[start])
        while todo:
            room = todo.pop()
            if room not in seen:
                seen.add(room)
                todo += graph[room]
        return seen

    reachable = {room: reach(room) for room in list(graph)}
    found = {frozenset(other for other in reachable if other in reachable[room] and room in reachable[other])
             for room in reachable if room in reachable[room]}
    return sorted(sorted(rooms) for rooms in found)


def floors(graph):
    """Rooms by how many rooms lie below them at most."""
    height = {}

    def of(room):
        if room not in height:
            height[room] = 0
            height[room] = max((of(other) + 1 for other in graph[room]), default=0)
        return height[room]

    result = defaultdict(list)
    for room in sorted(graph):
        result[of(room)].append(room)
    return result


def print_graph(graph):
    for height, rooms in sorted(floors(graph).items()):
        for room in rooms:
            print(f"{height:2} {room:18} -> {' '.join(sorted(graph[room])) or '-'}")


def cycles_in(top):
    graph = included_rooms(top)
    wrong = []
    for rooms in cycles(graph):
        wrong.append("these rooms include each other: " + ", ".join(rooms))
        for room in rooms:
            for other in sorted(set(graph[room]) & set(rooms)):
                wrong += [f"    {line}" for line in graph[room][other][:3]]
    return wrong


def main():
    if "--graph" in sys.argv:
        for top in ("core", "host"):
            print_graph(included_rooms(top))
        return 0
    if "--counts" in sys.argv:
        counts = counts_of(TOPS, room_of, INCLUDE)
        if "--write" in sys.argv:
            TABLE.write_text(table_text(counts))
        else:
            print(table_text(counts), *grown(counts, read_table(TABLE)), sep="\n")
        return 0
    wrong = cycles_in("core") + cycles_in("host")
    for path in sources_of("core"):
        wrong += [f"{path}: {name} lies above core" for name in INCLUDE.findall(path.read_text()) if not name.startswith("core/")]
    for path in sorted(path for folder in ("core", "host", "plugins", "sdk", "tools", "tests")
                       for path in Path(folder).rglob("*") if path.suffix in {".hpp", ".cpp", ".h"}):
        for name in INCLUDE.findall(path.read_text()):
            name = Path(name)
            # Tests and measurements may look behind the doors of a room.
            apart = path.parts[0] != name.parts[0] or room_of(path) != room_of(name)
            if "detail" in name.parts and path.parts[0] not in {"tests", "tools"} and apart:
                wrong.append(f"{path}: {name} is private to its room")
    for path in sources_of("core"):
        header_names = (path.with_suffix(".hpp"), path.parent / "detail" / f"{path.stem}.hpp")
        if path.suffix == ".cpp" and not {str(path), str(path.parent)} & EXTRA_SOURCES.keys() and not any(map(Path.exists, header_names)):
            wrong.append(f"{path}: no header of the room has this name")
    wrong += grown(counts_of(TOPS, room_of, INCLUDE), read_table(TABLE))
    entries = {path.name for path in Path(".").iterdir() if not path.name.startswith(".") and path.name not in {"build", "outputs"}}
    wrong += [f"{name}: not one of the top level's entries" for name in sorted(entries - TOP_LEVEL)]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
