"""What is done about a listing beside following its page: whether it is the file that it claims to be is compared, and
pipelines are run."""
import functools
import json
import pathlib
import re
import subprocess
import sys

import yaml

import pipelines

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402


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
    def described(self):
        told = subprocess.run([self.host, "stages", "--format=json"], check=True, capture_output=True, text=True).stdout
        return json.loads(told)

    @functools.cached_property
    def runner(self):
        files = {name for stage in self.described for setting in stage["settings"] if setting["input_path"]
                 for name in (setting["name"], *setting["aliases"])}
        return pipelines.Runner(self.host, files)

    @functools.cached_property
    def settings(self):
        """{stage: {setting}}, under all names that they have."""
        found = {}
        for stage in self.described:
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


def runs(block, stages, folder, saved, slow):
    """A pipeline or a part of one, or of a file of inputs: runs it."""
    try:
        document = text_case.load(block.text)
    except yaml.YAMLError as error:
        return [f"no YAML: {error}"]
    if "joins" in block.markers:
        return stages.runner.joined(document, block.markers["joins"], folder)
    if isinstance(document, dict) and "version" in document and "stages" in document:
        return stages.runner.whole(block.text, folder / "configs/pipelines" / f"listing_{block.line}.yaml", slow)
    if isinstance(document, list) and document and all(map(pipelines.is_stage, document)):
        return stages.wrong_in(document) or stages.runner.fragment(document, saved, slow)
    if isinstance(document, dict) and "stages" in document:
        every = set().union(*stages.settings.values())
        unknown = [name for name in document.get("parameters", {}) if name not in every]
        return ([f"no stage has a setting {name}" for name in unknown] + stages.wrong_in(document["stages"])
                or stages.runner.fragment(document, saved, slow))
    if isinstance(document, list) and document and all(isinstance(entry, dict) and "name" in entry for entry in document):
        return stages.runner.with_input("mapping.yaml", document)
    if isinstance(document, dict) and "cores" in document:
        return stages.runner.with_input("stream_accelerator.yaml", document)
    return ["nothing runs this: say by 'joins' what it is a part of, or save it and let a command use it"]


def check(block, stages, folder, saved, slow):
    """Complaints about one block, which is no console block. `saved` are the listings that a reader has saved until then."""
    if "file" in block.markers:
        return is_file(block, stages.source)
    if "part of" in block.markers:
        return is_part(block, stages.source)
    if "save" in block.markers or "not run" in block.markers:
        return []
    if block.language == "yaml":
        return runs(block, stages, folder, saved, slow)
    looks_run = re.search(r"^\$? ?(zz-host|cmake|\./|build/|tools/)", block.text, re.MULTILINE)
    if block.language in ("sh", "bash", "shell") or (not block.language and looks_run):
        return ["commands belong into a ```console block, as '$ command', and are run"]
    if block.language:
        return ["nothing builds and runs this: mark it with 'save' and let a command do so, or with 'part of' its file"]
    return []
