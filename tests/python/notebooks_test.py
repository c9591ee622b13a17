"""Runs the notebooks of the documentation from top to bottom, as their readers do: from an empty folder, with the package alone.

What they print is what they are stored with, and each frame has a picture there.
"""

import importlib.util
import json
import pathlib
import re
import runpy
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((SOURCE / "docs/notebooks").glob("*.ipynb"))
TOOL = runpy.run_path(str(SOURCE / "tools/run_notebooks"))


def cells_of(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def without_gaps(text):
    """What a proof leaves open depends on how far it came in its time."""
    return re.sub(r"at most [\d.]+ ?%", "at most ... %", text)


def printed(cell):
    """What a cell wrote to the standard output, and the texts of what it shows."""
    texts = ["".join(output["text"]) for output in TOOL["merged"](cell["outputs"]) if output.get("name") == "stdout"]
    texts += ["".join(output["data"].get("text/plain", "")) for output in cell["outputs"] if output["output_type"] == "execute_result"]
    return [without_gaps(text) for text in texts]


def shown(cell):
    return [without_gaps("".join(output.get("data", {}).get("text/html", ""))) for output in cell["outputs"]]


class Notebooks(unittest.TestCase):
    def test_each_runs_and_says_what_it_is_stored_with(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 8)
        page = (SOURCE / "docs/python.md").read_text()
        for notebook in NOTEBOOKS:
            with self.subTest(notebook.stem):
                self.assertIn(f"(notebooks/{notebook.name})", page)
                stored = cells_of(json.loads(notebook.read_text()))
                for number, (cell, before) in enumerate(zip(cells_of(TOOL["executed"](sys.executable, notebook)), stored, strict=True)):
                    self.assertEqual(printed(cell), printed(before), f"cell {number}: tools/run_notebooks stores it anew")
                    self.assertEqual([TOOL["FRAME"].sub("", text) for text in shown(cell) if text],
                                     [text for text in shown(before) if text], f"cell {number}")
                    frames = sum(len(TOOL["FRAME"].findall(text)) for text in shown(cell))
                    pictures = sum("image/png" in output.get("data", {}) for output in before["outputs"])
                    self.assertEqual(frames, pictures, f"cell {number}")

    def test_they_are_stored_with_results(self):
        for notebook in NOTEBOOKS:
            cells = cells_of(json.loads(notebook.read_text()))
            self.assertTrue(any(cell["outputs"] for cell in cells), notebook.name)
            self.assertNotIn("<iframe", notebook.read_text(), notebook.name)
            self.assertFalse([output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"], notebook.name)


if __name__ == "__main__":
    if not importlib.util.find_spec("nbconvert"):
        print("skipped: this machine has no nbconvert (Debian's jupyter-nbconvert and python3-ipykernel)")
        sys.exit(77)
    unittest.main()
