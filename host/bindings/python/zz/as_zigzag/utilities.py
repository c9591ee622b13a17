"""What scripts take from zigzag.utils."""

import copy
import os
import pickle

from zz import _zz


def pickle_deepcopy(to_copy):
    try:
        return pickle.loads(pickle.dumps(to_copy, pickle.HIGHEST_PROTOCOL))
    except Exception:  # of things that do not pickle
        return copy.deepcopy(to_copy)


def pickle_save(to_save, path):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        pickle.dump(to_save, file, pickle.HIGHEST_PROTOCOL)


def pickle_load(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def open_yaml(path):
    with open(path, encoding="utf-8") as file:
        return _zz.read_yaml(os.fspath(path), file.read())
