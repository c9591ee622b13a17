"""Makes `import zigzag` and `import stream` find what this package has in their place."""

import difflib
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import re
import sys
import types

from zz.as_zigzag import compat, inputs
from zz.as_zigzag.modules import MODULES
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.version import __version__ as VERSION

_ROOTS = ("zigzag", "stream")


def _root(name):
    return name.partition(".")[0]


def _belongs(name):
    return _root(name) in _ROOTS


class Module(types.ModuleType):
    """A module of ZigZag or Stream with what zz has of it."""

    def __getattr__(self, name):
        # Python asks every module for such names, and for a module within it before it imports that.
        if name.startswith("__") or f"{self.__name__}.{name}" in MODULES:
            raise AttributeError(f"module '{self.__name__}' has no '{name}'")
        there = sorted(known for known in vars(self) if not known.startswith("_"))
        near = difflib.get_close_matches(name, there, 1)
        elsewhere = [module for module, parts in MODULES.items() if any(name in names for _, *names in parts)]
        hint = f"'{elsewhere[0]}' has it; " if elsewhere else f"did you mean '{near[0]}'? " if near else ""
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

    def get_resource_reader(self, name):
        """For importlib.resources."""
        return inputs.reader_of(name) if _root(name) == "zigzag" else None

    def get_data(self, path):
        """For pkgutil.get_data."""
        with open(path, "rb") as file:
            return file.read()


class _Distribution(importlib.metadata.Distribution):
    """What is told of the package zigzag-dse."""

    def read_text(self, filename):
        return f"Metadata-Version: 2.1\nName: zigzag-dse\nVersion: {VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path):
        return inputs.folder_of("zigzag").parent / path


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if not _belongs(fullname):
            return None
        found = inputs.of_checkout(fullname)
        if found is not None:
            return found
        if fullname.startswith("stream.inputs"):
            raise ModuleNotFoundError(f"'{fullname}' is of a checkout of Stream, and none is at hand: let it be in PYTHONPATH "
                                      f"({PAGE})", name=fullname)
        if fullname not in MODULES:
            near = difflib.get_close_matches(fullname, MODULES, 1)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise ModuleNotFoundError(f"zz has nothing in place of the module '{fullname}'; {hint}see {PAGE}", name=fullname)
        package = fullname.startswith(("zigzag.inputs", "zigzag.cacti")) or any(
            name.startswith(fullname + ".") for name in MODULES)
        spec = importlib.machinery.ModuleSpec(fullname, _Loader(), is_package=package)
        if package and _root(fullname) == "zigzag":
            folder = inputs.folder_of(fullname)
            spec.submodule_search_locations = [str(folder)]
            spec.origin = str(folder / "__init__.py")
            spec.has_location = True  # scripts look beside zigzag.__file__
        return spec

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
        """For importlib.metadata.version("zigzag-dse")."""
        if context.name is None or re.sub(r"[-_.]+", "-", context.name).lower() == "zigzag-dse":
            yield _Distribution()


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
    for name in [name for name, module in sys.modules.items()
                 if isinstance(module, Module) or name.startswith("stream.inputs")]:
        del sys.modules[name]
