"""Includes may only point one way: sdk -> nothing, core -> nothing, plugins and host -> sdk and core, and never at each other.

A plugin opens the namespace of the core only to specialise a template of it.
"""
import re
import sys

from sources import sources

MAY_INCLUDE = {"sdk": {"sdk"}, "core": {"core"}, "host": {"host", "sdk", "core"}, "plugins": {"plugins", "sdk", "core"},
               "tools": {"tools", "host", "sdk", "core"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]((?:\.\./)*)(zz|sdk|core|host|plugins|tests|tools)/([^">]*)[">]', re.MULTILINE)
CORE = re.compile(r"^namespace zz::core \{\n\s*(?!template <>)", re.MULTILINE)

wrong = 0
for path in sources(*MAY_INCLUDE):
    folder = path.parts[0]
    for match in INCLUDE.finditer(path.read_text()):
        target = "sdk" if match[2] == "zz" else match[2]
        if target not in MAY_INCLUDE[folder]:
            line = path.read_text()[:match.start()].count("\n") + 1
            print(f"{path}:{line}: {folder}/ may not include {target}/: {match[0].strip()}")
            wrong += 1
for path in sources("plugins"):
    for match in CORE.finditer(path.read_text()):
        print(f"{path}: a plugin opens zz::core, and not for a specialisation: zz::plugins is its own")
        wrong += 1
sys.exit(1 if wrong else 0)
