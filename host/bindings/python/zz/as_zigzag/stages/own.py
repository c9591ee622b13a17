"""Stages that a script defines itself, as stages of zz."""

import contextlib
import functools
import inspect
import threading

import zz
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.stages.changes import change_of, value_of
from zz.as_zigzag.stages.results import answer_of, object_of, objects_in
from zz.as_zigzag.stages.stage import Stage

_at_work = threading.local()  # .lists: those of the MainStages that this thread is in


@contextlib.contextmanager
def at_work(stages, arguments):
    """While it is entered, stages of scripts that are made belong to this list."""
    lists = _at_work.__dict__.setdefault("lists", [])
    lists.append((stages, arguments))
    try:
        yield
    finally:
        lists.pop()


class _Below:
    """What `self.list_of_callables[0](self.list_of_callables[1:], **kwargs)` makes: the stages below."""

    def __init__(self, results):
        self._results = results

    def run(self):
        return map(answer_of, self._results)

    __iter__ = run


def _same(one, other):
    return one is other or type(one) is type(other) and bool(one == other)


class _Own(zz.Stage):
    theirs = place = None

    def prepare(self):
        stages, self._arguments = _at_work.lists[-1]
        self._rest = stages[self.place + 2:]

    def run(self, context):
        objects = objects_in(context)
        name = self.theirs.__name__

        def below(list_of_callables, **arguments):
            if list(list_of_callables) != self._rest:
                raise TypeError(f"{name} hands on another list of stages: on zz the list of MainStage holds")
            changes = {}
            for key, thing in arguments.items():
                if key in objects:
                    changes.update(change_of(key, thing, objects[key], object_of))
                elif key not in self._arguments or not _same(thing, self._arguments[key]):
                    raise TypeError(f"{name} hands on another '{key}': on zz the settings of a stage are those of MainStage, or "
                                    f"are changed in a sweep ({PAGE})")
            return _Below(self.substage(context, changes))

        stage = self.theirs([] if self.leaf else [below, *self._rest], **{**self._arguments, **objects})
        for evaluation, extra in stage.run():
            yield value_of(evaluation, object_of), value_of(extra, object_of)


@functools.cache
def stage_of(theirs, place, last):
    """A stage of zz for a class of a script at a place of the list."""
    if not inspect.isclass(theirs) or not issubclass(theirs, Stage):
        raise TypeError(f"zz has no stage for {getattr(theirs, '__name__', theirs)!r}")
    if theirs.name_in_pipelines is not None:
        raise TypeError(f"{theirs.__name__} is derived from a stage of ZigZag's, which cannot be extended on zz: derive it from "
                        "zigzag.stages.stage.Stage")
    return type(theirs.__name__, (_Own,), {"__doc__": f"{theirs.__name__}: of the script", "__module__": theirs.__module__,
                                           "theirs": theirs, "place": place, "leaf": last})


def arguments_of(theirs):
    """The arguments that a class of a script names: they are its own."""
    parameters = list(inspect.signature(theirs.__init__).parameters.values())[2:]
    return {one.name for one in parameters if one.kind is not inspect.Parameter.VAR_KEYWORD}
