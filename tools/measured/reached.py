"""The errors that were reached, by set: tests/ledger/reached.json holds them for the small sets of the project ("own") and, where
it was there, for the whole ledger ("shared"). An error may fall, and never rise again."""
import json
import pathlib
import sys

import sets
import table

SOURCE = pathlib.Path(__file__).resolve().parents[2]
REACHED, PAGE, TABLE = SOURCE / "tests/ledger/reached.json", SOURCE / "docs/accuracy.md", SOURCE / "host/report/ledger_sets.def"
#: Figures that may not rise, and those that may not fall. What is within rounding is the same.
LOWER, HIGHER, SLACK = ("mean_ape", "median_ape", "geometric"), ("spearman",), 1e-4


def check(which, found):
    """0 where no set of the small ones, or of the whole ledger, is worse than before."""
    known = json.loads(REACHED.read_text(encoding="utf-8")).get(which, {})
    wrong, better = [], []
    for name, figures in found.items():
        if figures["n"] < known.get(name, figures)["n"]:
            wrong.append(f"{name}: {figures['n']} points of {known[name]['n']}")
        for column in LOWER + HIGHER:
            before, now = known.get(name, {}).get(column), figures[column]
            if before is None or now is None:
                continue
            rise = (now - before) * (1 if column in LOWER else -1)
            if rise > SLACK:
                wrong.append(f"{name}: {column} was {before:.6g} and is {now:.6g}")
            elif rise < -SLACK:
                better.append(name)
    wrong += [f"{name}: has no point any more" for name in known.keys() - found.keys()]
    wrong += [f"{name}: not in {REACHED.name}; tools/ledger --write" for name in found.keys() - known.keys()]
    for name in dict.fromkeys(better):
        print(f"{name}: better than what was reached; tools/ledger --write keeps it")
    for words in wrong:
        print("ledger: worse:", words, file=sys.stderr)
    return 1 if wrong else 0


def write(tables):
    """What was reached, by "own" and "shared". Of the whole ledger also the table of docs/accuracy.md, and the sets that zz-host
    knows; without it these stay."""
    known = json.loads(REACHED.read_text(encoding="utf-8")) if REACHED.exists() else {}
    REACHED.write_text(json.dumps({**known, **tables}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if "shared" in tables:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), tables["shared"]), encoding="utf-8")
        TABLE.write_text(definitions(tables["shared"]), encoding="utf-8")
    return 0


BEGIN, END = "<!-- Made by tools/ledger: table -->", "<!-- end -->"


def with_table(page, found):
    lines = ["| " + " | ".join([*table.HEAD, "what it can and cannot say"]) + " |", "|---|---" + "|---:" * (len(table.HEAD) - 2) + "|---|"]
    lines += ["| " + " | ".join([*row, sets.part_of(row[0]).says]) + " |" for row in table.rows(found)]
    before, rest = page.split(BEGIN)
    return before + "\n".join([BEGIN, "", *lines, ""]) + "\n" + END + rest.split(END, 1)[1]


def definitions(found):
    lines = ["// Written by tools/ledger --write; do not edit. docs/accuracy.md has the same figures.", "//",
             "//   ZZ_LEDGER_SET(name, figure, array, kept, least_units, most_units, bits, memories,",
             "//                 keys, points, mean_error, median_error, ratio)", ""]
    for name, figures in found.items():
        part = sets.part_of(name)
        if part.hardware is not None:
            hardware = part.hardware
            texts = ", ".join(json.dumps(text) for text in (name, part.figure, hardware.kind, hardware.kept))
            numbers = ", ".join(map(str, (*hardware.units, hardware.bits, hardware.memories)))
            errors = ", ".join(f"{figures[column] / 100:.4f}" for column in ("mean_ape", "median_ape"))
            lines.append(f"ZZ_LEDGER_SET({texts}, {numbers},\n              {json.dumps(hardware.keys)}, {figures['n']}, {errors}, {figures['ratio']:.3f})")
    return "\n".join(lines) + "\n"
