"""The code of a class as a digest, whether or not its source is a file: classes in notebooks change under one name."""
import hashlib
import types


def code_digest(cls):
    """Changes when a method of the class does, or of a class that it derives from, or a function, class or constant of
    their modules that these use by name. Comments and places in files do not count, modules that are imported neither."""
    digest = hashlib.sha256()
    _add(cls, cls.__module__, digest, {})
    return digest.hexdigest()


def _add(thing, module, digest, known):
    if id(thing) in known and not isinstance(thing, (int, float, str, bytes, type(None))):
        return digest.update(b"known")
    known[id(thing)] = thing  # which lives, so that no other has its id
    digest.update(type(thing).__name__.encode())
    if isinstance(thing, type):
        if thing.__module__ != module:
            return digest.update(f"{thing.__module__}.{thing.__qualname__}".encode())
        for part in (*thing.__bases__, *(vars(thing)[name] for name in sorted(vars(thing)) if name not in _NOT_CODE)):
            _add(part, module, digest, known)
    elif isinstance(thing, types.FunctionType):
        _add_function(thing, module, digest, known)
    elif isinstance(thing, (staticmethod, classmethod)):
        _add(thing.__func__, module, digest, known)
    elif isinstance(thing, property):
        for part in (thing.fget, thing.fset, thing.fdel):
            _add(part, module, digest, known)
    elif isinstance(thing, types.CodeType):
        digest.update(thing.co_code + repr(thing.co_names).encode())
        for part in thing.co_consts:
            _add(part, module, digest, known)
    elif isinstance(thing, (set, frozenset)):
        digest.update(repr(sorted(map(repr, thing))).encode())
    elif isinstance(thing, (list, tuple)):
        for part in thing:
            _add(part, module, digest, known)
    elif isinstance(thing, dict):
        for key, part in thing.items():
            digest.update(repr(key).encode())
            _add(part, module, digest, known)
    elif isinstance(thing, types.ModuleType):
        digest.update(thing.__name__.encode())
    elif isinstance(thing, (int, float, complex, str, bytes, type(None))):
        digest.update(repr(thing).encode())
    elif type(thing).__module__.startswith("zz.") and hasattr(thing, "__dict__"):  # settings and metrics of the class
        _add(vars(thing), module, digest, known)


_NOT_CODE = {"__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__", "__weakref__"}


def _add_function(function, module, digest, known):
    _add(function.__code__, module, digest, known)
    _add(function.__defaults__, module, digest, known)
    _add(function.__kwdefaults__, module, digest, known)
    if function.__module__ != module:
        return
    for cell in function.__closure__ or ():
        try:
            _add(cell.cell_contents, module, digest, known)
        except ValueError:  # not set yet
            digest.update(b"empty")
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            digest.update(name.encode())
            _add(function.__globals__[name], module, digest, known)


def _names(code):
    names = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            names |= _names(part)
    return names
