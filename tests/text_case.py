"""Runs text cases: small YAML files that say how to change the project in tests/inputs and what must come of it.

usage: text_case.py ZZ_HOST CASE.yaml... [--keep]

The inputs are copied to a temporary folder, changed as the case says, and the host is run there.

  summary:   what the case shows
  replace:   {file: {old: new}}      each old text must be there exactly once
  files:     {file: text}            written as they are
  remove:    [file]
  copy:      {file: path in the source tree}
  truncate:  {file: bytes kept}
  onnx:      {file: model as protobuf text}
  without:   [plugin file]           run a copy of the installation that lacks these plugin files
  run:       command line, default [pipeline.yaml]
  env:       {variable: value}
  exit:      exit code, default 0
  stderr, stdout:          regular expressions, each must be found; <file|text> stands for file:line:column of that text
  not_stderr, not_stdout:  regular expressions, none may be found
  creates:   [glob]                  the files that must exist afterwards; others may not appear
  figures:   {file: {dotted.path: value}}    in JSON files; numbers to 1e-9
"""
import argparse
import fnmatch
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent
KEYS = {"summary", "replace", "files", "remove", "copy", "truncate", "onnx", "without", "run", "env", "exit", "stderr",
        "stdout", "not_stderr", "not_stdout", "creates", "figures"}


def load(text):
    """What YAML says, read in a tenth of the time where there is a reader in C."""
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def dump(document):
    """The document as YAML, keys in their order, written as fast as it is read."""
    return yaml.dump(document, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False)


def prepare(case, folder):
    """Fills the folder with the inputs of the case."""
    for path in (SOURCE / "tests/inputs").iterdir():
        shutil.copy(path, folder)
    for name, path in case.get("copy", {}).items():
        shutil.copy(SOURCE / path, folder / name)
    for name, text in case.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name, changes in case.get("replace", {}).items():
        text = (folder / name).read_text()
        for old, new in changes.items():
            if text.count(old) != 1:
                raise ValueError(f"'{old}' is {text.count(old)} times in {name}, not once")
            text = text.replace(old, new)
        (folder / name).write_text(text)
    for name in case.get("remove", []):
        (folder / name).unlink()
    for name, text in case.get("onnx", {}).items():
        proto = pathlib.Path("/usr/include/onnx")
        model = subprocess.run(["protoc", "--encode=onnx.ModelProto", f"-I{proto}", str(proto / "onnx.proto")],
                               input=text.encode(), capture_output=True)
        if model.returncode:
            raise ValueError(f"{name}: {model.stderr.decode()}")
        (folder / name).write_bytes(model.stdout)
    for name, size in case.get("truncate", {}).items():
        (folder / name).write_bytes((folder / name).read_bytes()[:size])


def installation_without(host, missing, folder):
    """A copy of the tree around the host without some plugin files; returns the host in it."""
    tree = host.parent.parent
    (folder / "bin").mkdir(parents=True)
    shutil.copy(host, folder / "bin")
    plugins = next((tree / "lib").glob("**/zz/plugins-*"))
    copied = folder / plugins.relative_to(tree)
    copied.mkdir(parents=True)
    found = set()
    for path in plugins.iterdir():
        if path.name in missing:
            found.add(path.name)
        else:
            (copied / path.name).symlink_to(path)
    if found != set(missing):
        raise ValueError(f"no such plugin file: {sorted(set(missing) - found)}; there are {sorted(os.listdir(plugins))}")
    for path in plugins.parent.parent.glob("lib*.so*"):
        # The host's library looks for the plugins beside itself, wherever a link to it is.
        place = shutil.copy if path.name.startswith("libzz-host") else os.symlink
        place(path, folder / path.relative_to(tree))
    return folder / "bin" / host.name


def with_places(pattern, folder):
    """Replaces <file|text> by the place of the text in the file."""
    def place(match):
        text = (folder / match[1]).read_text()
        if match[2] not in text:
            raise ValueError(f"'{match[2]}' is not in {match[1]}")
        before = text[:text.index(match[2])]
        column = len(before) - (before.rfind("\n") + 1) + 1
        return re.escape(f"{match[1]}:{before.count(chr(10)) + 1}:{column}:")
    return re.sub(r"<([^<>|]+)\|([^<>]+)>", place, pattern)


def at(document, path):
    for part in path.split("."):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def equal(a, b):
    number = lambda x: isinstance(x, (int, float)) and not isinstance(x, bool)
    return math.isclose(a, b, rel_tol=1e-9) if number(a) and number(b) else a == b


def check(case, folder, before, result):
    """The list of all that is not as the case says."""
    wrong = []
    expected = case.get("exit", 0)
    if result.returncode != expected:
        wrong.append(f"exit code {result.returncode}, expected {expected}")
    if expected and not result.stderr.strip():
        wrong.append("it failed without a word on stderr")
    for stream in ("stderr", "stdout"):
        text = getattr(result, stream)
        for pattern in case.get(stream, []):
            if not re.search(with_places(pattern, folder), text, re.MULTILINE):
                wrong.append(f"not on {stream}: {with_places(pattern, folder)}")
        for pattern in case.get("not_" + stream, []):
            if re.search(pattern, text, re.MULTILINE):
                wrong.append(f"must not be on {stream}: {pattern}")
    new = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and p not in before)
    wanted = case.get("creates")
    if wanted is None and expected:
        wanted = []
    if wanted is not None:
        wrong += [f"not written: {g}" for g in wanted if not fnmatch.filter(new, g)]
        wrong += [f"left behind: {f}" for f in new if not any(fnmatch.fnmatch(f, g) for g in wanted)]
    for name, figures in case.get("figures", {}).items():
        if not (folder / name).exists():
            wrong.append(f"not written: {name}")
            continue
        document = json.loads((folder / name).read_text())
        for path, value in figures.items():
            try:
                got = at(document, path)
            except (KeyError, IndexError, TypeError) as error:
                wrong.append(f"{name}: no {path} ({error!r})")
                continue
            if not equal(got, value):
                wrong.append(f"{name}: {path} is {got}, expected {value}")
    return wrong


def run(host, path, keep):
    """Prints what is wrong; whether nothing is."""
    case = load(path.read_text())
    unknown = set(case) - KEYS
    if unknown:
        sys.exit(f"{path}: unknown keys {sorted(unknown)}")

    top = pathlib.Path(tempfile.mkdtemp(prefix="zz-case-"))
    folder = top / "run"
    folder.mkdir()
    try:
        prepare(case, folder)
        if "without" in case:
            host = installation_without(host, case["without"], top / "tree")
        before = set(folder.rglob("*"))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ZZ_")}
        environment.update({k: str(v).replace("{folder}", str(folder)) for k, v in case.get("env", {}).items()})
        result = subprocess.run([host, *map(str, case.get("run", ["pipeline.yaml"]))], cwd=folder, env=environment,
                                capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        wrong = check(case, folder, before, result)
        if wrong:
            print(f"{path}: {case['summary']}\n  " + "\n  ".join(wrong))
            print(f"--- stdout\n{result.stdout}--- stderr\n{result.stderr}")
        return not wrong
    finally:
        if keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(top)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host", type=pathlib.Path)
    parser.add_argument("cases", type=pathlib.Path, nargs="+")
    parser.add_argument("--keep", action="store_true", help="leave the folder of each run and name it")
    arguments = parser.parse_args()
    host = arguments.host.resolve()
    failed = [path.stem for path in arguments.cases if not run(host, path, arguments.keep)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
