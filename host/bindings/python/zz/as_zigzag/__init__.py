"""Runs scripts that were written for ZigZag or Stream, unchanged:

    python3 -m zz.as_zigzag script.py [arguments]

In notebooks, before the first import of zigzag:

    import zz.as_zigzag
    zz.as_zigzag.install()

`zigzag` and `stream` then are modules of this package, whether or not the real ones are installed. What they have, and which
arguments are errors, is in docs/zigzag-scripts.md.
"""

from zz.as_zigzag.import_hook import install, remove

__all__ = ["install", "remove"]
