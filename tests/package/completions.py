"""The completion scripts do in the shells themselves what they promise, and the manual page names every verb.

usage: completions.py FOLDER
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

installed = pathlib.Path(sys.argv[1]).resolve() / "zz"
host = installed / "bin/zz-host"
share = installed / "share"


def output(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True,
                          stdin=subprocess.DEVNULL, **more).stdout


verbs = re.findall(r"^  zz-host ([a-z-]+)", output(host, "help"), re.MULTILINE)
assert {"run", "describe", "check-plugin", "new-plugin", "completion"} <= set(verbs), verbs
scripts = {"bash": share / "bash-completion/completions/zz-host", "zsh": share / "zsh/site-functions/_zz-host",
           "fish": share / "fish/vendor_completions.d/zz-host.fish"}
for shell, script in scripts.items():
    assert script.read_text() == output(host, "completion", shell), f"{script} is not what zz-host completion {shell} prints"
stages = output(host, "stages", "--format=names").split()

BASH = """
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_zz_host 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


def bash(*words):
    return set(output("bash", "-c", BASH, "bash", scripts["bash"], host, *words, cwd=folder).split())


def fish(*words):
    line = " ".join([str(host), *words])
    script = f"source {scripts['fish']}; complete -c {host} -w zz-host; complete -C '{line}'"
    listed = output("fish", "--no-config", "-c", script, cwd=folder)
    return {line.split("\t")[0] for line in listed.splitlines()}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for file in ("pipeline.yaml", "other.txt", "mine.so"):
        (folder / file).touch()
    (folder / "sub").mkdir()
    shells = [bash] + ([fish] if shutil.which("fish") else [])
    for complete in shells:
        assert complete("desc") == {"describe"}, complete("desc")
        assert complete("describe", "Minimal") == {stage for stage in stages if stage.startswith("Minimal")}
        assert "--set" in complete("run", "--s") and "--seed" in complete("run", "--s")
        assert complete("completion", "z") == {"zsh"}
        assert "mine.so" in complete("check-plugin", "m")
        assert "pipeline.yaml" in complete("run", "p")
        assert "loma_lpf_limit=" in complete("run", "--set", "loma_l")
        assert "LomaStage.loma_lpf_limit=" in complete("run", "--set", "LomaStage.loma_l")
        (folder / "layers.yaml").write_text("parameters: {workload: net.yaml}\n")
        (folder / "net.yaml").write_text("- {id: 0, name: first}\n- {id: 1, name: second}\n")
        assert complete("why", "layers.yaml", "s") == {"second"}, complete("why", "layers.yaml", "s")
        assert "layers.yaml" in complete("why", "l")
    assert bash("") >= {*verbs, "pipeline.yaml", "sub"} and "other.txt" not in bash("")
    assert bash("check-plugin", "o") == set()  # fish only puts other files after those that fit
    assert bash("stages", "--format", "=", "n") == {"names"}
    assert bash("stages", "--format", "=") == {"table", "json", "names"}
    assert bash("stages", "--color", "a") == {"auto", "always"}
    assert bash("new-plugin", "--folder", "s") == {"sub"}
    if shutil.which("zsh"):
        output("zsh", "-f", "-c", f"autoload -Uz compinit && compinit -D -u && source {scripts['zsh']} && "
                                  "[[ $_comps[zz-host] == _zz_host ]]", cwd=folder)
    print("shells:", ", ".join(["bash", *(shell for shell in ("fish", "zsh") if shutil.which(shell))]))

page = share / "man/man1/zz-host.1"
if page.exists():
    text = page.read_text()
    for verb in verbs:
        assert f"zz-host {verb}".replace("-", "\\-") in text or f"zz-host {verb}" in text, f"the manual page lacks {verb}"
    assert "<!--" not in text
    for section in ("NAME", "EXIT STATUS", "ENVIRONMENT", "FILES"):
        assert section in text
else:
    print("no manual page: it was built without pandoc")
