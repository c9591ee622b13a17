"""Runs pipelines."""

import logging
import os
import threading
import time

from zz import _zz, errors
from zz.class_code import code_of, why_nobody_finds
from zz.inputs import Inputs, _json, expect_paths, expect_threads
from zz.results import Result, Results
from zz.stage import Stage, _entry as _entry_of_stage

_log = logging.getLogger("zz")
_levels = {0: logging.DEBUG, 1: logging.DEBUG, 2: logging.INFO, 3: logging.WARNING, 4: logging.ERROR}
_told = set()  # the warnings that this process has given
_telling = threading.Lock()


def _warn(text):
    """Gives a warning, unless this process has given it before."""
    with _telling:
        known = text in _told
        _told.add(text)
    if not known:
        _log.warning("%s", text)


def _entry(inputs, entry):
    """A stage of a list as YAML has it: a name, or {name: settings}."""
    if isinstance(entry, Stage) or (isinstance(entry, type) and issubclass(entry, Stage)):
        cls = entry if isinstance(entry, type) else type(entry)
        code, unreadable = code_of(cls)
        if unreadable:
            inputs.unreadable[cls.__name__] = unreadable
        entry = _entry_of_stage(entry)
        inputs.files.setdefault(entry["PythonStage"]["file"], code.encode())
        return entry
    if not isinstance(entry, dict) or len(entry) != 1:
        return entry
    (name, settings), = entry.items()
    if not isinstance(settings, dict):
        return entry
    nested = {key: [_entry(inputs, one) for one in value] if key == "stages" and isinstance(value, list) else value
              for key, value in settings.items()}
    return {name: inputs.settings(nested)}


def _text_of(inputs, pipeline, parameters):
    """A pipeline as text; a list is one of stages. Takes those of the parameters that are no path into something."""
    if isinstance(pipeline, (list, tuple)):
        pipeline = {"stages": list(pipeline)}
    if not isinstance(pipeline, dict):
        raise TypeError(f"pipeline={pipeline!r}: expected a path, text, a dict or a list of stages")
    pipeline = {"version": 1, **pipeline}
    if isinstance(pipeline.get("stages"), (list, tuple)):
        pipeline["stages"] = [_entry(inputs, entry) for entry in pipeline["stages"]]
    own = pipeline.get("parameters") or {}
    if isinstance(own, dict):
        taken = {name: parameters.pop(name) for name in list(parameters) if "." not in name}
        pipeline["parameters"] = inputs.settings({**own, **taken})
    return _json(pipeline)


def _request(pipeline, parameters, plugins, plugin_paths, folder):
    """What the host is asked to run: a path or text, changes to it, plugins, and files in memory; and {name: type} of the
    classes of stages that use an object of that type, whose state cannot be read."""
    inputs = Inputs(folder)
    arguments = [name for name in parameters if "." not in name]
    parameters = dict(parameters)
    if isinstance(pipeline, (str, os.PathLike)) and "\n" not in os.fspath(pipeline):
        path, text = inputs.path(pipeline), None
    else:
        path = inputs.path("<pipeline>")
        text = pipeline if isinstance(pipeline, str) else _text_of(inputs, pipeline, parameters)
        inputs.files[path] = text.encode() if isinstance(pipeline, str) else text
    changes = [f"{name}={_json(inputs.setting(name.rpartition('.')[2], value))}" for name, value in parameters.items()]
    return {"path": path, "text": text, "set": changes, "plugins": [inputs.path(file) for file in plugins],
            "plugin_paths": [inputs.path(file) for file in plugin_paths], "arguments": arguments, "files": inputs.files}, inputs.unreadable


class Run:
    """A pipeline at work: an iterator of results, computed as they are asked for.

    Use it as a context manager, or call close(), to end it early. Another thread may call cancel() and progress().
    Relative paths count from `folder`; from the working folder when it is "". A process gives each warning once.
    `store` keeps the mappings of layers where no stage names another one.
    """

    def __init__(self, pipeline, parameters, *, threads=1, plugins=(), plugin_paths=(), log_level=logging.WARNING,
                 folder="", store=""):
        self._started = time.perf_counter()
        threads = expect_threads(threads)
        if not hasattr(log_level, "__index__"):
            raise TypeError(f"log_level={log_level!r}: expected a level of logging, as logging.INFO")
        expect_paths(plugins=plugins, plugin_paths=plugin_paths)
        level = min((number for number, known in _levels.items() if known >= log_level), default=5)
        request, self._unreadable = _request(pipeline, parameters, plugins, plugin_paths, folder)
        self._run = _zz.Run(**request, threads=threads, log_level=level, store=store)
        for problem in self._run.problems():
            _warn(problem["message"] + ("; " + problem["hint"] if problem["hint"] else ""))

    def __iter__(self):
        return self

    def __next__(self):
        try:
            pair = self._run.next()
        finally:
            self._tell()
        if pair is None:
            raise StopIteration
        return Result(*pair)

    def _tell(self):
        for level, text in self._run.messages():
            if _levels[level] == logging.WARNING:
                _warn(text)
            else:
                _log.log(_levels[level], "%s", text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the run. Results that were handed out stay."""
        self._run.close()
        self._tell()

    def key(self):
        """(under which key stores keep the point that it is, whether one result is all of the point). Reads its inputs."""
        for stage, unreadable in self._unreadable.items():
            _warn(f"{stage}: no later sweep finds its results in a store: {why_nobody_finds(unreadable)}")
        return self._run.key()

    def cancel(self):
        """Asks the run to end: its next result is zz.Cancelled, or the best that a search has found so far and then
        zz.Cancelled."""
        self._run.cancel()

    def progress(self):
        """(what it is at, share of the work that is done from 0 to 1)."""
        return self._run.progress()

    def counters(self):
        """{what was counted: how often}, as "mappings evaluated"."""
        return self._run.counters()

    def explain(self, format="text"):
        """Where each setting comes from and what each stage hands down: as "text", "json" or "yaml"."""
        return self._run.explanation(format)

    def files_read(self):
        """The absolute paths of all files that the run has read so far, plugins that it names included."""
        return self._run.files_read()

    @property
    def seconds(self):
        """Since the run began."""
        return time.perf_counter() - self._started


def iterate(pipeline, *, threads=1, plugins=(), plugin_paths=(), log_level=logging.WARNING, **parameters):
    """Runs a pipeline and yields its results as they come; arguments as for run()."""
    return Run(pipeline, parameters, threads=threads, plugins=plugins, plugin_paths=plugin_paths, log_level=log_level)


def _watch(run, tell, ended):
    while not ended.wait(0.2):
        tell(*run.progress())


def run(pipeline, *, threads=1, plugins=(), plugin_paths=(), log_level=logging.WARNING, progress=None, **parameters):
    """Runs a pipeline to its end and returns all its results.

    pipeline:     a path, the text of a pipeline file, a dict as such a file has it, or a list of stages.
    threads:      that the search may use; 0 for all of the machine. The figures do not depend on it.
    plugins:      files of plugins, as ``--plugin``; plugin_paths: folders of such.
    log_level:    from which level on messages reach the logger "zz".
    progress:     called five times a second with (what is being done, share from 0 to 1), on a thread of its own.
    parameters:   settings that take the place of those in the pipeline, as ``--set``; one that no stage reads is an
                  error. An input file may be a path, a dict or list as in YAML, YAML text with a line break, bytes of
                  an ONNX model, or an onnx.ModelProto.

    Energy is in pJ, time in cycles. Raises an exception of zz.errors; Ctrl-C ends the run.

    >>> results = zz.run("pipeline.yaml", accelerator={...}, workload="resnet18.onnx", loma_lpf_limit=6)
    >>> results.energy, results.latency
    """
    if progress is not None and not callable(progress):
        raise TypeError(f"progress={progress!r}: expected a function of what is being done and the share that is")
    current = Run(pipeline, parameters, threads=threads, plugins=plugins, plugin_paths=plugin_paths,
                  log_level=log_level)
    ended = threading.Event()
    watcher = None
    if progress is not None:
        watcher = threading.Thread(target=_watch, args=(current, progress, ended), daemon=True)
        watcher.start()
    try:
        results = list(current)
        nothing = None if results else current._run.no_result()
        seconds = current.seconds
        counters = current.counters()
    finally:
        ended.set()
        if watcher is not None:
            watcher.join()
        current.close()
    if not results:
        raise errors.NoResult(nothing)
    return Results(results, counters=counters, seconds=seconds)
