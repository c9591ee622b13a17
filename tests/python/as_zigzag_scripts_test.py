"""Scripts in the style of ZigZag's users, unchanged, each in a process of its own."""

import ast
import importlib.util
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import yaml

import zz
from small import COMPAT, INPUTS, STAGES, parameters

SCRIPTS = pathlib.Path(__file__).resolve().parent / "zigzag_scripts"


def run_script(name, folder, *options, arguments=()):
    return subprocess.run([sys.executable, "-m", "zz.as_zigzag", *options, str(SCRIPTS / name), str(INPUTS), folder, *arguments],
                          cwd=folder, capture_output=True, text=True)


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_script(self, name, *options):
        ended = run_script(name, self.folder, *options)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.splitlines()

    def test_one_network(self):
        lines = self.run_script("one_network.py")
        energy = ["MinimalEnergyStage" if stage == "MinimalLatencyStage" else stage for stage in STAGES]
        same = zz.run(energy, **parameters(**COMPAT))
        self.assertEqual(lines[-1], f"total {same.energy} {same.latency}")
        self.assertEqual(len(lines), 1 + len(same.layers))
        simple = json.loads((pathlib.Path(self.folder) / "overall_simple.json").read_text())
        self.assertEqual(simple["energy"], same.energy)
        self.assertTrue(list(pathlib.Path(self.folder).glob("*_complete.json")))
        with open(pathlib.Path(self.folder) / "cmes.pickle", "rb") as file:
            loaded = pickle.load(file)  # in a process that has no `zigzag`
        self.assertEqual(sum(loaded).energy_total, same.energy)

    def test_a_sweep(self):
        self.assertEqual(len(self.run_script("sweep.py")), 2 + 6)

    def test_a_list_of_stages(self):
        lines = self.run_script("stages.py")
        self.assertEqual([line.split()[0] for line in lines], ["first", "second"])
        self.assertTrue((pathlib.Path(self.folder) / "first_simple.json").exists())

    def test_stages_of_its_own(self):
        ended = run_script("own_stages.py", self.folder, arguments=("buffer", "4096,8192", "1e9"))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        for size, line in zip((4096, 8192), ended.stdout.splitlines(), strict=True):
            accelerator["memories"]["buffer"]["size"] = size
            same = zz.run(STAGES, **parameters(accelerator=accelerator, **COMPAT))
            leaking = sum(layer["energy"] + 0.5 * layer["latency"] for layer in same.layers)
            self.assertEqual(line, f"{size} {leaking} {same.latency}")

    def test_what_a_stage_of_its_own_raises_comes_as_it_was_raised(self):
        ended = run_script("own_stages.py", self.folder, arguments=("buffer", "4096", "1"))
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr.splitlines()[-1], "AssertionError: nothing stays within the budget")
        self.assertRegex(ended.stderr, r'own_stages.py", line \d+, in run\n    assert best')
        self.assertNotIn("StageError", ended.stderr)

    def test_pictures(self):
        lines = self.run_script("pictures.py")
        self.assertEqual(lines[0], "Loop ordering for first")
        self.assertRegex("\n".join(lines), r"for \w+ in \[0, \d+\):\s+buffer\s+buffer\s")
        folder = pathlib.Path(self.folder)
        with_matplotlib = importlib.util.find_spec("matplotlib") is not None
        self.assertEqual((folder / "breakdown.png").exists(), with_matplotlib)
        hierarchy = (folder / "hierarchy.svg").read_text()
        for name in ("buffer", "register"):
            self.assertIn(f">{name}</text>", hierarchy)
        if not with_matplotlib:
            bars = xml.etree.ElementTree.fromstring((folder / "breakdown.svg").read_text())
            texts = {part.text for part in bars.iter("{http://www.w3.org/2000/svg}text")}
            self.assertLessEqual({"0: first", "1: second", "MAC", "W rd_out_to_low", "Temporal stall"}, texts)

    def test_stalls_of_ports(self):
        lines = self.run_script("stalls.py")
        self.assertEqual([line.partition(":")[0] for line in lines], ["register", "buffer", "dram"])

    def test_several_cores(self):
        [line] = self.run_script("several_cores.py")
        nodes, latency, energy, files = line.split(maxsplit=3)
        self.assertEqual(nodes, "8")
        self.assertEqual(ast.literal_eval(files), ["cost_lut.pickle", "memory.svg", "schedule.html", "scme.json",
                                                   "scme.pickle", "timeline.svg"])
        [again] = self.run_script("several_cores.py")  # from the pickle
        self.assertEqual(again, line)

    def test_stages_of_stream(self):
        [line] = self.run_script("main_stages_of_stream.py")
        [same] = zz.run(INPUTS / "stream.yaml", compat="stream-0.0.8", nb_ga_individuals=4, nb_ga_generations=1,
                        operands_to_prefetch=["W"], dump_folder=self.folder)
        self.assertEqual(line, f"{same.evaluation.schedule.latency} {same.evaluation.schedule.energy}")

    def test_whose_figures(self):
        energy = ["MinimalEnergyStage" if stage == "MinimalLatencyStage" else stage for stage in STAGES]
        for version in ("zigzag-3.9", "none"):
            compat = "" if version == "none" else version
            same = zz.run(energy, **parameters(compat=compat))
            self.assertEqual(self.run_script("one_network.py", "--compat", version)[-1],
                             f"total {same.energy} {same.latency}")

    def test_modules_run_too(self):
        (pathlib.Path(self.folder) / "mine.py").write_text("import sys, zigzag\nprint(zigzag.__version__, sys.argv[1:])\n")
        ended = subprocess.run([sys.executable, "-m", "zz.as_zigzag", "-m", "mine", "-b", "a"], cwd=self.folder,
                               capture_output=True, text=True)
        self.assertEqual(ended.stdout, "3.8.5 ['-b', 'a']\n", ended.stderr)


if __name__ == "__main__":
    unittest.main()
