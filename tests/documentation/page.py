"""Does what a page of the documentation says, and compares.

usage: page.py ZZ_HOST BUILD PAGE.md ... [--slow] [--keep]

For each page a fresh folder is made that looks like a checkout with a build in it: the source tree, and
build/<preset> leading to BUILD. PATH begins with ~/zz/bin (empty unless the page installs something there), the folder
of ZZ_HOST and one in which python3 is Debian's; HOME is a fresh folder, too. There the page is followed from top to bottom:

  ```console          lines `$ command`, run in one shell for the whole page; the lines below are what it must print (in all, or to
                      standard output or error alone), `...` standing for whatever varies, none for anything. A command that fails fails the page, unless the next one
                      is `echo $?`. What builds, tests or installs all of zz is not run, but must name existing files.
  <!-- save: NAME --> above a listing: the reader saves it under that name, in the folder where he is, and a later command
                      builds or runs it
  <!-- file: PATH --> above a listing: it is that file of the source tree
  <!-- part of: PATH -->  the same for some of its lines; `...` stands for lines that are left out
  <!-- within: PATH -->   beside `save`: it is saved in place of the line with LISTING in that file
  <!-- joins: FILE -->    above YAML: it runs as a part of that pipeline, `FILE:parameters` in that map of it. Of another file of
                      inputs, `FILE, SETTING of PIPELINE`: that pipeline runs with what comes of it
  <!-- before: COMMAND --> a command that is run and that readers do not see
  <!-- slow -->        above ```console or `before`: seconds of work that nothing below needs; only --slow does it
  <!-- not run: WHY -->  above a listing that nothing can run

Every listing is run. A pipeline runs as if it lay in configs/pipelines, a part of one within a plain chain, on small
networks unless --slow (pipelines.py); what is saved is used by something below; C, C++ and Rust are saved or part of a
file that tests build. Besides, relative links lead somewhere, and no code is marked by indentation.

Exit code 77 (skipped) when a tool is missing that not everybody has.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

import commands
import listings
import markdown

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def prepare(top, build, host, writes):
    """The folder of the run, and its environment; with configs to write into, where the page does."""
    folder = top / "zz"
    folder.mkdir()
    for path in SOURCE.iterdir():
        if path.name == "configs" and writes:
            shutil.copytree(path, folder / path.name, copy_function=shutil.copyfile)
        elif path.name not in {"build", "outputs"}:
            (folder / path.name).symlink_to(path)
    (folder / "build").mkdir()
    for preset in ("release", "dev", "asan", "tsan", "clang"):
        (folder / "build" / preset).symlink_to(build)
    home = top / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ZZ_", "CMAKE_"))}
    for tool in ("rustup", "cargo"):
        place = pathlib.Path(os.environ.get("HOME", "/")) / f".{tool}"
        if place.exists():
            environment.setdefault(f"{tool.upper()}_HOME", str(place))
    # Pages say python3 and mean Debian's, which runs these tests; it finds the package as if that were installed.
    programs = top / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    environment["PYTHONPATH"] = ":".join(map(str, build.glob("lib/python3*/dist-packages")))
    environment["PATH"] = f"{home}/zz/bin:{host.parent}:{programs}:{environment['PATH']}"
    environment.update(HOME=str(home), COLUMNS="120", LC_ALL="C.UTF-8")
    return folder, environment


def used_below(page, number):
    """Whether a command or a listing after a saved one names it, with its folder's files or without its ending."""
    name = pathlib.PurePath(page.blocks[number].markers["save"])
    below = [block.text for block in page.blocks[number + 1:] if block.language in ("console", "before") or "save" in block.markers]
    return name.name == "CMakeLists.txt" or any(name.stem in text for text in below)


def steps_of(page, folder, top, slow):
    """What a reader does, in order; and complaints about commands that are not run."""
    steps, wrong = [], []
    for number, block in enumerate(page.blocks):
        if "save" in block.markers:
            saved = top / f"saved-{number}"
            saved.write_text(listings.in_frame(block, SOURCE))
            if not used_below(page, number):
                wrong.append((block.line, f"nothing below runs or reads {block.markers['save']}"))
            steps.append((block.line, saved, block.markers["save"]))
        if block.language == "before" and (slow or "slow" not in block.markers):
            steps.append(commands.Command(block.line, block.text, []))
        if block.language != "console" or ("slow" in block.markers and not slow):
            continue
        for command in commands.of_block(block):
            if commands.NOT_RUN.match(command.text):
                wrong += [(command.line, complaint) for complaint in commands.names_nothing_missing(command, folder)]
            else:
                steps.append(command)
    return steps, wrong


def complaints_about(path, top, build, host, stages, slow):
    """(line, complaint) of everything wrong on a page, and the tool for lack of which a part was skipped."""
    page = markdown.read(path)
    # Commands may, and a pipeline that is whole lies there.
    writes = any(block.language in ("console", "before") or "joins" in block.markers or "version" in block.text
                 for block in page.blocks)
    folder, environment = prepare(top, build, host, writes)
    steps, wrong = steps_of(page, folder, top, slow)
    wrong += [(line, f"there is no {target}") for line, target in page.links
              if "://" not in target and not (path.parent / target).exists()]
    wrong += [(line, "code by indentation: use a fenced block") for line in page.indented]
    saved = {}
    for block in page.blocks:
        if "save" in block.markers:
            saved[block.markers["save"]] = listings.in_frame(block, SOURCE)
        if block.language not in ("console", "before"):
            wrong += [(block.line, complaint) for complaint in listings.check(block, stages, folder, saved, slow)]
    found, lacking = commands.run(steps, folder, environment)
    return sorted(wrong + found), lacking


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("pages", type=pathlib.Path, nargs="+")
    parser.add_argument("--slow", action="store_true", help="also what takes long")
    parser.add_argument("--keep", action="store_true", help="leave the folders of the run and name them")
    arguments = parser.parse_args()
    host = arguments.host.resolve()
    stages = listings.Stages(host, SOURCE)

    failed = skipped = False
    for path in map(pathlib.Path.resolve, arguments.pages):
        top = pathlib.Path(tempfile.mkdtemp(prefix="zz-page-"))
        try:
            wrong, lacking = complaints_about(path, top, arguments.build.resolve(), host, stages, arguments.slow)
        finally:
            if arguments.keep:
                print(f"kept: {top}")
            else:
                shutil.rmtree(top)
        for line, complaint in wrong:
            print(f"{path.relative_to(SOURCE) if path.is_relative_to(SOURCE) else path}:{line}: {complaint}")
        if lacking:
            print(f"{path.name}: skipped in part, this machine has no {lacking}")
        failed |= bool(wrong)
        skipped |= bool(lacking)
    sys.exit(1 if failed else 77 if skipped else 0)


main()
