"""The boundary only grows: the present header against those of released minors, by abidiff, which compares types.

usage: append_only.py C_COMPILER PRESENT_INCLUDE_FOLDER

Besides: a header whose minor is released is that of the release, comments aside; and changes that break plugins are noticed, which
is tried with changed copies. Exit code 77 (skipped) when there is no abidiff (Debian: abigail-tools).
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
compiler, present = sys.argv[1], pathlib.Path(sys.argv[2])
if not shutil.which("abidiff"):
    print("skipped: this machine has no abidiff (Debian: abigail-tools)")
    sys.exit(77)

# What somebody might do to the header, and whether plugins that exist can live with it.
CHANGES = {
    "a member at the end of a table": (True, r"(zz_limits\* limits\) ZZ_NOEXCEPT;\n)(\} zz_demands;)",
                                       r"\1  void (*more)(void) ZZ_NOEXCEPT;\n\2"),
    "a member removed": (False, r"  const char\* summary;[^\n]*\n", ""),
    "two members exchanged": (False, r"(  const char\* id;[^\n]*\n)(  const char\* name;[^\n]*\n)", r"\2\1"),
    "a member in the middle": (False, r"(  void \(\*destroy\)\(zz_stage\* stage\))", r"  void (*reset)(zz_stage* stage) ZZ_NOEXCEPT;\n\1"),
    "a member of another type": (False, r"  uint32_t n_params;", "  uint64_t n_params;"),
    "an argument more": (False, r"\(\*requested\)\(void\)", "(*requested)(zz_place*)"),
    "a longer element of an array": (False, r"(const char\* aliases; /\* older spellings[^\n]*\n)", r"\1  const char* group;\n"),
    "a longer out-parameter": (False, r"(zz_value\* extra;[^\n]*\n)", r"\1  zz_value* third;\n"),
}


def version(folder):
    text = (folder / "zz/stage_abi.h").read_text()
    return tuple(int(re.search(rf"#define ZZ_ABI_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR"))


def declarations(folder):
    return re.sub(r"/\*.*?\*/", "", (folder / "zz/stage_abi.h").read_text(), flags=re.DOTALL).split()


def library(include, name, place):
    made = place / f"{name}.so"
    subprocess.run([compiler, "-std=c11", "-g", "-shared", "-fPIC", f"-I{include}", HERE / "anchor.c", "-o", made], check=True)
    return made


# Tables begin with their size, so they may grow at the end; nothing else may change at all.
TABLES = set("zz_values zz_host zz_stage_desc zz_plugin zz_log zz_progress zz_cancel zz_parallel zz_output zz_input "
             "zz_evaluations "
             "zz_mappings zz_report zz_process zz_stage_limits zz_stage_check zz_stage_makes "
             "zz_nested zz_stage_demand zz_demands zz_score zz_stage_score".split())
# Lines of a report that only lead to the next one.
ON_THE_WAY = re.compile(r"""Functions\ changes | Variables\ changes | 1\ function\ with | \[C\] | parameter\ \d+\ of\ type\ .*\ has\ sub-type
                            | in\ pointed\ to\ type | in\ unqualified | .*\ as\ reported\ earlier$ | type\ of\ .*\ changed:$
                            | \d+\ data\ member\ (changes?|insertions?):$""", re.VERBOSE)


def only_appends(report):
    """Whether a report of abidiff tells of nothing but new members at the end of tables."""
    table, bits_before = None, 0
    for line in map(str.strip, report.splitlines()):
        if struct := re.match(r"underlying type 'struct (\w+)'.* changed:", line):
            table = struct[1] if struct[1] in TABLES else None
            bits_before = 0
        elif size := re.match(r"type size changed from (\d+) to (\d+)", line):
            bits_before = int(size[1])
        elif member := re.match(r"'.*', at offset (\d+) \(in bits\)", line):
            if table is None or bits_before == 0 or int(member[1]) < bits_before:
                return False
        elif line and not line.startswith("type size hasn't changed") and not ON_THE_WAY.match(line):
            return False
    return True


def compare(old, new):
    done = subprocess.run(["abidiff", "--harmless", old, new], capture_output=True, text=True)
    if done.returncode & 3:
        sys.exit(f"abidiff failed\n{done.stderr}")
    return only_appends(done.stdout), done.stdout


wrong = []
with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    now = library(present, "present", place)
    for folder in sorted(HERE.glob("[0-9]*")):
        if version(folder)[0] != version(present)[0]:
            continue
        good, report = compare(library(folder, folder.name, place), now)
        if not good:
            wrong.append(f"since {folder.name} more was done than append:\n{report}")
        if version(folder) == version(present) and declarations(folder) != declarations(present):
            wrong.append(f"zz/stage_abi.h is not that of {folder.name}, which is released: raise ZZ_ABI_MINOR")
    if not any(version(folder) <= version(present) for folder in HERE.glob("[0-9]*")):
        wrong.append("no released header is kept")

    for number, (what, (allowed, pattern, replacement)) in enumerate(CHANGES.items()):
        changed = place / f"changed_{number}"
        (changed / "zz").mkdir(parents=True)
        text, count = re.subn(pattern, replacement, (present / "zz/stage_abi.h").read_text())
        if count == 0:
            wrong.append(f"cannot try '{what}': the header has no such place any more")
            continue
        (changed / "zz/stage_abi.h").write_text(text)
        good, report = compare(now, library(changed, f"changed_{number}", place))
        print(f"{'ok     ' if good == allowed else 'FAILED '} {what}: {'accepted' if good else 'refused'}")
        if good != allowed:
            wrong.append(f"{what} must be {'accepted' if allowed else 'refused'}\n{report}")
print("\n".join(wrong))
sys.exit(bool(wrong))
