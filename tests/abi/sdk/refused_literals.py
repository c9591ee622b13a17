"""What the compiler says of a value that zz::make cannot take: one sentence, and the line that is meant.

usage: refused_literals.py COMPILER INCLUDE_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile

compiler, include = sys.argv[1:]
FRAME = """#include "zz/make.hpp"
struct Point { int x; };
zz::Value made(const std::vector<std::string>& names, const Point& point) {
  static_cast<void>(names), static_cast<void>(point);
  return zz::make("evaluation", {{"energy_total", 1.0},
                                 {"names", VALUE}});
}
"""
SENTENCE = "no value of zz::make: give a truth value, number, text, Ref, Value, nullptr, map in braces or numbers in a vector"


def said_of(value, folder):
    file = pathlib.Path(folder) / "made.cpp"
    file.write_text(FRAME.replace("VALUE", value))
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", file], capture_output=True, text=True).stderr


with tempfile.TemporaryDirectory() as folder:
    assert said_of("zz::list(names)", folder) == ""
    for value in ("names", "point"):
        said = said_of(value, folder)
        errors = [line for line in said.splitlines() if "error:" in line]
        assert len(errors) == 1 and SENTENCE in errors[0], said
        assert "made.cpp:5" in said or "made.cpp:6" in said, said
