"""Runs the notebooks of the documentation from top to bottom, as their readers do."""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks").glob("*.ipynb"))


class Notebooks(unittest.TestCase):
    def test_each_runs(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 8)
        for notebook in NOTEBOOKS:
            with self.subTest(notebook.stem), tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)  # results go to where a notebook is
                (folder / "configs").symlink_to(NOTEBOOKS[0].parents[2] / "configs")
                shutil.copy(notebook, folder)
                done = subprocess.run([sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook", "--inplace",
                                       notebook.name], capture_output=True, text=True, cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr[-3000:])
                cells = json.loads((folder / notebook.name).read_text())["cells"]
                self.assertTrue(any(cell.get("outputs") for cell in cells))

    def test_they_are_kept_without_results(self):
        for notebook in NOTEBOOKS:
            for cell in json.loads(notebook.read_text())["cells"]:
                self.assertFalse(cell.get("outputs"), notebook.name)


if __name__ == "__main__":
    if not importlib.util.find_spec("nbconvert"):
        print("skipped: this machine has no nbconvert (Debian's jupyter-nbconvert and python3-ipykernel)")
        sys.exit(77)
    unittest.main()
