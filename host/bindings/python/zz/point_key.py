"""Under which key a store keeps a point: the host's key of what its figures follow from, input files apart."""

import hashlib
import inspect
import marshal

from zz import _zz, stage
from zz.inputs import _json
from zz.pipelines import _request


def _source(cls):
    """What a stage and the stages that it is derived from do; of what they use, nothing."""
    return "\n".join(_own_source(one) for one in cls.__mro__ if one not in (stage.Stage, object))


def _own_source(cls):
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # typed in at a prompt
        parts = {name: vars(part) if isinstance(part, stage.Setting) else getattr(part, "__code__", part)
                 for name, part in vars(cls).items() if name != "__module__"}
        return repr([(name, marshal.dumps(part) if inspect.iscode(part) else part) for name, part in parts.items()])


def key_of(folder, pipeline, parameters, options):
    """Relative paths count from `folder`. Threads and messages make no difference."""
    request = _request(pipeline, parameters, options.get("plugins", ()), options.get("plugin_paths", ()), folder)
    request.pop("arguments")  # they are in the text, or among the changes
    files = request["files"]
    text = request["text"] or ""
    files.pop(request["path"], None)
    if text and not isinstance(pipeline, str):
        request["path"] = ""
    for cls, name in list(stage._named.items()):  # numbered as this process came to know them
        if name in files:
            text = text.replace(name, cls.__name__)
            files[name] = _source(cls).encode()
    request["text"] = text
    request["files"] = sorted((name, hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()) for name, content in files.items())
    request["set"].sort()
    return _zz.content_key([b"run", _json(request).encode()])
