"""Plugins are looked for where the manual says, in that order, and nowhere else.

usage: search_path.py ZZ_HOST PLUGIN

PLUGIN is nested.so; copies of it are put into every place.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

host, plugin = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
NOBODY = 65534
PIPELINE = """version: 1
plugins: [{plugins}]
parameters: {{workload: workload.yaml, accelerator: accelerator.yaml, mapping: mapping.yaml}}
stages: [WorkloadParserStage, AcceleratorParserStage, WorkloadStage, NestedMapperStage]
"""


def plugins(folder, *options, program=host, **environment):
    """What `plugins -v` says of the copies: the one that is used, and the lines about the others."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("ZZ_", "XDG_"))}
    clean.update({"HOME": "/nonexistent", **environment})
    done = subprocess.run([program, "plugins", "-v", *map(str, options)], cwd=folder, env=clean, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    return done.stdout


def copy_to(folder, name="copy.so"):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(plugin, folder / name)
    return folder / name


def used(listing):
    return [line.split("  ")[1] for line in listing.splitlines() if line.startswith("org.test.nested ")]


def others_may_run(program):
    """Not so where a folder above is closed to them, as that of root often is."""
    try:
        return subprocess.run([program, "version"], user=NOBODY, capture_output=True).returncode == 0
    except PermissionError:
        return False


with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name)
    work = top / "work"
    named, first, second = copy_to(top / "named"), copy_to(top / "first"), copy_to(top / "second")
    user = copy_to(top / "data/zz/plugins-0")
    home = copy_to(top / "home/.local/share/zz/plugins-0")
    copy_to(work)  # the working directory
    everything = {"ZZ_PLUGIN_PATH": f"{second.parent}", "XDG_DATA_HOME": str(top / "data"), "HOME": str(top / "home")}

    # First hit wins, and the others say which one hides them.
    ranks = [(named, ["--plugin", named, "--plugin-path", first.parent], everything),
             (first, ["--plugin-path", first.parent], everything), (second, [], everything),
             (user, [], {"XDG_DATA_HOME": str(top / "data"), "HOME": str(top / "home")}), (home, [], {"HOME": str(top / "home")})]
    for place, (expected, options, environment) in enumerate(ranks):
        listing = plugins(work, *options, **environment)
        assert used(listing) == [str(expected)], f"{expected} is not the one that is used:\n{listing}"
        for lower, _, _ in ranks[place + 1:]:
            looked_at = lower != home or "XDG_DATA_HOME" not in environment
            assert (f"not used: {lower} " in listing) == looked_at, f"{lower}:\n{listing}"
            assert not looked_at or f"hidden by {expected}" in listing, listing

    # The working directory is never looked at, whatever the environment says; nor for the libraries of the host itself.
    for library in re.findall(r"^\s*(\S+) => /", subprocess.run(["ldd", host], capture_output=True, text=True).stdout, re.MULTILINE):
        (work / library).write_text("no library")
    assert list(work.glob("libyaml-cpp.so*"))
    for environment in ({}, {"ZZ_PLUGIN_PATH": "."}, {"ZZ_PLUGIN_PATH": f":{'.'}:work"}, {"XDG_DATA_HOME": "."}, {"HOME": ""}):
        listing = plugins(work, **environment)
        assert listing and not used(listing), listing
        for variable, value in environment.items():
            if variable != "HOME":
                assert f"[{variable}]: the path is not absolute" in listing, listing

    # Where others may write, plugins are not loaded unless they are named.
    shared = copy_to(top / "shared")
    others = [((None, None, 0o777), "anybody may write there")]
    if os.geteuid() == 0:
        others += [((NOBODY, None, 0o755), "it belongs to the user"), ((None, NOBODY, 0o775), "the group '[^']*' may write there")]
    for (owner, group, mode), reason in others:
        shared.parent.chmod(mode)
        os.chown(shared.parent, -1 if owner is None else owner, -1 if group is None else group)
        for options, environment in (([], {"ZZ_PLUGIN_PATH": str(shared.parent)}), (["--plugin-path", shared.parent], {})):
            listing = plugins(work, *options, **environment)
            assert not used(listing) and re.search(rf"{shared.parent} .*{reason}", listing), listing
        assert used(plugins(work, "--plugin", shared)) == [str(shared)]
        os.chown(shared.parent, os.geteuid(), os.getegid())
    shared.parent.chmod(0o775)
    assert used(plugins(work, "--plugin-path", shared.parent)) == [str(shared)], "the user's own group may write"

    # A built-in plugin is not replaced without a word.
    built_in = next((host.parent.parent / "lib").glob("**/zz/plugins-*/zz-reduce.so"))
    own = top / "own"
    own.mkdir()
    shutil.copy(built_in, own)
    done = subprocess.run([host, "stages", "--plugin-path", own], cwd=work, capture_output=True, text=True)
    assert f"{own}/zz-reduce.so [--plugin-path] takes the place of the built-in plugin" in done.stderr, done.stderr

    # Programs get all of that as well.
    done = subprocess.run([host, "plugins", "--format=json", "--plugin-path", first.parent], cwd=work, capture_output=True,
                          text=True, env={"HOME": "/nonexistent", "ZZ_PLUGIN_PATH": f"{second.parent}:here"})
    listing = json.loads(done.stdout)
    [nested] = [one for one in listing["plugins"] if one["id"] == "org.test.nested"]
    assert nested["file"] == str(first) and nested["origin"] == "--plugin-path" and "NestedMapperStage" in nested["stages"], nested
    assert [(one["file"], one["reason"].startswith("hidden by")) for one in listing["not_used"]] == [(str(second), True)], listing
    assert [one["folder"] for one in listing["folders"]][:2] == [str(first.parent), str(second.parent)], listing
    assert listing["not_looked_at"] == [{"folder": "here", "origin": "ZZ_PLUGIN_PATH", "reason": "the path is not absolute"}], listing

    # Not recursive, only *.so; a file that does not load is listed with the reason and harms nobody.
    odd = top / "odd"
    copy_to(odd / "below")
    copy_to(odd, "copy.so.1")
    (odd / "broken.so").write_text("no library")
    listing = plugins(work, ZZ_PLUGIN_PATH=str(odd))
    assert not used(listing) and f"not used: {odd}/broken.so" in listing and "copy.so.1" not in listing, listing

    # Two in one place are nobody's intention: naming the stage is an error that shows both.
    copy_to(odd, "one.so"), copy_to(odd, "two.so")
    for read in ("workload.yaml", "accelerator.yaml", "mapping.yaml"):
        (work / read).touch()
    (work / "pipeline.yaml").write_text(PIPELINE.format(plugins=""))
    done = subprocess.run([host, "check", "pipeline.yaml", "--plugin-path", odd], cwd=work, capture_output=True, text=True)
    assert done.returncode == 2 and "one.so" in done.stderr and "two.so" in done.stderr, done.stderr

    # What the command line names hides what the pipeline names, without a word of it.
    (work / "pipeline.yaml").write_text(PIPELINE.format(plugins=first))
    for options, expected in (([], first), (["--plugin", named], named)):
        done = subprocess.run([host, "explain", "--allow-code", "--format=json", "pipeline.yaml", *options], cwd=work, capture_output=True,
                              text=True)
        told = [line for line in done.stderr.splitlines() if not line.startswith(" ")]
        assert done.returncode == 0 and len(told) == 1, done.stderr
        assert "warning: no stage below NestedMapperStage takes 'effort', which it hands down" in told[0], done.stderr
        assert json.loads(done.stdout)["stages"][-1]["plugin"] == str(expected), done.stdout

    # With raised privileges the environment does not count.
    privileged = top / "privileged"
    shutil.copy(host, privileged)
    if os.geteuid() == 0 and shutil.which("patchelf") and not os.statvfs(privileged).f_flag & os.ST_NOSUID and others_may_run(host):
        os.chmod(top, 0o755)
        # The dynamic linker, too, ignores places relative to a privileged program.
        library_folder = pathlib.Path(host).resolve().parent.parent / "lib"
        subprocess.run(["patchelf", "--set-rpath", library_folder, privileged], check=True)
        assert used(plugins(work, program=privileged, **everything)) == [str(second)]
        os.chown(privileged, NOBODY, NOBODY)
        os.chmod(privileged, 0o4755)
        listing = plugins(work, program=privileged, **everything)
        assert not used(listing), listing
        assert "[ZZ_PLUGIN_PATH]: the process has raised privileges" in listing, listing
    else:
        print("not checked: raised privileges (needs root, patchelf, a file system with setuid, and a checkout that others may read)")
print("all places")
