"""Objects as JSON has them."""


def json_repr_handler(obj, simple=False):
    """Texts, numbers, lists and dicts for an object: what its `__jsonrepr__` or `__simplejsonrepr__` tells."""
    if obj is None or isinstance(obj, (bool, int, float)) or type(obj) is str:
        return obj
    method = getattr(obj, "__simplejsonrepr__" if simple else "__jsonrepr__", None)
    if method is not None:
        return method()
    if isinstance(obj, str):
        return str(obj)
    if isinstance(obj, dict):
        return {json_repr_handler(key, simple): json_repr_handler(value, simple) for key, value in obj.items()}
    if isinstance(obj, (list, tuple, set)):
        return [json_repr_handler(item, simple) for item in obj]
    if hasattr(obj, "tolist"):  # of numpy
        return obj.tolist()
    raise TypeError(f"{type(obj).__name__} has no {'__simplejsonrepr__' if simple else '__jsonrepr__'}()")
