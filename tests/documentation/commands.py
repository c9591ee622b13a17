"""The commands of a page, run one after the other in one shell, and what they print against what the page says."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

# What builds, tests or installs the whole product, or waits for somebody at a terminal. Continuous integration
# runs the former; here they must only name what exists.
NOT_RUN = re.compile(r"^(sudo |apt(-get)? |dpkg |pip install |python3 -m venv |podman |mkdocs |apptainer |tools/(quickstart|release|test)\b|cmake --preset|cmake --build --preset|"
                     r"ctest\b|cpack\b|gdb |clang-format |tests/(abi|python)/sanitized\.sh\b)")
# Tools that not every machine has: the rest of the page is skipped without them.
OPTIONAL_TOOLS = {"rustc", "clang", "clang++", "protoc", "mlir-opt-19", "mlir-cpu-runner-19", "valgrind"}


@dataclass
class Command:
    line: int
    text: str
    expected: list  # lines; empty when the page does not say


def of_block(block):
    """The commands of a console block."""
    commands = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if commands and commands[-1].text.endswith("\\") and not commands[-1].expected:
            commands[-1].text += "\n" + line
        elif line.startswith("$ "):
            commands.append(Command(number, line[2:], []))
        elif commands:
            commands[-1].expected.append(line)
        else:
            raise ValueError(f"{number}: a console block begins with a command, '$ ...'")
    return commands


def names_nothing_missing(command, folder):
    """Complaints about a command that is not run."""
    presets = {p["name"] for p in json.loads((folder / "CMakePresets.json").read_text())["configurePresets"]}
    wrong = []
    for part in command.text.split("&&"):
        words = shlex.split(part, comments=True)
        for before, word in zip([""] + words, words):
            if before == "--preset":
                if word not in presets:
                    wrong.append(f"there is no preset '{word}'")
            elif "/" in word and not word.startswith(("-", "~", "$", "/")) and "*" not in word:
                if not (folder / word).exists() and before not in ("-R", "-L"):
                    wrong.append(f"there is no {word}")
    return wrong


def matches(expected, printed):
    """`...` alone stands for any lines, within a line for any text."""
    pattern = ""
    for line in expected:
        line = line.rstrip()
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*?".join(re.escape(part) for part in line.split("...")) + r" *\n"
    text = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines()) + "\n"
    return re.fullmatch(pattern, text) is not None


def as_expected(command, printed, errors):
    """Readers who show only what goes to the standard output, or only the errors, may."""
    return any(matches(command.expected, text) for text in (printed, errors, errors + printed, printed + errors))


def shortened(text, most=30):
    lines = text.splitlines()
    return "\n".join(lines if len(lines) <= most else [*lines[:most // 2], "[...]", *lines[-most // 2:]])


def run(steps, folder, environment):
    """Runs Commands, and copies files where a step is (line, saved file, name). Gives (complaints, missing tool)."""
    script, ran, lacking = "", [], None
    with tempfile.TemporaryDirectory() as place:
        for step in steps:
            if isinstance(step, tuple):
                _, saved, name = step
                script += f"mkdir -p -- \"$(dirname -- {shlex.quote(name)})\"\n"
                script += f"cp -- {shlex.quote(str(saved))} {shlex.quote(name)}\n"
                continue
            lacking = next((word for word in re.findall(r"[\w+./-]+", step.text)
                            if word in OPTIONAL_TOOLS and not shutil.which(word)), None)
            if lacking:
                break
            stem = f"{place}/{len(ran)}"
            # The status survives for a following `echo $?`.
            script += f"(exit ${{zz_status:-0}})\n{{ {step.text}\n}} >{stem}.out 2>{stem}.err\n"
            script += f"zz_status=$?; echo $zz_status >{stem}.status\n"
            ran.append(step)
        if ran:
            subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL)
        read = lambda number, what: (pathlib.Path(f"{place}/{number}.{what}").read_text(errors="replace")
                                     if os.path.exists(f"{place}/{number}.{what}") else "")
        results = [(read(n, "status").strip(), read(n, "out"), read(n, "err")) for n in range(len(ran))]

    wrong = []
    for number, (command, (status, printed, errors)) in enumerate(zip(ran, results)):
        status_is_shown = number + 1 < len(ran) and ran[number + 1].text.startswith("echo $?")
        if not status:
            wrong.append((command.line, f"the shell ended here: {command.text}"))
            break
        if status != "0" and not status_is_shown:
            wrong.append((command.line, f"exit status {status}: {command.text}\n{shortened(printed + errors)}"))
        elif command.expected and not as_expected(command, printed, errors):
            wrong.append((command.line, f"another output: {command.text}\n{shortened(errors + printed)}"))
    return wrong, lacking
