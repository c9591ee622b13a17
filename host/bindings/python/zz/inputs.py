"""Turns what Python brings along into what pipelines name: files in memory and settings."""

import contextlib
import functools
import json
import operator
import os
import re
import sys

from zz import _zz, errors

_names_of_input_files = None


def how_to_install(package):
    """A command, in words of messages: Debian's packages are not seen from within a virtual environment."""
    return f"pip install {package}" if sys.prefix != sys.base_prefix else f"apt-get install python3-{package}"


def _is_input_file(name):
    global _names_of_input_files
    if _names_of_input_files is None:
        _names_of_input_files = frozenset(_zz.names_of_input_files())
    return name in _names_of_input_files


def plain_of(value):
    """What an object such as zz.Accelerator stands for: what its file says, or the file itself."""
    return value._as_input() if hasattr(type(value), "_as_input") else value


def _plain(value):
    if hasattr(type(value), "_as_input"):
        return value._as_input()
    if isinstance(value, _zz.Value):
        return value.to_python()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    expected = (f"an object of the class {value.__name__}" if isinstance(value, type)
                else "numbers, texts, lists, dicts, paths or objects of zz")
    raise TypeError(f"zz cannot write {value!r} of type {type(value).__name__} into a pipeline; expected {expected}")


_SCALARS = (bool, int, float, str)


@contextlib.contextmanager
def _named(name):
    """What is wrong with a value is said with the name under which it was given."""
    try:
        yield
    except (TypeError, ValueError) as problem:
        raise type(problem)(f"{name}: {problem}") from None
    except RecursionError:
        raise ValueError(f"{name}: parts lie too deeply in each other") from None


_encode_json = json.JSONEncoder(default=_plain).encode


#: What YAML reads as another thing than JSON: infinity, and 1e-05, which has no point.
_NOT_OF_YAML = re.compile(r"Infinity|NaN|\de[-+]")


def _encode(value):
    """JSON; where YAML reads a number of it as text, that of YAML."""
    text = _encode_json(value)
    return _encode_part(value) if _NOT_OF_YAML.search(text) else text


def _float(value):
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e")


def _encode_part(value):
    if isinstance(value, float) and value - value != 0:
        return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_encode_json({name: 0})[1:-2]}{_encode_part(part)}" for name, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_encode_part, value)) + "]"
    if value is None or isinstance(value, (str, bool, int, float)):
        return _encode_json(value)
    return _encode_part(_plain(value))


def is_whole(value):
    """Whether it is a whole number of 64 bits, as Python or as numpy has them."""
    try:
        return -2**63 <= operator.index(value) < 2**63
    except TypeError:
        return False


def expect_threads(threads):
    """A number of threads; 0: all of the machine."""
    if not is_whole(threads) or not 0 <= threads < 2**32:
        raise TypeError(f"threads={threads!r}: expected a number of threads, or 0 for all of the machine")
    return operator.index(threads)


def expect(**given):
    """Refuses arguments of a wrong type: name=(value, type, "in words"), where None is always right."""
    for name, (value, kind, words) in given.items():
        fits = (hasattr(value, "__float__") and not isinstance(value, (str, bytes)) if kind is float
                else is_whole(value) if kind is int
                else isinstance(value, kind) or type(value).__name__ in ("bool", "bool_") if kind is bool
                else isinstance(value, kind))
        if value is not None and not fits:
            raise TypeError(f"{name}={value!r}: expected {words}")


def expect_path(**given):
    """The text of a path, name=path; "" where it is None."""
    (name, path), = given.items()
    expect(**{name: (path, (str, bytes, os.PathLike), "a path")})
    return "" if path is None else os.fsdecode(path)


def expect_names(words, **given):
    """Refuses what is neither None nor names one after the other, in words: name=names."""
    for name, names in given.items():
        if names is not None and (isinstance(names, (str, bytes)) or not hasattr(names, "__iter__")):
            raise TypeError(f"{name}={names!r}: expected {words}")


def expect_paths(**given):
    """Refuses what is no list of paths: name=files."""
    for name, files in given.items():
        if isinstance(files, (str, bytes)) or not hasattr(files, "__iter__"):
            raise TypeError(f"{name}={files!r}: expected a list of paths")


def _checked(path):
    """A path as text, if it is one: names of files may have bytes that are none."""
    path = os.fspath(path)
    text = path if isinstance(path, str) else os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the path {text!a} has letters that UTF-8 lacks") from None
    return path


_string = json.encoder.encode_basestring_ascii


@functools.lru_cache(4096, typed=True)
def _key_of(name):
    """A name as JSON has it, with its colon."""
    return _encode({name: 0})[1:-2]


def _json(value, levels=3):
    """JSON with a line for each part of the upper levels, for messages to point at; indent= of json is slow."""
    if type(value) is int:  # an encoder for each number would take most of the time
        return repr(value)
    if type(value) is float and value - value == 0:
        return _float(value)
    if type(value) is str:
        return _string(value)
    if levels == 0 or not isinstance(value, (dict, list, tuple)) or not value:
        return _encode(value)
    if isinstance(value, dict):
        parts = [_key_of(name) + _json(part, levels - 1) for name, part in value.items()]
        return "{\n" + ",\n".join(parts) + "\n}"
    return "[\n" + ",\n".join(_json(part, levels - 1) for part in value) + "\n]"


def refuse_layer(network):
    """Refuses a layer by itself in the place of a network: the only network that is a map is the config.json of a language model."""
    if isinstance(network, dict) and not {"equation", "loop_dims"}.isdisjoint(network):
        raise errors.InputError("a network is a list of layers, and this is one layer: write [layer], or zz.optimum(layer, ...)")


class Inputs:
    """The files in memory of one run, by the names under which its pipeline knows them: bytes where a user wrote the text,
    text where it stands for a value that messages call by a path.

    folder: from which relative paths count; "" for the working folder.
    """

    def __init__(self, folder=""):
        self.files = {}
        self.unreadable = {}  # {name: type}: classes of stages that use an object of a type whose state cannot be read
        self.folder = folder

    def path(self, path):
        """A path as this process has to open it."""
        path = _checked(path)
        return os.path.join(self.folder, path) if path else path

    def _add(self, name, content):
        """Keeps a file, and returns its name. Names look like files: '<accelerator>.yaml'."""
        known = self.files.get(name)
        if known is not None and known != content:
            stem, suffix = os.path.splitext(name)
            number = 2
            while self.files.get(f"{stem[:-1]} {number}>{suffix}", content) != content:
                number += 1
            name = f"{stem[:-1]} {number}>{suffix}"
        self.files[name] = content
        return name

    def _core(self, name, core):
        return self.path(core) if isinstance(core, (str, os.PathLike)) else self._file(f"{name}.core", core)

    def file(self, name, value):
        """The path of an input: as given, or the name of the file in memory that it becomes."""
        with _named(name):
            return self._file(name, value)

    def _file(self, name, value):
        value = plain_of(value)
        if isinstance(value, os.PathLike):
            return self.path(value)
        if isinstance(value, str):
            return self._add(f"<{name}>.yaml", value.encode()) if "\n" in value else self.path(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._add(f"<{name}>.onnx", bytes(value))
        if hasattr(value, "SerializeToString"):  # an onnx.ModelProto
            return self._add(f"<{name}>.onnx", value.SerializeToString())
        if isinstance(value, dict) and isinstance(value.get("cores"), (dict, list)):
            cores = value["cores"]
            cores = ({key: self._core(name, core) for key, core in cores.items()} if isinstance(cores, dict)
                     else [self._core(name, core) for core in cores])
            value = {**value, "cores": cores}
        if name == "workload":
            refuse_layer(value)
        ending = "json" if name == "workload" and isinstance(value, dict) else "yaml"
        return self._add(f"<{name}>.{ending}", _json(value))

    def setting(self, name, value):
        """The value of a setting as the pipeline has it."""
        if value is None or type(value) in _SCALARS and not _is_input_file(name):
            return value
        if _is_input_file(name):
            return self.file(name, value)
        with _named(name):
            _encode(value)
        return value

    def settings(self, values):
        return {name: self.setting(name, value) for name, value in values.items()}
