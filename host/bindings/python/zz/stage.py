"""Stages in Python: write a class, name it in a pipeline.

    class OnlyFast(zz.Stage):
        '''Passes on the results that are fast enough.'''

        most_cycles = zz.Setting(1e9, "the largest latency that is passed on", unit="cycles", allowed="(0, inf]")

        def run(self, context):
            for evaluation, extra in self.substage(context):
                if evaluation.latency_total <= self.most_cycles:
                    yield evaluation, extra

In a pipeline: ``- PythonStage: {file: my_stages.py, stage: OnlyFast, most_cycles: 1e6}``. In Python: ``OnlyFast(most_cycles=1e6)``
in the list of stages.
"""

import importlib.util
import inspect
import itertools
import json
import os
import re
import sys
import threading
import traceback

from zz import _zz
from zz.class_code import code_of, why_nobody_finds
from zz.inputs import _json, expect

# Kinds and flags of stage_abi.h.
_KINDS = {bool: 2, int: 3, float: 4, str: 5, list: 6, dict: 7, tuple: 6}
_NAMES_OF_KINDS = {"any": 1, "bool": 2, "int": 3, "float": 4, "str": 5, "list": 6, "map": 7}
_REQUIRED, _INPUT_PATH, _OPTIONAL = 1, 2, 8
_LEAF, _PARALLEL, _DETERMINISTIC, _REDUCES, _FORWARDS = 1, 2, 4, 8, 16

_MISSING = object()


class Setting:
    """A setting of a stage in Python, as an attribute of its class.

    default: its type is that of the setting; a type itself (`float`) makes a setting that must be given.
    doc:     one sentence.
    allowed: "energy|latency", "[1, 64]", "(0, inf]"; None when free.
    unit:    "cycles", "pJ"; None when it has none.
    path:    True for a file that is read: its path counts from the pipeline file.
    """

    def __init__(self, default, doc="", *, allowed=None, unit=None, path=False):
        expect(doc=(doc, str, "a sentence"), allowed=(allowed, str, 'a text as "[1, 64]"'), unit=(unit, str, 'a text as "pJ"'))
        self.default, self.doc, self.allowed, self.unit, self.path = default, doc, allowed, unit, path

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, stage, owner=None):
        if stage is None:
            return self
        return stage.__dict__.get(self.name, None if isinstance(self.default, type) else self.default)

    def _described(self, owner):
        required = isinstance(self.default, type)
        kind = _KINDS.get(self.default if required else type(self.default))
        if self.default is None:
            kind = _NAMES_OF_KINDS["any"]
        if kind is None:
            raise TypeError(f"the setting '{self.name}' of {owner.__name__} has a default of type "
                            f"{type(self.default).__name__}; expected bool, int, float, str, list, dict or None")
        return {"name": self.name, "kind": kind, "unit": self.unit, "allowed": self.allowed, "doc": self.doc,
                "flags": (_REQUIRED if required else 0) | (_INPUT_PATH if self.path else 0),
                "default": None if required or self.default is None else _json(self.default, 0)}


class Metric:
    """A figure that a stage in Python adds to evaluations.

    doc:    one sentence.
    unit:   "g", "pJ"; None when it has none.
    sum:    that of several layers: "add", the "largest", or "none".
    column: True for a column of the table at the end of a run.
    """

    _SUMS = {"add": 0, "largest": 1, "none": 2}

    def __init__(self, doc="", *, unit=None, sum="add", column=False):
        if sum not in self._SUMS:
            raise ValueError(f"the sum of a metric is add, largest or none, but found {sum!r}")
        expect(doc=(doc, str, "a sentence"), unit=(unit, str, 'a text as "pJ"'))
        self.doc, self.unit, self.sum, self.column = doc, unit, sum, column

    def _described(self, name):
        return {"name": name, "sum": self._SUMS[self.sum], "flags": 1 if self.column else 0, "unit": self.unit,
                "doc": self.doc}


class Stage:
    """The base of stages in Python; see the head of zz.stage. A subclass has a docstring, settings, `run`, and may have

    consumes, provides: {context key: type}, of the types of docs/values.md ("layer", "accelerator", ...) or "any",
                        "int", "float", "str", "bool", "list", "map"; a key that ends with "?" may be missing.
    metrics:            {name: zz.Metric("what it is", unit="g", column=True)}: figures that it adds to evaluations.
    writes:             other figures that it changes there.
    leaf:               True for the last stage of a pipeline.
    deterministic:      True when the same context and settings always give the same results in the same order.
    reduces:            True when it yields one result for all that come from below.
    forwards:           True when it yields what comes from below, each result once, in order and but for `writes` unchanged,
                        and does nothing with single results that anyone can see: a changed context, say. Results that
                        nobody above needs then are never made.
    parallel:           True when `run` may be called from several threads at once: it only reads what `self` has.
    prepare(self):      called once when the settings are set; raise ValueError to refuse them.
    demand(self):       (how many, [metrics]): which results a reducer keeps, so that searches need not hand up others.
    limits(self):       {metric: at most}: which results it hands up, each once and in order, likewise.
    """

    consumes = {}
    provides = {}
    metrics = {}
    writes = ()
    leaf = deterministic = reduces = forwards = parallel = False

    def __init__(self, **settings):
        known = {name for name, value in inspect.getmembers(type(self)) if isinstance(value, Setting)}
        for name, value in settings.items():
            if name not in known:
                raise TypeError(f"{type(self).__name__} has no setting '{name}'; it has {', '.join(sorted(known))}")
            self.__dict__[name] = value
        self._settings = settings
        self._place = None
        self._code = self._unreadable = ""

    def run(self, context):
        """Yields (evaluation, extra) pairs for a context, whose keys are attributes and items."""
        raise NotImplementedError(f"{type(self).__name__} has no method run(self, context)")

    def substage(self, context, parts=None, **keys):
        """The results of the chain below, over the context with other keys: an iterator of (evaluation, extra).

        ``self.substage(context, layer=other)``, or paths: ``self.substage(context, {"accelerator.memories[l1].size": 1024})``.
        """
        if not isinstance(context, _zz.Value):
            raise TypeError(f"the chain below is run over a context, the one that `run` got or one made of it, but found "
                            f"{_short(context)}")
        if parts or keys:
            context = context.changed(parts or {}, **keys)
        return _zz.Substage(self._place, context, 32 if self.reduces else 1)

    def log(self, text, level="info"):
        """A line on standard error, with the name of the stage in front: "debug", "info", "warning" or "error"."""
        levels = {"debug": 1, "info": 2, "warning": 3, "error": 4}
        if level not in levels:
            raise ValueError(f"level={_short(level)}: expected {', '.join(levels)}")
        self._place.log(levels[level], str(text))

    def count(self, what, amount=1):
        """Adds to a counter of the run's summary."""
        if not isinstance(amount, int) or amount < 0:
            raise TypeError(f"a counter counts in whole numbers from 0, but found {_short(amount)}")
        self._place.count(str(what), amount)

    def text(self, path):
        """All that is in a file of UTF-8, as a str.

        A file that a program brought in memory is read from there. More than 256 MiB, a folder, a pipe or a device is an
        InputError. The path of a setting with `path=True` counts from the pipeline file, any other from the working directory.
        """
        return self._place.read_whole(os.fspath(path), True)

    def bytes(self, path):
        """The same for a file of any bytes, of at most 2 GiB."""
        return self._place.read_whole(os.fspath(path), False)

    def find_answer(self, question, store=""):
        """What a stage of this class has kept under an equal question, a dict of all that decides the answer, or None.

        Looked for in this run, and in the store: a file or a URL. What comes from a store is input: check it. Answers are
        those of the code and constants that the class had when the stage was made: a cell of a notebook that runs again
        finds its answers, a changed one has others. Of a class that uses an object whose state cannot be read, as an open
        file, a store has no answers; a warning says so.
        """
        return self._place.find_answer(self._own(question), self._store(store))

    def keep_answer(self, question, answer, store=""):
        """Keeps numbers, texts, lists and dicts for find_answer(); objects within become dicts."""
        self._place.keep_answer(self._own(question), answer, self._store(store))

    def _own(self, question):
        """The question with the code that answers it, as it was when the stage was made."""
        if not isinstance(question, dict):
            raise TypeError(f"a question is a dict of all that decides its answer, but found {_short(question)}")
        return {"question": dict(question), "code": self._code}

    def _store(self, store):
        """The store, unless nobody could find an answer there again."""
        if not store or not self._unreadable:
            return os.fspath(store)
        self.log(f"answers are kept for this run alone: {why_nobody_finds(self._unreadable)}", "warning")
        return ""

    def scorer(self, context, metrics):
        """Scores loop orders by the chain below without a result of each; see Scorer."""
        return Scorer(self._place, context, list(metrics))

    def take_interruption(self):
        """For a search that was interrupted and yields the best that it has: the run goes on to its end with it."""
        self._place.take_interruption()

    @property
    def cancelled(self):
        """True once the run was asked to stop."""
        return self._place.cancelled()


class Scorer:
    """Figures of many temporal mappings over one context, none of which becomes a value: made by Stage.scorer().

    An order is a list of (dimension, iterations), innermost first: [("C", 8), ("K", 4)]. With `cuts`, {operand: [loops that
    its memories hold, from the lowest up]}, it is that mapping; else the host shares the loops out over the memories.
    """

    def __init__(self, place, context, metrics):
        self._scorer = _zz._OrderScorer(place, context, metrics)
        self._dimensions = {loop.name: i for i, loop in enumerate(context["layer"].loops)}
        self._operands = [operand.name for operand in context["layer"].operands]

    def score(self, orders, *, cuts=None, even=False):
        """For each order the figures in the order of the metrics, as a tuple; None where it does not fit into the memories.

        `cuts`: those of each order.
        """
        orders = list(orders)
        return self._scorer.score([self._numbers(order, cut, even)
                                   for order, cut in zip(orders, cuts or [None] * len(orders), strict=True)])

    def mapping(self, order, *, cuts=None, even=False):
        """The temporal mapping that the order is, to be handed down."""
        return self._scorer.mapping(self._numbers(order, cuts, even))

    def _numbers(self, order, cuts, even):
        try:
            dimensions = [self._dimensions[name] for name, _ in order]
        except KeyError as missing:
            raise ValueError(f"the layer has no loop {missing}; its loops are {', '.join(self._dimensions)}") from None
        rows = [list(cuts[operand]) for operand in self._operands] if cuts else []
        levels = max(map(len, rows), default=0)
        flat = [cut for row in rows for cut in row + [0] * (levels - len(row))]
        return dimensions, [size for _, size in order], flat, levels, even


def _short(thing):
    words = repr(thing)
    return words if len(words) <= 60 else words[:57] + "..."


def point(settings, result):
    """A result of a stage that varies something, with what it varied: ``yield zz.point({"size": size}, result)``.

    Tables show "with size = 4096" and the layers and total within.
    """
    expect(settings=(settings, dict, "what was varied, with its values"), result=(result, (tuple, list), "(evaluation, extra)"))
    evaluation, extra = result
    return evaluation, {"settings": dict(settings), "extra": extra}


_lock = threading.Lock()
_numbers = itertools.count(1)
_classes = {}  # (file, name of the stage) -> class
_named = {}  # class -> its file in pipelines


def _is_stage(thing):
    return isinstance(thing, type) and issubclass(thing, Stage) and thing is not Stage


def _port(key, type_name):
    flags = _OPTIONAL if key.endswith("?") else 0
    kind = _NAMES_OF_KINDS.get(type_name)
    return {"key": key.rstrip("?"), "kind": 8 if kind is None else kind, "flags": flags,
            "type": type_name if kind is None else None, "doc": ""}


def _described(cls, file):
    """A class as the tables of the boundary have it."""
    document = inspect.getdoc(cls)
    if not cls.__doc__ or not document:
        raise TypeError(f"the stage {cls.__name__} has no docstring: its first line says what it does")
    if cls.run is Stage.run:
        raise TypeError(f"the stage {cls.__name__} has no method run(self, context)")
    _check_tables(cls)
    flags = sum(flag for flag, wanted in ((_LEAF, cls.leaf), (_PARALLEL, cls.parallel),
                                          (_DETERMINISTIC, cls.deterministic), (_REDUCES, cls.reduces),
                                          (_FORWARDS, cls.forwards)) if wanted)
    for name in ("file", "stage"):
        if isinstance(getattr(cls, name, None), Setting):
            raise TypeError(f"the setting '{name}' of {cls.__name__} needs another name: PythonStage has it for the class itself")
    settings = [value._described(cls) for _, value in inspect.getmembers(cls) if isinstance(value, Setting)]
    where = [{"name": name, "kind": 5, "flags": flags_of_it, "default": json.dumps(value), "allowed": None, "unit": None,
              "doc": doc}
             for name, flags_of_it, value, doc in (("file", _INPUT_PATH, file, "the file with the class"),
                                                   ("stage", 0, cls.__name__, "the class"))]
    origin = os.path.splitext(os.path.basename(file))[0] if os.path.exists(file) else cls.__module__
    return {"name": cls.__name__, "id": f"python.{origin}.{cls.__qualname__}",
            "summary": document.partition("\n")[0].rstrip("."), "doc": document, "flags": flags,
            "settings": where + settings, "writes": list(cls.writes),
            "metrics": [metric._described(name) for name, metric in cls.metrics.items()],
            "consumes": [_port(key, kind) for key, kind in cls.consumes.items()],
            "provides": [_port(key, kind) for key, kind in cls.provides.items()]}


def _check_tables(cls):
    """Declarations beside the settings are of the types that help(zz.Stage) has."""
    def refuse(name, expected, found):
        raise TypeError(f"'{name}' of {cls.__name__} is {_short(found)}; expected {expected}")

    for name in ("consumes", "provides"):
        table = getattr(cls, name)
        if not isinstance(table, dict) or not all(isinstance(part, str) for row in table.items() for part in row):
            refuse(name, 'a dict of keys of the context and their types, as {"layer": "layer"}', table)
    if not isinstance(cls.metrics, dict) or not all(isinstance(metric, Metric) for metric in cls.metrics.values()):
        refuse("metrics", 'a dict of names and zz.Metric, as {"carbon": zz.Metric("of the energy", unit="g")}', cls.metrics)
    if not isinstance(cls.writes, (list, tuple)) or not all(isinstance(name, str) for name in cls.writes):
        refuse("writes", 'a list of figures, as ["energy_total"]', cls.writes)


def _says(stage, name):
    """Whether a stage has a method of this name by which it makes a claim."""
    return callable(getattr(stage, name, None))


def _check_claims(stage):
    """Claims of a stage about its results, which the host asks for by itself. A setting of that name says nothing."""
    name = type(stage).__name__
    if _says(stage, "demand"):
        stated = stage.demand()
        if (not isinstance(stated, (tuple, list)) or len(stated) != 2 or not hasattr(stated[0], "__index__") or stated[0] < 0
                or not isinstance(stated[1], (list, tuple, set)) or not all(isinstance(metric, str) for metric in stated[1])):
            raise TypeError(f"{name}.demand() returned {_short(stated)}; expected how many and by which figures, as "
                            '(1, ["energy_total"])')
    if _says(stage, "limits"):
        stated = stage.limits()
        if not isinstance(stated, dict) or not all(isinstance(metric, str) and hasattr(most, "__float__")
                                                   for metric, most in stated.items()):
            raise TypeError(f'{name}.limits() returned {_short(stated)}; expected figures with the most of each, as '
                            '{"latency_total2": 1e6}')


def _classes_in(file):
    """The stages that a file of Python defines."""
    if not os.path.exists(file):
        raise FileNotFoundError(f"there is no file '{file}'")
    name = "zz_stages_" + re.sub(r"\W", "_", os.path.abspath(file))
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = os.path.dirname(os.path.abspath(file))
    sys.path.insert(0, folder)  # the file may import its neighbours, as a script may
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    found = [thing for thing in vars(module).values() if _is_stage(thing) and thing.__module__ == name]
    if not found:
        raise TypeError(f"'{file}' defines no stage: a stage is a class derived from zz.Stage")
    return found


def _load(file):
    """Called by the host: the stages of a file, described."""
    with _lock:
        known = [cls for cls, name in _named.items() if name == file]
        found = known or _classes_in(file)
        described = [_described(cls, file) for cls in found]
        for cls in found:
            _classes[file, cls.__name__] = cls
    return described


def _create(settings, place):
    """Called by the host: a stage at a place in a pipeline."""
    cls = _classes[settings.pop("file"), settings.pop("stage")]
    stage = cls.__new__(cls)
    Stage.__init__(stage, **settings)
    stage._place = place
    stage._code, stage._unreadable = code_of(cls)
    if hasattr(stage, "prepare"):
        try:
            stage.prepare()
        except ValueError as problem:
            from zz.errors import InputError
            raise InputError(str(problem)) from problem
    _check_claims(stage)
    return stage


def _entry(stage):
    """The entry of a pipeline for a class, or an object of one."""
    cls = stage if isinstance(stage, type) else type(stage)
    with _lock:
        if cls not in _named:
            _named[cls] = f"<{cls.__name__} {next(_numbers)}>.py"
    settings = {} if isinstance(stage, type) else stage._settings
    return {"PythonStage": {"file": _named[cls], "stage": cls.__name__, **settings}}


def _exception_text(exception, trace):
    """Called by the host: "my_stages.py:12: ValueError: what it says", the line being the innermost of user code."""
    if isinstance(exception, SyntaxError) and exception.filename:
        return f"{exception.filename}:{exception.lineno}: {type(exception).__name__}: {exception.msg}"
    own = os.path.dirname(os.path.abspath(__file__))
    frames = [frame for frame in traceback.extract_tb(trace)
              if os.path.dirname(os.path.abspath(frame.filename)) != own and not frame.filename.startswith("<frozen")]
    where = f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""
    code = f" (in {frames[-1].name}: {frames[-1].line})" if frames and frames[-1].line else ""
    try:
        words = _in_own_words(str(exception))
    except Exception:
        words = "it cannot say what"
    # Names of files may have bytes that are no text.
    return f"{where}{type(exception).__name__}: {words}{code}".encode("utf-8", "backslashreplace").decode()


def _in_own_words(text):
    """What the binding to C++ says of a wrong argument, without the words of that library."""
    wrong = re.match(r"(\w+)\(\): incompatible (?:function|constructor) arguments\..*Invoked with: (.*)", text, re.DOTALL)
    if wrong:
        given = re.sub(r"^<zz[ .][^>]*>(?:, )?", "", wrong[2].strip())
        return f"{wrong[1].strip('_')}() does not take {given or 'nothing'}"
    cast = re.match(r"Unable to cast Python instance(?: of type <class '([\w.]+)'>)? to C\+\+ type", text)
    return f"{_zz.UNEXPECTED_VALUE}{f', of type {cast[1]}' if cast[1] else ''}" if cast else text
