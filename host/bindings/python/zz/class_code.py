"""The code of a class as a digest, whether or not its source is a file: classes in notebooks change under one name."""
import copyreg
import functools
import hashlib
import sys
import threading
import types
import uuid
import weakref


def code_of(cls):
    """(digest, "") of the code of a class.

    The digest changes when a method of the class does, or of a class that it derives from, or a function, class or constant of
    their modules that these use by name. Constants count as they are now, with what is in them: what a run writes into one
    changes the digest. Comments and places in files do not count. Of what comes from other modules, classes and modules count by
    their names, functions by their own code and what they close over, but not by what they use in turn.

    Of an object whose state nobody can read (an open file, a generator) it cannot be known whether it is the same. A class with
    one has a new digest each time, and the type of that object in the place of "".
    """
    try:
        return _digest(cls), ""
    except _Unreadable as problem:
        return uuid.uuid4().hex, str(problem)


def why_nobody_finds(unreadable):
    """Why what a class has found is found by no later run, in words: code_of() has told the type of an object that it uses."""
    return f"the class uses an object of the type {unreadable}, and whether it is the same in another run cannot be read"


class _Unreadable(Exception):
    """With the name of the type whose state cannot be read."""


def _digest(cls):
    digest = hashlib.sha256()
    try:
        _add(cls, cls.__module__, digest, {})
    except RecursionError:
        raise _Unreadable("deeply nested objects") from None
    except _Unreadable:
        raise
    except Exception as problem:  # a stand-in for another object may fail at anything
        raise _Unreadable(type(problem).__name__) from problem
    return digest.hexdigest()


def _add(thing, module, digest, known):
    if type(thing) is bytes:  # without a copy, as arrays are large
        digest.update(b"bytes %d;" % len(thing))
        return digest.update(thing)
    if type(thing) in _PLAIN:
        return digest.update(f"{type(thing).__name__} {thing!r};".encode("utf-8", "surrogatepass"))
    if (id(thing), module) in known:
        return digest.update(b"known %d" % known[id(thing), module][0])
    known[id(thing), module] = (len(known), thing)  # which lives, so that no other has its id
    digest.update(type(thing).__name__.encode())
    if isinstance(thing, type):
        _add_class(thing, module, digest, known)
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
    elif type(thing) in (set, frozenset):
        digest.update(repr(sorted(_part_digest(part, module, known) for part in tuple(thing))).encode())
    elif type(thing) in (list, tuple):
        digest.update(b"%d" % len(thing))
        for part in tuple(thing):
            _add(part, module, digest, known)
    elif type(thing) in (dict, types.MappingProxyType):
        digest.update(b"%d" % len(thing))
        for key, part in tuple(thing.items()):  # others may change it meanwhile
            _add(key, module, digest, known)
            _add(part, module, digest, known)
    elif isinstance(thing, functools.cached_property):
        _add(thing.func, module, digest, known)
    elif type(thing) is functools._lru_cache_wrapper:
        # The function, too, but not where it was written, which the wrapper copies from it.
        _add({name: part for name, part in tuple(vars(thing).items()) if name not in functools.WRAPPER_ASSIGNMENTS}, module, digest, known)
    elif type(thing) in _WITHOUT_STATE or _is_cache_of_types(thing):
        pass  # on which no answer depends
    elif isinstance(thing, types.ModuleType):
        digest.update(thing.__name__.encode())
    elif type(thing) in _BY_NAME:
        digest.update(f"{getattr(thing, '__module__', '')}.{thing.__qualname__}".encode())
    else:
        _add_object(thing, module, digest, known)


_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented))

#: functions that C has, and how a class reaches what is in its objects
_BY_NAME = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
            types.GetSetDescriptorType, types.MemberDescriptorType)

#: locks
_WITHOUT_STATE = (type(threading.Lock()), type(threading.RLock()))

_NOT_CODE = {"__abstractmethods__", "__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__",
             "__weakref__", "_abc_impl"}

_OF_CODE = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_names", "co_varnames", "co_freevars",
            "co_cellvars")


def _is_cache_of_types(thing):
    """As functools.singledispatch has; a dict with other keys counts."""
    return type(thing) is weakref.WeakKeyDictionary and all(isinstance(key, type) for key in thing.keys())


def _part_digest(part, module, known):
    digest = hashlib.sha256()
    _add(part, module, digest, known if type(part) in _PLAIN else dict(known))
    return digest.hexdigest()


def _add_class(cls, module, digest, known):
    if cls.__module__ != module:
        return digest.update(f"{cls.__module__}.{cls.__qualname__}".encode())
    for base in (type(cls), *cls.__bases__):
        _add(base, _module_of_base(base, module), digest, known)
    for name in sorted(set(vars(cls)) - _NOT_CODE):
        digest.update(name.encode())
        _add(vars(cls)[name], module, digest, known)


def _module_of_base(base, module):
    """That of a base, so that its code counts, too; not of those of Python and zz."""
    own = base.__module__
    return module if own.partition(".")[0] in (*sys.stdlib_module_names, "zz") else own


def _add_function(function, module, digest, known):
    _add(function.__code__, module, digest, known)
    _add(function.__defaults__, module, digest, known)
    _add(function.__kwdefaults__, module, digest, known)
    _add(vars(function), module, digest, known)
    for cell in function.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # not set yet
            digest.update(b"empty")
        else:
            _add(content, module, digest, known)
    if function.__module__ != module:
        return digest.update(f"{function.__module__}.{function.__qualname__}".encode())
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


def _add_object(thing, module, digest, known):
    """Its class and its state: what it would be pickled as; where the class is one's own, all attributes, as it may leave
    some out there."""
    _add(type(thing), module, digest, known)
    if isinstance(thing, (set, frozenset)):  # which are pickled in the order of hashes
        _add([frozenset(thing), _attributes(thing)], module, digest, known)
        return
    try:
        reduce = copyreg.dispatch_table.get(type(thing))  # as pickle does
        reduced = reduce(thing) if reduce else thing.__reduce_ex__(4)
        if isinstance(reduced, str):  # the name of an object that there is once
            return digest.update(f"{getattr(thing, '__module__', '')}.{reduced}".encode())
        parts = [part if part is None or i < 3 else list(part) for i, part in enumerate(reduced)]
        is_own = type(thing).__module__.partition(".")[0] == module.partition(".")[0]
        attributes = _attributes(thing) if is_own else {}
        _add([parts, attributes], module, digest, known)
    except (_Unreadable, RecursionError):
        raise
    except Exception as problem:
        raise _Unreadable(type(thing).__qualname__) from problem


def _attributes(thing):
    found = dict(getattr(thing, "__dict__", {}))
    for cls in type(thing).__mro__:
        for name, member in vars(cls).items():
            if isinstance(member, types.MemberDescriptorType):  # of __slots__
                try:
                    found[f"{cls.__qualname__}.{name}"] = member.__get__(thing, type(thing))
                except AttributeError:  # not set yet
                    pass
    return found
