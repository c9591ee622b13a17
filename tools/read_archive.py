#!/usr/bin/env python3
"""Reads the archives of zz (PickleSaveStage, DumpStage) from Python: see docs/reading-archives.md.

usage: read_archive.py ARCHIVE     print latency and energy of every result

Needs the protobuf package and zz_archive_pb2.py, which protoc makes from zz_archive.proto:

    protoc --proto_path=PREFIX/share/zz --python_out=. zz_archive.proto
"""
import gzip
import sys
import zlib

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
    """Yields (evaluation, extra) for each result. Memory does not grow with their number. Objects that a result refers to
    several times are one Python object: do not change them."""
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise ValueError(f"{path}: this is not an archive of zz")
        with gzip.open(file) as stream:
            yield from _results(stream, path)


def _results(stream, path):
    count, kind = 0, None
    for number, record in enumerate(_records(stream, path)):
        kind = record.WhichOneof("kind")
        if number == 0 and (kind != "header" or record.header.version > VERSION):
            raise ValueError(f"{path}: version {record.header.version} of the format is not known here")
        if kind == "result":
            count += 1
            objects = []
            for parts in record.result.objects:
                objects.append(_parts(parts, objects))
            yield _value(record.result.evaluation, objects), _value(record.result.extra, objects)
        elif kind == "closing" and record.closing.results != count:
            raise ValueError(f"{path}: {count} results, but there should be {record.closing.results}")
    if kind != "closing":
        raise ValueError(f"{path}: the archive was cut off after {count} results")


def _records(stream, path):
    try:
        while byte := stream.read(1):
            length, shift = byte[0] & 0x7F, 7
            while byte[0] & 0x80:
                byte = stream.read(1)
                length |= (byte[0] & 0x7F) << shift
                shift += 7
            yield zz_archive_pb2.Record.FromString(stream.read(length))
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path}: the archive was cut off or damaged: {error}") from None


def _value(wire, objects):
    kind = wire.WhichOneof("kind")
    if kind is None:
        return None
    content = getattr(wire, kind)
    if kind == "list":
        return [_value(item, objects) for item in content.items]
    if kind in ("integers", "numbers"):
        return list(content.items)
    if kind == "rows":
        width = len(content.keys)
        values = [_value(value, objects) for value in content.values]
        return [_made(content, values[first:first + width]) for first in range(0, len(values), width)]
    if kind == "parts":
        return _parts(content, objects)
    return objects[content] if kind == "object" else content


def _parts(wire, objects):
    return _made(wire, [_value(value, objects) for value in wire.values])


def _made(wire, values):
    if not wire.type:
        return dict(zip(wire.keys, values))
    made = Object(zip(wire.keys, values))
    made.zz_type = wire.type
    return made


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for evaluation, _ in results(sys.argv[1]):
        layer = evaluation.layer.name if evaluation.layer else "sum"
        print(f"{layer}: {evaluation.latency_total2} cycles, {evaluation.energy_total} pJ")


if __name__ == "__main__":
    main()
