"""Whose figures scripts get."""

#: the first is what scripts get that do not choose; "none" are the figures of zz itself
VERSIONS = ("zigzag-3.8.5", "zigzag-3.9", "none")

_chosen = VERSIONS[0]


def choose(version):
    global _chosen
    if version not in VERSIONS:
        raise ValueError(f"compat is one of {', '.join(VERSIONS)}, not {version!r}")
    _chosen = version


def setting():
    """The parameter `compat` of pipelines."""
    return "" if _chosen == "none" else _chosen
