"""The base of stages."""


class Stage:
    """A stage of ZigZag: an entry of a list for MainStage."""

    #: what it is called in pipelines of zz
    name_in_pipelines = None

    def __init__(self, *_, **__):
        raise TypeError(f"{type(self).__name__} stands in a list for MainStage and is not made by itself on zz: "
                        "MainStage([..., " + type(self).__name__ + ", ...], ...).run()")
