"""Numbers are read and written as in the C locale, whatever that of the process is: by core/base/number_text.hpp, std::from_chars,
std::to_chars and fmt. Names the places of the sources that use what follows the locale.

usage: numbers.py
"""
import pathlib
import re
import sys

LOCALE = re.compile(r"""
    \b(?:strto(?:d|f|ld)|wcsto(?:d|f|ld)|sto(?:d|f|ld)|atof|strfmon)(?:_l)?\s*\(    # text -> number
  | \b\w*scanf\s*\(
  | \b(?:std::)?v?(?:f|s|sn|d|as)?printf\s*\((?:[^;"]*)"[^"]*%[-+\ \#0]*[\d.*]*L?[aefgAEFG]   # number -> text
  | \bstd::put_money|\bstd::get_money|\bimbue\s*\(|\bstd::locale\b|\{[^{}"]*:[^{}"]*L\}
""", re.VERBOSE)


def main():
    source = pathlib.Path(".")
    problems = []
    for folder in ("core", "host", "plugins", "sdk", "tools"):
        for path in sorted((source / folder).rglob("*")):
            if path.suffix not in (".c", ".h", ".cpp", ".hpp", ".in"):
                continue
            text = re.sub(r"//[^\n]*", "", path.read_text())
            problems += [f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {found[0].split('(')[0].strip()} follows the locale"
                         for found in LOCALE.finditer(text)]
    for problem in problems:
        print(problem)
    assert not LOCALE.search("fmt::format(\"{:g}\", x)") and LOCALE.search('printf("%5.2f", x)') and LOCALE.search("std::stod(x)")
    sys.exit(1 if problems else 0)


main()
