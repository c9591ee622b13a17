"""Public scripts as they are, where their repositories are: each ends as repositories.yaml says. Prints the table.

ZZ_FIELD_REPOSITORIES names a folder with one folder for each repository: <name>, <owner>+<name> or <owner>/<name>, a checkout
with its history, a git directory, or a folder that has one as `repo`. Without it, and for repositories, commits and packages of
Python that are not there, scripts are skipped.

usage: repositories_test.py [WORD]...     WORD: of the repository or the command of those to run
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORIES = yaml.safe_load((HERE / "repositories.yaml").read_text())
SECONDS = 600


def git_directory(root, repository):
    """Of a repository below a folder, or None."""
    owner, name = repository.split("/")
    for folder in (root / f"{owner}+{name}", root / owner / name, root / name):
        for place in (folder / "repo", folder / ".git", folder):
            if (place / "HEAD").is_file():
                return place
    return None


def laid_out(git, commit, folder):
    """Whether the files of a commit could be written into a folder."""
    packed = subprocess.run(["git", f"--git-dir={git}", "archive", commit], capture_output=True)
    return packed.returncode == 0 and subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout).returncode == 0


def first_failure(text):
    """The line with which an exception was told, or the last one."""
    lines = [line for line in text.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(" ") and ("Error" in line.split(":")[0] or "failed" in line)]
    return (told or lines or ["nothing was said"])[-1]


def outcome(git, script):
    """(what happened: "runs", "fails" or "skipped"; the first failure or the reason)."""
    lacking = [package for package in script.get("needs", ()) if not importlib.util.find_spec(package)]
    if lacking:
        return "skipped", f"there is no {', '.join(lacking)}"
    if git is None:
        return "skipped", "the repository is not there"
    with tempfile.TemporaryDirectory() as folder:
        if not laid_out(git, script["commit"], folder):
            return "skipped", f"there is no commit {script['commit']}"
        try:
            done = subprocess.run([sys.executable, "-m", "zz.as_zigzag", *script["run"].split()], cwd=folder, capture_output=True,
                                  text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return "fails", f"not done within {SECONDS} s"
    if done.returncode == 0:
        return "runs", ""
    expected = script.get("fails")
    output = done.stdout + done.stderr
    return "fails", expected if expected and expected in output else first_failure(output)


def table():
    """The rows of the documentation's table."""
    rows = ["| repository, date | script | on zz |", "|---|---|---|"]
    for one in REPOSITORIES:
        for script in one["scripts"]:
            result = f"{script['fails']}: {script['why']}" if "fails" in script and script["fails"][0].isdigit() else (
                f"refused: {script['why']}" if "fails" in script else "runs")
            rows.append(f"| {one['repository']}, {script['date']} | `{script['run']}` | {result} |")
    return rows


def main():
    root = os.environ.get("ZZ_FIELD_REPOSITORIES")
    if not root or not pathlib.Path(root).is_dir():
        print("skipped: ZZ_FIELD_REPOSITORIES names no folder with public repositories")
        return 77
    wrong, done = 0, 0
    for one in REPOSITORIES:
        git = git_directory(pathlib.Path(root), one["repository"])
        for script in one["scripts"]:
            if sys.argv[1:] and not any(word in f"{one['repository']} {script['run']}" for word in sys.argv[1:]):
                continue
            result, failure = outcome(git, script)
            expected = ("fails", script["fails"]) if "fails" in script else ("runs", "")
            as_expected = result == "skipped" or (result, failure) == expected
            done += result != "skipped"
            wrong += not as_expected
            print(f"{'' if as_expected else 'NOT AS SAID: '}{one['repository']} {script['date']} | {script['run']} | {result} | {failure}",
                  flush=True)
    if not done:
        print("skipped: none of the repositories is there")
        return 77
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
