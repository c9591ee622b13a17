"""What can be checked about a listing without running the page: that it is the file it claims to be, is run by the page, or
is a pipeline that the host accepts."""
import functools
import json
import re
import subprocess

import yaml

COMPILED = ("cpp", "c", "rust")


def outdented(text):
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return [line[margin:] for line in lines]


def is_file(block, source):
    path = source / block.markers["file"]
    if not path.is_file():
        return [f"there is no {block.markers['file']}"]
    return [] if path.read_text() == block.text else [f"the listing is not {block.markers['file']}"]


def is_part(block, source):
    """Lines that stand in the file together; a line with `...` stands for any number of others."""
    path = source / block.markers["part of"]
    if not path.is_file():
        return [f"there is no {block.markers['part of']}"]
    groups = [[]]
    for line in outdented(block.text):
        if line.strip(" /#*") == "...":
            groups.append([])
        else:
            groups[-1].append(line)
    text = [line.rstrip() for line in path.read_text().splitlines()]
    start = 0
    for group in filter(None, groups):
        while start + len(group) <= len(text) and outdented("\n".join(text[start:start + len(group)])) != outdented("\n".join(group)):
            start += 1
        if start + len(group) > len(text):
            return [f"not in {block.markers['part of']}, in this order: {group[0].strip()}"]
        start += len(group)
    return []


def in_frame(block, source):
    """The text of a saved listing: within its frame, if it has one."""
    if "within" not in block.markers:
        return block.text
    frame = (source / block.markers["within"]).read_text()
    text, found = re.subn(r"^.*\bLISTING\b.*\n", lambda _: block.text, frame, flags=re.MULTILINE)
    if not found:
        raise SystemExit(f"{block.markers['within']} has no line with LISTING")
    return text


class Stages:
    """What the built stages are called, and their settings; and what those of the examples are called."""

    def __init__(self, host, source):
        self.host, self.source = host, source

    @functools.cached_property
    def of_examples(self):
        return {name for path in (self.source / "sdk/examples").rglob("*.[cr]*")
                for name in re.findall(r'"(\w+)"', path.read_text())}

    @functools.cached_property
    def settings(self):
        """{stage: {setting}}, under all names that they have."""
        told = subprocess.run([self.host, "stages", "--format=json"], check=True, capture_output=True, text=True).stdout
        found = {}
        for stage in json.loads(told):
            names = {name for setting in stage["settings"] for name in (setting["name"], *setting["aliases"])}
            found.update(dict.fromkeys((stage["name"], *stage["aliases"]), names))
        return found

    def wrong_in(self, entries):
        wrong = []
        for entry in entries:
            name, settings = next(iter(entry.items())) if isinstance(entry, dict) else (entry, None)
            if name == "..." or (name not in self.settings and name in self.of_examples):
                continue
            if name not in self.settings:
                wrong.append(f"there is no stage {name}")
                continue
            for setting, value in (settings or {}).items():
                if setting not in self.settings[name] and name != "PythonStage":  # the class declares its own
                    wrong.append(f"{name} has no setting {setting}")
                if setting == "stages":
                    wrong += self.wrong_in(value)
        return wrong


def is_pipeline(block, stages, folder):
    """A complete pipeline passes `zz-host check`, as if it lay in configs/pipelines; of one with `...` the stages and
    settings must exist."""
    try:
        document = yaml.safe_load(block.text)
    except yaml.YAMLError as error:
        return [f"no YAML: {error}"]
    is_stage = lambda entry: str(next(iter(entry)) if isinstance(entry, dict) and entry else entry).endswith("Stage")
    if isinstance(document, list):
        return stages.wrong_in(document) if all(is_stage(e) or e == "..." for e in document) else []
    if not isinstance(document, dict) or "stages" not in document:
        return []
    if "version" not in document:
        every = set().union(*stages.settings.values())
        unknown = [name for name in document.get("parameters", {}) if name not in every]
        return [f"no stage has a setting {name}" for name in unknown] + stages.wrong_in(document["stages"])
    path = folder / "configs/pipelines" / f"listing_{block.line}.yaml"
    path.write_text(block.text)
    done = subprocess.run([stages.host, "check", path], capture_output=True, text=True)
    return [f"zz-host check: {done.stderr}"] if done.returncode else []


def check(block, stages, source, folder):
    """Complaints about one block, which is no console block."""
    if "file" in block.markers:
        return is_file(block, source)
    if "part of" in block.markers:
        return is_part(block, source)
    if block.language in COMPILED and "save" not in block.markers:
        return ["nothing builds and runs this: mark it with 'save' and let a command do so, or with 'part of' its file"]
    if block.language == "yaml" and "save" not in block.markers:
        return is_pipeline(block, stages, folder)
    if block.language == "python":
        try:
            compile(block.text, f"line {block.line}", "exec")
        except SyntaxError as error:
            return [f"no Python: {error}"]
    looks_run = re.search(r"^\$? ?(zz-host|cmake|\./|build/|tools/)", block.text, re.MULTILINE)
    if block.language in ("sh", "bash", "shell") or (not block.language and looks_run):
        return ["commands belong into a ```console block, as '$ command', and are run"]
    return []
