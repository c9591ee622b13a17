"""The workflow for code hosts runs what is there: programs of the tree, in an image that they are written for.

usage: workflow.py SOURCE
"""
import os
import pathlib
import re
import sys

import yaml

source = pathlib.Path(sys.argv[1])
[file] = (source / ".github/workflows").glob("*.yml")
workflow = yaml.safe_load(file.read_text())
wrong = []
ran = []
for name, job in workflow["jobs"].items():
    if job["container"] != "debian:12":
        wrong.append(f"{name}: runs in {job['container']}, and the lists of packages are of Debian 12")
    for step in job["steps"]:
        for word in re.findall(r"(?:^|\s)((?:\.ci|tools)/\S+)", step.get("run", "")):
            ran.append(word)
            if not os.access(source / word, os.X_OK):
                wrong.append(f"{name}: there is no program {word}")
wrong += [f"{program} is not run" for program in (".ci/run", "tools/release") if program not in ran]
if re.search(r"https?://", file.read_text()):
    wrong.append("names a host: packages come from where the image has its own")
sys.exit("\n".join(wrong) or None)
