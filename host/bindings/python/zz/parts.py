"""What input files say, with their keys as attributes, to look at and to set."""

import copy
import difflib
import json
import os
import reprlib

from zz import _zz, errors


def _plain(thing):
    return thing._data if isinstance(thing, (Part, Parts)) else thing


def _seen(data):
    if isinstance(data, dict):
        return Part(data)
    return Parts(data) if isinstance(data, list) else data


def _nearest(name, known):
    near = difflib.get_close_matches(str(name), [str(one) for one in known], 1)
    return f"did you mean '{near[0]}'?" if near else f"it has {', '.join(map(str, known)) or 'nothing'}"


class Part:
    """A map of an input file. Attributes are its keys: they are read, and set where they are; items add keys, too."""

    def __init__(self, data):
        object.__setattr__(self, "_data", data)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"no key '{name}'; {_nearest(name, self._data)}")
        return _seen(self._data[name])

    def __setattr__(self, name, value):
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"no key '{name}'; {_nearest(name, self._data)} A new key is added as an item, ['{name}']")
        self._data[name] = _plain(value)

    def __getitem__(self, name):
        if name not in self._data:
            raise KeyError(f"no key '{name}'; {_nearest(name, self._data)}")
        return _seen(self._data[name])

    def __setitem__(self, name, value):
        self._data[name] = _plain(value)

    def __delitem__(self, name):
        del self._data[name]

    def __contains__(self, name):
        return name in self._data

    def __iter__(self):
        return iter(self._data)

    def __len__(self):
        return len(self._data)

    def keys(self):
        return self._data.keys()

    def values(self):
        return [_seen(part) for part in self._data.values()]

    def items(self):
        return [(name, _seen(part)) for name, part in self._data.items()]

    def to_python(self):
        """A copy as dicts and lists."""
        return copy.deepcopy(self._data)

    def __eq__(self, other):
        return self._data == _plain(other)

    __hash__ = None

    def __dir__(self):
        return [*super().__dir__(), *(name for name in self._data if str(name).isidentifier())]

    def __repr__(self):
        return repr(self._data)

    def __reduce__(self):
        return type(self), (self._data,)


class Parts:
    """A list of an input file; parts that have a name are found by it as well."""

    def __init__(self, data):
        self._data = data

    def _place(self, key):
        if not isinstance(key, str):
            return key
        names = [part.get("name") if isinstance(part, dict) else part for part in self._data]
        if key not in names:
            raise KeyError(f"no part is called '{key}'; {_nearest(key, [name for name in names if name is not None])}")
        return names.index(key)

    def __getitem__(self, key):
        found = self._data[self._place(key)]
        return Parts(found) if isinstance(key, slice) else _seen(found)

    def __setitem__(self, key, value):
        self._data[self._place(key)] = _plain(value)

    def __delitem__(self, key):
        del self._data[self._place(key)]

    def append(self, value):
        self._data.append(_plain(value))

    def __contains__(self, key):
        return _plain(key) in self._data or isinstance(key, str) and any(
            isinstance(part, dict) and part.get("name") == key for part in self._data)

    def __iter__(self):
        return map(_seen, self._data)

    def __len__(self):
        return len(self._data)

    def __eq__(self, other):
        return self._data == _plain(other)

    __hash__ = None

    def __repr__(self):
        return repr(self._data)

    def __reduce__(self):
        return type(self), (self._data,)


def read(source, reader=_zz.read_yaml):
    """(what an input file says, its path or ""), of a path, of its text, or of what it says."""
    if isinstance(source, (Part, Parts)):
        return copy.deepcopy(source._data), ""
    if isinstance(source, (dict, list)):
        return copy.deepcopy(source), ""
    if isinstance(source, str) and "\n" in source:
        return reader("<text>", source), ""
    if not isinstance(source, (str, bytes, os.PathLike)):
        raise TypeError(f"source={source!r}: expected a path, the text of a file, or what such a file says")
    path = os.fspath(source)
    return reader(path), path


def checked_entries(data, words):
    """What a file says, if it is a list of maps; words: what that list is."""
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise errors.InputError(f"{words} is a list of dicts, but found {reprlib.repr(data)}")
    return data


def _flat(data):
    """Whether it stands in one line."""
    parts = data.values() if isinstance(data, dict) else data
    return all(not isinstance(part, (dict, list)) for part in parts) and len(json.dumps(data)) < 100


def inline(data):
    """In one line."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_scalar(name)}: {inline(part)}" for name, part in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(inline, data)) + "]"
    return _scalar(data)


def _scalar(value):
    """As YAML reads it back: texts that could be anything else in quotes."""
    if isinstance(value, str):
        plain = value.replace("_", "a").replace(" ", "a").replace("/", "a")
        if plain.isalnum() and plain[0].isalpha() and value.strip() == value and "\n" not in value:
            if value.lower() not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n"):
                return value
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        text = repr(value)
        mantissa, e, exponent = text.partition("e")
        if e:  # YAML 1.1 needs the point and the sign
            return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent if exponent[0] in '+-' else '+' + exponent}"
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(text, text)
    return json.dumps(value)


def yaml_text(data, indent=0):
    """What input files have as YAML, which reads back as the same."""
    inside = " " * indent
    lines = []
    if isinstance(data, dict):
        for name, part in data.items():
            if isinstance(part, (dict, list)) and part and not _flat(part):
                lines += [f"{inside}{_scalar(name)}:", yaml_text(part, indent + 2)]
            else:
                lines.append(f"{inside}{_scalar(name)}: {inline(part)}")
    else:
        for part in data:
            if isinstance(part, (dict, list)) and part and not _flat(part):
                text = yaml_text(part, indent + 2)
                lines.append(f"{inside}- {text[indent + 2:]}")
            else:
                lines.append(f"{inside}- {inline(part)}")
    return "\n".join(lines)


class InputFile:
    """What accelerators, workloads and mappings have in common: text, files, copies. As long as nothing is changed, runs
    read the file itself, so that messages name its lines."""

    def __init__(self, source):
        object.__setattr__(self, "_data", None)
        object.__setattr__(self, "_source", source._source if isinstance(source, InputFile) else None)
        object.__setattr__(self, "_as_read", source._as_read if isinstance(source, InputFile) else None)

    def _keep(self, data, source=None):
        object.__setattr__(self, "_data", data)
        if source:
            object.__setattr__(self, "_source", source)
            object.__setattr__(self, "_as_read", copy.deepcopy(data))

    def _as_input(self):
        """What takes its place in a pipeline."""
        return self._source if self._source and self._data == self._as_read else copy.deepcopy(self._data)

    def to_yaml(self):
        """The text of an input file."""
        return yaml_text(self._data) + "\n"

    def save(self, path):
        """Writes an input file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_yaml())

    def copy(self):
        """Another one that says the same."""
        return type(self)(self)

    def __reduce__(self):
        return _made_again, (type(self), self._data, self._source, self._as_read)


def _made_again(kind, data, source, as_read, more=()):
    made = kind.__new__(kind)
    for name, part in {"_data": data, "_source": source, "_as_read": as_read, **dict(more)}.items():
        object.__setattr__(made, name, part)
    return made
