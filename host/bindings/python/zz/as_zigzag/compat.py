"""Whose figures scripts get."""

#: the first is what scripts get that do not choose; "none" are the figures of zz itself
VERSIONS = ("zigzag-3.8.5", "zigzag-3.9", "none")

_chosen = VERSIONS[0]


def choose(version):
    global _chosen
    if version not in VERSIONS:
        raise ValueError(f"compat is one of {', '.join(VERSIONS)}, not {version!r}")
    _chosen = version


def setting(several_cores=False):
    """The parameter `compat` of pipelines. Of Stream there is one version."""
    if _chosen == "none":
        return ""
    return "stream-0.0.8" if several_cores else _chosen
