#!/usr/bin/env python3
"""Reads the archives of zz (PickleSaveStage, DumpStage) from Python: see docs/reading-archives.md.

usage: read_archive.py ARCHIVE     print latency and energy of every result

Needs the protobuf package and zz_archive_pb2.py, which protoc makes from zz_archive.proto:

    protoc --proto_path=PREFIX/share/zz --python_out=. zz_archive.proto
"""
import sys

import zz_archive_pb2

MAGIC = b"\x89ZZA\r\n\x1a\n"
VERSION = 1


class Object(dict):
    """An object of zz: a dict of its fields, which can be read as attributes, too, with its type's name."""
    zz_type = ""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{self.zz_type} has no {name!r}") from None


def results(path):
    """Yields (evaluation, extra) for each result. Memory does not grow with their number. Objects that several results
    have in common, such as the accelerator, are one Python object: do not change them."""
    with open(path, "rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise ValueError(f"{path}: this is not an archive of zz")
        shapes, stored, count = [], {}, 0
        for number, record in enumerate(_records(stream, path)):
            kind = record.WhichOneof("kind")
            if number == 0 and (kind != "header" or record.header.version > VERSION):
                raise ValueError(f"{path}: version {record.header.version} of the format is not known here")
            if kind == "shape":
                shapes.append(record.shape)
            elif kind == "result":
                count += 1
                # One after the other: the second may refer to objects of the first.
                evaluation = _value(record.result.evaluation, shapes, stored)
                extra = _value(record.result.extra, shapes, stored)
                yield evaluation, extra
            elif kind == "closing":
                if record.closing.results != count:
                    raise ValueError(f"{path}: {count} results, but there should be {record.closing.results}")
                return
        raise ValueError(f"{path}: the archive was cut off after {count} results")


def _records(stream, path):
    while True:
        length, shift = 0, 0
        while True:
            byte = stream.read(1)
            if not byte:
                return
            length |= (byte[0] & 0x7F) << shift
            shift += 7
            if not byte[0] & 0x80:
                break
        record = stream.read(length)
        if len(record) < length:
            return
        yield zz_archive_pb2.Record.FromString(record)


def _value(wire, shapes, stored):
    kind = wire.WhichOneof("kind")
    if kind is None:
        value = None
    elif kind == "list":
        value = [_value(item, shapes, stored) for item in wire.list.items]
    elif kind in ("integers", "numbers"):
        value = list(getattr(wire, kind).items)
    elif kind == "parts":
        value = _parts(wire.parts, shapes, stored)
    elif kind == "stored":
        value = stored[wire.stored]
    else:
        value = getattr(wire, kind)
    if wire.HasField("store"):
        stored[wire.store] = value
    return value


def _parts(wire, shapes, stored):
    shape = shapes[wire.shape - 1] if wire.shape else None
    keys = shape.keys if shape else wire.keys
    values = [_value(value, shapes, stored) for value in wire.values]
    if shape and shape.type:
        made = Object(zip(keys, values))
        made.zz_type = shape.type
        return made
    return dict(zip(keys, values))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for evaluation, _ in results(sys.argv[1]):
        layer = evaluation.layer.name if evaluation.layer else "sum"
        print(f"{layer}: {evaluation.latency_total2} cycles, {evaluation.energy_total} pJ")


if __name__ == "__main__":
    main()
