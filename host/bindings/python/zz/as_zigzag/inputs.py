"""The input files that scripts find in the package zigzag: those of a ZigZag at hand, else zz's own under the same folders."""

import importlib.machinery
import importlib.readers
import logging
import pathlib
import sys
import types

from zz.as_zigzag.page import PAGE

_log = logging.getLogger("zz")
_OWN = pathlib.Path(__file__).parent / "zigzag"
_ROOM = "inputs"


def _at_hand(root):
    """The folder of a ZigZag or Stream: in sys.path, installed or as a checkout; else in the working directory or above the
    script. None where there is none."""
    for entry in (*sys.path, pathlib.Path(), *pathlib.Path(sys.path[0]).resolve().parents):
        folder = pathlib.Path(entry, root)
        if (folder / _ROOM).is_dir():
            return folder
    return None


def folder_of(package):
    """The folder of a package of zigzag: of a ZigZag at hand, else of zz."""
    return (_at_hand("zigzag") or _OWN).joinpath(*package.split(".")[1:])


def of_checkout(name):
    """The spec of stream.inputs or a module in it, which is the checkout's own; None for other names or without a Stream."""
    root, _, rest = name.partition(".")
    if root != "stream" or rest.partition(".")[0] != _ROOM:
        return None
    folder = _at_hand(root)
    if folder is None:
        return None
    parents = name.split(".")[1:-1]
    return importlib.machinery.PathFinder.find_spec(name, [str(folder.joinpath(*parents))])


def reader_of(package):
    """What importlib.resources asks for the files of a package; None where there are none."""
    folder = folder_of(package)
    if not folder.is_dir():
        return None
    if _OWN in (folder, *folder.parents):
        _tell_whose(package)
    return importlib.readers.FileReader(types.SimpleNamespace(path=str(folder / "__init__.py")))


def _tell_whose(package, told=set()):  # noqa: B006: once a process
    if not told:
        told.add(package)
        _log.warning("%s: no ZigZag is at hand, so its input files are zz's own: other machines under the same names (%s)",
                     package, PAGE)
