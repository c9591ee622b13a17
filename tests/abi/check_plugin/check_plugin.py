"""`zz-host check-plugin` finds each broken rule, and nothing in plugins that keep them.

usage: check_plugin.py ZZ_HOST PLUGINS BUILT_IN [GOOD...]

PLUGINS is the folder of the plugins that break rules, BUILT_IN that of the host's own, GOOD are those that break none: without
any, all built-in ones.
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

host, folder, built_in, *good = map(pathlib.Path, sys.argv[1:])
source = pathlib.Path(__file__).resolve().parent.parent.parent.parent


def check(*files, code):
    command = [host, "check-plugin", "--format=json", *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        short = subprocess.run([host, "check-plugin", *files], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        lines = [line for line in short.splitlines() if not line.startswith(("  passed", "  not checkable", " " * 10))]
        sys.exit(f"{files}: exit code {done.returncode}, expected {code}\n{done.stderr}" + "\n".join(lines))
    return json.loads(done.stdout)["files"]


def broken(report):
    """The pairs of rule and stage that failed."""
    return {(rule["rule"], one["stage"]) for rule in report["rules"] if rule["outcome"] == "failed" for one in rule["seen"]}


def expect(file, *pairs):
    [report] = check(file, code=3)
    found = broken(report)
    assert found == set(pairs), f"{file.name}: found {sorted(found, key=str)}, expected {sorted(pairs, key=str)}"


# Most of this one is waiting: for a stage that hangs, and for threads that do not end.
unruly = concurrent.futures.ThreadPoolExecutor(1).submit(
    expect, folder / "unruly.so", *((rule, rule) for rule in "O1 O2 P2 P3 P4 P5 F4 S3 S4 S5 S6 M2 M3 M4 T4".split()))
expect(folder / "misbehaving.so", ("S1", "NullStage"), ("F2", "SilentCreateStage"), ("S2", "NoStreamStage"),
       ("P1", "TooManyStage"), ("F2", "SilentStage"), ("F3", "UnknownStatusStage"), ("F3", "UnknownOpenStage"), ("S5", "NoEvaluationStage"),
       ("M5", "CrashStage"))
expect(folder / "throwing.so", ("F1", "EscapingStage"), ("F1", "ThrowingThreadStage"), ("F1", "ThrowingLoopStage"), ("S3", "MissingKeyStage"),
       ("T4", "MisspeltPortStage"))
expect(folder / "wrong_major.so", ("L2", None))
expect(folder / "missing_symbol.so", ("L1", None), ("L4", None), ("L6", None))
expect(folder / "nowhere.so", ("L9", None))
expect(folder / "fast_math.so", ("L1", None), ("L6", None), ("L7", None), ("L5", None))

expect(folder / "hasty.so", ("D1", "HastyStage"))
for library in ("zz-optimal.so", *([] if sys.argv[4:] else ["zz-mapping.so"])):
    [found] = [rule for rule in check(built_in / library, code=0)[0]["rules"] if rule["rule"] == "D1"]
    assert found["outcome"] == "passed", found

made = folder / "made_mappings.so"
assert not broken(check(made, code=0)[0])
for mistake in ("too_short", "over_too_many_units"):
    [report] = check(made, "--set", f"mistake={mistake}", code=3)
    assert broken(report) == {("S9", "MadeMappingStage")}, f"{mistake}: {broken(report)}"
# Where no stage can be run next to nothing is checked, and that is no success.
[report] = check(made, "--set", "mistake=misspelt", code=3)
assert report["nothing_ran"] and not report["passed"] and not broken(report)
[report] = check(built_in / "zz-explore.so", code=3)
assert any(option.startswith("--set ExplorationStage.") for option in report["to_check_more"]), report["to_check_more"]

# Damaged files: those of the user, and those of the project for the readers that are built in.
with tempfile.TemporaryDirectory() as name:
    prices = pathlib.Path(name) / "prices.txt"
    prices.write_text("l1 12\ndram 640\n")
    for option in (prices, f"prices={prices}"):
        [report] = check(folder / "readers.so", "--input", option, code=3)
        assert broken(report) == {("F6", "CarelessReader"), ("F6", "SilentReader")}, broken(report)
    said = " ".join(one["seen"] for rule in report["rules"] if rule["rule"] == "F6" for one in rule["seen"])
    assert "given prices.txt with the number 12 in line 1 replaced by 'x': it says 'stoll'" in said, said
    assert "given prices.txt with nothing in it: it says 'there are no prices', which names no file" in said, said
    [report] = check(folder / "readers.so", "--input", f"CarefulReader.prices={prices}", code=0)
    [rule] = [rule for rule in report["rules"] if rule["rule"] == "F6"]
    assert rule["outcome"] == "passed" and {one["stage"] for one in rule["seen"]} == {"CarefulReader"}, rule
inputs = source / "tests/inputs"
[report] = check(built_in / "zz-parsers.so",
                 *(f"--input={key}={inputs}/{key}.yaml" for key in ("workload", "accelerator", "mapping")), code=0)
[rule] = [rule for rule in report["rules"] if rule["rule"] == "F6"]
assert rule["outcome"] == "passed" and "WorkloadParserStage" in {one["stage"] for one in rule["seen"]}, rule

with tempfile.TemporaryDirectory() as name:
    library = (folder / "misbehaving.so").read_bytes()
    text = pathlib.Path(name) / "text.so"
    text.write_text("This is a text file.\n")
    expect(text, ("L9", None))
    truncated = pathlib.Path(name) / "truncated.so"
    truncated.write_bytes(library[:len(library) // 2])
    expect(truncated, ("L9", None))
    foreign = pathlib.Path(name) / "foreign.so"
    foreign.write_bytes(library[:18] + (0x1234).to_bytes(2, "little") + library[20:])
    expect(foreign, ("L9", None))
    lacking = pathlib.Path(name) / "lacking.so"
    links_something = (folder / "unruly.so").read_bytes()
    assert b"libc.so.6\0" in links_something
    lacking.write_bytes(links_something.replace(b"libc.so.6\0", b"libq.so.6\0"))
    expect(lacking, ("L9", None))

files = good or sorted(built_in.glob("*.so"))
# What savers and readers have no default for.
names = ("dump_folder=out", "DumpStage.dump_filename_pattern=results.zz", "SkipIfDumpExistsStage.dump_filename_pattern=results.zz",
         "pickle_filename=results.pkl", "ExplorationStage.axes={'operational_array.sizes[D1]': [1, 2]}",
         "ExplorationStage.store=designs.sqlite", "ExplorationStage.strategy=grid",
         "TransformerWorkloadStage.config={hidden_size: 64, num_hidden_layers: 1, num_attention_heads: 4, intermediate_size: 128, vocab_size: 100}",
         "ServingTablesStage.config={hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 8, vocab_size: 8}",
         "ServingTablesStage.output=tables", "ServingTablesStage.clock_period=1", "ServingTablesStage.max_tokens=1",
         "ServingTablesStage.max_sequences=1", "ServingTablesStage.max_context=1", "ServingTablesStage.fused=null",
         "TransformerWorkloadStage.phase=decode", "TransformerWorkloadStage.context=4", "ScaleSimStage.mapping=mapping.yaml")
for report in check(*files, *(f"--set={name}" for name in names), code=0):
    assert not broken(report), f"{report['file']}: {broken(report)}"

unruly.result()

# What docs/abi.md says of check-plugin is true.
table = {rule["rule"]: rule for rule in check(folder / "nowhere.so", code=3)[0]["rules"]}
# Nothing is said about a library that nobody has looked into.
assert {seen["seen"] for rule in table.values() if rule["outcome"] != "failed" for seen in rule["seen"]} == \
    {"the library could not be loaded"}
rows = dict(re.findall(r"^\| ([A-Z]\d) \| (.*) \|$", (source / "docs/abi.md").read_text(), re.MULTILINE))
assert list(table) == list(rows), f"rules of check-plugin {list(table)}, of docs/abi.md {list(rows)}"
for number, row in rows.items():
    says = "check-plugin" in row.rpartition("|")[2]
    assert says == table[number]["checked"], f"{number}: docs/abi.md {'names' if says else 'does not name'} check-plugin"
print(f"{len(files)} good plugins, {len(rows)} rules")
