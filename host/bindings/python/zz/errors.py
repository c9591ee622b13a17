"""What can go wrong: every exception of zz, each of which pickles."""


class Error(Exception):
    """The base of all exceptions of zz.

    diagnostics: list of dicts with severity, message, hint, file, line and column; empty where no file is at fault.
    stage:       which stage failed, with its plugin and place in the pipeline; "" where none did.
    """

    def __init__(self, message, diagnostics=(), stage=""):
        super().__init__(message)
        self.diagnostics = list(diagnostics)
        self.stage = stage

    def __reduce__(self):
        return (type(self), (self.args[0], self.diagnostics, self.stage))


class InputError(Error, ValueError):
    """The pipeline, a setting or an input file is wrong: the message says where and what is right."""


class PluginError(Error):
    """A plugin does not load."""


class NoResult(Error):
    """There is no result. Unless it is a NotFound, nothing legal exists: an infeasible point, with the reason."""


class NotFound(NoResult):
    """A search found nothing, and has not looked at everything: the message says what looks further."""


class StageError(Error):
    """A stage failed. An exception that a stage in Python raised is the cause (``__cause__``)."""


class Cancelled(Error):
    """The run was asked to stop."""


class TimedOut(Cancelled):
    """A point of a sweep took longer than the time limit."""


class WorkerLost(Error):
    """The process that computed a point of a sweep ended each time it was tried."""
