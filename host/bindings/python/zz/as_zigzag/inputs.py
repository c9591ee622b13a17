"""The input files that scripts find in the package zigzag: those of a ZigZag at hand, else zz's own under the same folders."""

import importlib.readers
import logging
import pathlib
import sys
import types

from zz.as_zigzag.page import PAGE

_log = logging.getLogger("zz")
_OWN = pathlib.Path(__file__).parent / "zigzag"
_ROOM = "inputs"


def folder_of(package):
    """The folder of a package of zigzag: where a ZigZag lies in sys.path, installed or as a checkout; else that of zz."""
    for entry in sys.path:
        folder = pathlib.Path(entry, "zigzag")
        if (folder / _ROOM).is_dir():
            break
    else:
        folder = _OWN
    return folder.joinpath(*package.split(".")[1:])


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
