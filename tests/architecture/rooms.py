"""The rooms of the core: no cycles between them, private headers stay private, definitions lie where their names say.

A room is a folder below core/; the parts of search, input and output, hardware/imc, partition/check and schedule/check are
rooms of their own. `rooms.py --graph` prints which room includes which.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

NESTED = {"search", "input", "output", "multicore"}
NESTED_ROOMS = {"hardware/imc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"(core/[^">]+)"', re.MULTILINE)
# The card's entries and no others.
TOP_LEVEL = {"README.md", "CMakeLists.txt", "CMakePresets.json", "docs", "sdk", "core", "host", "plugins", "configs", "tests", "tools"}
# Definitions that lie elsewhere than in the header's own .cpp, with the reason.
EXTRA_SOURCES = {
    "core/input/onnx/operators": "one family of operators a file: each defines its list, declared in operator.hpp",
    "core/schema": "one table a type: each defines type_of<T>, declared in core/value/value.hpp",
    "core/multicore/schedule/detail/list_scheduler_memory.cpp": "part of the class in list_scheduler.hpp",
    "core/multicore/schedule/detail/list_scheduler_transfers.cpp": "part of the class in list_scheduler.hpp",
    "core/multicore/schedule/detail/list_scheduler_transfers.cpp": "part of the class in list_scheduler.hpp",
}


def room_of(path):
    """The room of a file below core/, as "search/loma"; `detail` belongs to the room around it."""
    parts = path.parts[1:-1]
    if not parts:
        return ""
    nested = len(parts) > 1 and (parts[0] in NESTED or "/".join(parts[:2]) in NESTED_ROOMS) and parts[1] != "detail"
    return "/".join(parts[:2] if nested else parts[:1])


def sources_of_core():
    return sorted(path for path in Path("core").rglob("*") if path.suffix in {".hpp", ".cpp"})


def included_rooms():
    graph = defaultdict(lambda: defaultdict(list))
    for path in sources_of_core():
        room = room_of(path)
        graph[room]
        for name in INCLUDE.findall(path.read_text()):
            other = room_of(Path(name))
            if other and other != room:
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


def main():
    graph = included_rooms()
    if "--graph" in sys.argv:
        print_graph(graph)
        return 0
    wrong = []
    for rooms in cycles(graph):
        wrong.append("these rooms include each other: " + ", ".join(rooms))
        for room in rooms:
            for other in sorted(set(graph[room]) & set(rooms)):
                wrong += [f"    {line}" for line in graph[room][other][:3]]
    for path in sorted(path for folder in ("core", "host", "plugins", "sdk", "tools", "tests")
                       for path in Path(folder).rglob("*") if path.suffix in {".hpp", ".cpp", ".h"}):
        for name in INCLUDE.findall(path.read_text()):
            name = Path(name)
            # Tests and measurements may look behind the doors of a room.
            if "detail" in name.parts and path.parts[0] not in {"tests", "tools"} and (path.parts[0] != "core" or room_of(path) != room_of(name)):
                wrong.append(f"{path}: {name} is private to its room")
    for path in sources_of_core():
        header_names = (path.with_suffix(".hpp"), path.parent / "detail" / f"{path.stem}.hpp")
        if path.suffix == ".cpp" and not {str(path), str(path.parent)} & EXTRA_SOURCES.keys() and not any(map(Path.exists, header_names)):
            wrong.append(f"{path}: no header of the room has this name")
    entries = {path.name for path in Path(".").iterdir() if not path.name.startswith(".") and path.name not in {"build", "outputs"}}
    wrong += [f"{name}: not one of the top level's entries" for name in sorted(entries - TOP_LEVEL)]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
