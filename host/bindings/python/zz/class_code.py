"""The code of a class as a digest, whether or not its source is a file: classes in notebooks change under one name."""
import functools
import hashlib
import sys
import types


def code_digest(cls):
    """Changes when a method of the class does, or of a class that it derives from, or a function, class or constant of
    their modules that these use by name. Constants are numbers, texts, and lists, tuples, sets and dicts of them as they
    are now: what a run writes into one changes the digest. Of other objects only the name of the type counts. Comments and
    places in files do not count, and what is imported from other modules by its name or own code alone."""
    digest = hashlib.sha256()
    _add(cls, cls.__module__, digest, {})
    return digest.hexdigest()


def _add(thing, module, digest, known):
    if id(thing) in known and not isinstance(thing, (int, float, str, bytes, type(None))):
        return digest.update(b"known %d" % known[id(thing)][0])
    known[id(thing)] = (len(known), thing)  # which lives, so that no other has its id
    digest.update(type(thing).__name__.encode())
    if isinstance(thing, type):
        if thing.__module__ != module:
            return digest.update(f"{thing.__module__}.{thing.__qualname__}".encode())
        for base in thing.__bases__:
            _add(base, _module_of_base(base, module), digest, known)
        for name in sorted(set(vars(thing)) - _NOT_CODE):
            digest.update(name.encode())
            _add(vars(thing)[name], module, digest, known)
    elif isinstance(thing, types.FunctionType):
        _add_function(thing, module, digest, known)
    elif isinstance(thing, (staticmethod, classmethod)):
        _add(thing.__func__, module, digest, known)
    elif isinstance(thing, property):
        for part in (thing.fget, thing.fset, thing.fdel):
            _add(part, module, digest, known)
    elif isinstance(thing, types.CodeType):
        digest.update(thing.co_code + getattr(thing, "co_exceptiontable", b""))
        digest.update(repr([getattr(thing, name) for name in _OF_CODE]).encode())
        for part in thing.co_consts:
            _add(part, module, digest, known)
    elif isinstance(thing, (set, frozenset)):
        digest.update(repr(sorted(map(repr, thing))).encode())
    elif isinstance(thing, (list, tuple)):
        for part in thing:
            _add(part, module, digest, known)
    elif isinstance(thing, dict):
        for key, part in tuple(thing.items()):  # others may change it meanwhile
            digest.update(repr(key).encode())
            _add(part, module, digest, known)
    elif isinstance(thing, functools.cached_property):
        _add(thing.func, module, digest, known)
    elif isinstance(thing, functools.partial):
        _add([thing.func, thing.args, thing.keywords], module, digest, known)
    elif isinstance(getattr(thing, "__wrapped__", None), types.FunctionType):  # functools.cache
        _add(thing.__wrapped__, module, digest, known)
    elif isinstance(thing, types.ModuleType):
        digest.update(thing.__name__.encode())
    elif isinstance(thing, (int, float, complex, str, bytes, type(None))):
        digest.update(repr(thing).encode())
    elif type(thing).__module__.startswith("zz.") and hasattr(thing, "__dict__"):  # settings and metrics of the class
        _add(vars(thing), module, digest, known)


_NOT_CODE = {"__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__", "__weakref__"}

_OF_CODE = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_names", "co_varnames", "co_freevars",
            "co_cellvars")


def _module_of_base(base, module):
    """That of a base, so that its code counts, too; not of those of Python and zz."""
    own = base.__module__
    return module if own.partition(".")[0] in (*sys.stdlib_module_names, "zz") else own


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
