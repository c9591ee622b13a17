"""Makes `import zigzag` and `import stream` find what this package has in their place."""

import difflib
import importlib
import importlib.abc
import importlib.machinery
import sys
import types

from zz.as_zigzag import compat
from zz.as_zigzag.modules import MODULES
from zz.as_zigzag.page import PAGE

_ROOTS = ("zigzag", "stream")


def _belongs(name):
    return name.partition(".")[0] in _ROOTS


class Module(types.ModuleType):
    """A module of ZigZag or Stream with what zz has of it."""

    def __getattr__(self, name):
        # Python asks every module for such names, and for a module within it before it imports that.
        if name.startswith("__") or f"{self.__name__}.{name}" in MODULES:
            raise AttributeError(f"module '{self.__name__}' has no '{name}'")
        there = sorted(known for known in vars(self) if not known.startswith("_"))
        near = difflib.get_close_matches(name, there, 1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise ImportError(f"'{self.__name__}' has no '{name}' on zz; {hint}it has {', '.join(there) or 'nothing'} ({PAGE})",
                          name=self.__name__)


class _Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        for home, *names in MODULES[module.__name__]:
            source = importlib.import_module(home)
            for name in names:
                ours, _, theirs = name.partition(" as ")
                setattr(module, theirs or ours, getattr(source, ours))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if not _belongs(fullname):
            return None
        if fullname not in MODULES:
            near = difflib.get_close_matches(fullname, MODULES, 1)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise ModuleNotFoundError(f"zz has nothing in place of the module '{fullname}'; {hint}see {PAGE}", name=fullname)
        package = any(name.startswith(fullname + ".") for name in MODULES)
        return importlib.machinery.ModuleSpec(fullname, _Loader(), is_package=package)


_finder = _Finder()


def install(version=compat.VERSIONS[0]):
    """From now on, `import zigzag` and `import stream` give what zz has in their place.

    version: whose figures; one of zz.as_zigzag.compat.VERSIONS.
    """
    compat.choose(version)
    if _finder in sys.meta_path:
        return
    real = sorted(name for name, module in sys.modules.items() if _belongs(name) and not isinstance(module, Module))
    if real:
        raise ImportError(f"'{real[0]}' was imported before zz.as_zigzag.install(): call it first")
    sys.meta_path.insert(0, _finder)


def remove():
    """Undoes install()."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [name for name, module in sys.modules.items() if isinstance(module, Module)]:
        del sys.modules[name]
