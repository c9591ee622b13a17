"""The base of stages."""


class Stage:
    """A stage of ZigZag: an entry of a list for MainStage. Scripts derive their own ones from it."""

    #: what it is called in pipelines of zz; None for those of scripts
    name_in_pipelines = None

    def __init__(self, list_of_callables, **kwargs):
        if self.name_in_pipelines is not None:
            raise TypeError(f"{type(self).__name__} stands in a list for MainStage and is not made by itself on zz: "
                            "MainStage([..., " + type(self).__name__ + ", ...], ...).run()")
        if not list_of_callables and not self.is_leaf():
            raise ValueError(f"{type(self).__name__} is the last of the stages, but no leaf")
        self.list_of_callables = list_of_callables
        self.kwargs = kwargs

    def run(self):
        raise NotImplementedError(f"{type(self).__name__} has no method run(self)")

    def __iter__(self):
        return self.run()

    def is_leaf(self):
        return False
