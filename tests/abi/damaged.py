"""Files that are no plugins for this machine: none crashes the host, and each is refused in words.

usage: damaged.py ZZ_HOST PLUGIN.so OBJECT_FILE
"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

host, good, object_file = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
library = good.read_bytes()
PIPELINE = "version: 1\nplugins: [{}]\nstages: [SumStage, SomeStage]\n"
NOBODY = 65534


def patched(offset, content):
    return library[:offset] + content + library[offset + len(content):]


def loaded_bytes():
    """Where the last loaded segment ends in the file: what follows is for debuggers."""
    table, = struct.unpack_from("<Q", library, 32)
    size, count = struct.unpack_from("<HH", library, 54)
    ends = []
    for number in range(count):
        kind, _, offset, _, _, in_file = struct.unpack_from("<IIQQQQ", library, table + number * size)
        if kind == 1:
            ends.append(offset + in_file)
    return ends


files = {
    "text": (b"This is a text file.\n", "is not a shared library"),
    "empty": (b"", "is not a shared library"),
    "three_bytes": (library[:3], "is not a shared library"),
    "other_machine": (patched(18, struct.pack("<H", 183 if os.uname().machine == "x86_64" else 62)),
                      "was built for another kind of machine .*ARM|x86"),
    "unknown_machine": (patched(18, struct.pack("<H", 4711)), "another kind of machine .machine type 4711;"),
    "class_32": (patched(4, b"\1"), "another kind of machine"),
    "other_byte_order": (patched(5, b"\2"), "another kind of machine .another byte order;"),
    "object": (object_file.read_bytes(), "is not a shared library, but an object file or a program"),
    "program": (host.read_bytes(), "cannot be loaded|does not export|not a shared library"),
}
for length in {4, 16, 51, 63, 64, 100, *(end - 1 for end in loaded_bytes()), max(loaded_bytes()) // 2}:
    files[f"cut_at_{length}"] = (library[:length], "is cut off")


def others_may_run(program):
    """Not so where a folder above is closed to them, as that of root often is."""
    try:
        return subprocess.run([program, "version"], user=NOBODY, capture_output=True).returncode == 0
    except PermissionError:
        return False


def refused(file, reason, **options):
    """Complaints about the run of a pipeline with this plugin."""
    pipeline = file.parent / f"{file.name}.yaml"
    pipeline.write_text(PIPELINE.format(file))
    done = subprocess.run([host, pipeline], capture_output=True, text=True, timeout=600, **options)
    said = rf"{re.escape(file.name)}\b.*({reason})"
    if done.returncode == 3 and re.search(said, done.stderr):
        return []
    return [f"{file.name}: exit status {done.returncode}, expected 3 and '{reason}'\n{done.stderr}"]


wrong = []
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    folder.chmod(0o755)
    for stem, (content, reason) in files.items():
        path = folder / f"{stem}.so"
        path.write_bytes(content)
        wrong += refused(path, reason)
    (folder / "folder.so").mkdir()
    wrong += refused(folder / "folder.so", "is a folder")
    os.mkfifo(folder / "pipe.so")
    wrong += refused(folder / "pipe.so", "is not a file")
    wrong += refused(folder / "nowhere.so", "no such file")

    unreadable = folder / "unreadable.so"
    unreadable.write_bytes(library)
    unreadable.chmod(0)
    if os.geteuid() != 0:
        wrong += refused(unreadable, "cannot be read: Permission denied")
    elif others_may_run(host):
        wrong += refused(unreadable, "cannot be read: Permission denied", user=NOBODY)
    else:
        print("unreadable.so: not tested, as the host cannot be run by others here")

    # In a folder that is searched they are passed over, and listed with the reason.
    (folder / "pipe.so").unlink()
    done = subprocess.run([host, "plugins", "-v", "--plugin-path", folder], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        wrong.append(f"zz-host plugins -v: exit status {done.returncode}\n{done.stderr}")
    wrong += [f"zz-host plugins -v does not list {stem}.so" for stem in files if f"{stem}.so" not in done.stdout + done.stderr]
print("\n".join(wrong) or f"{len(files)} damaged files, all refused")
sys.exit(bool(wrong))
