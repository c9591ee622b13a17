"""Scripts in the style of ZigZag's users, unchanged, on zz."""

import importlib.util
import json
import logging
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import zz
import zz.as_zigzag
from small import INPUTS, STAGES, parameters

SCRIPTS = pathlib.Path(__file__).resolve().parent / "zigzag_scripts"
COMPAT = {"compat": "zigzag-3.8.5"}


def run_script(name, folder, *options):
    return subprocess.run([sys.executable, "-m", "zz.as_zigzag", *options, str(SCRIPTS / name), str(INPUTS), folder],
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

    def test_whose_figures(self):
        energy = ["MinimalEnergyStage" if stage == "MinimalLatencyStage" else stage for stage in STAGES]
        for version in ("zigzag-3.9", "none"):
            compat = "" if version == "none" else version
            same = zz.run(energy, **parameters(compat=compat))
            self.assertEqual(self.run_script("one_network.py", "--compat", version)[-1],
                             f"total {same.energy} {same.latency}")

    def test_modules_run_too(self):
        (pathlib.Path(self.folder) / "mine.py").write_text("import sys, zigzag\nprint(zigzag.__version__, sys.argv[1:])\n")
        ended = subprocess.run([sys.executable, "-m", "zz.as_zigzag", "-m", "mine", "a", "-b"], cwd=self.folder,
                               capture_output=True, text=True)
        self.assertEqual(ended.stdout, "3.8.5 ['a', '-b']\n", ended.stderr)


class InNotebooks(unittest.TestCase):
    """With zz.as_zigzag.install()."""

    @classmethod
    def setUpClass(cls):
        logging.disable(logging.WARNING)
        cls.addClassCleanup(logging.disable, logging.NOTSET)
        zz.as_zigzag.install()
        cls.addClassCleanup(zz.as_zigzag.remove)
        from zigzag.api import get_hardware_performance_zigzag
        cls.call = staticmethod(get_hardware_performance_zigzag)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.cme = cls.run_small()[2][0][1][0][0]

    @classmethod
    def run_small(cls, **options):
        return cls.call(str(INPUTS / "workload.yaml"), INPUTS / "accelerator.yaml", str(INPUTS / "mapping.yaml"),
                        dump_folder=cls.folder, **options)

    def test_arguments_without_equivalent_are_errors(self):
        for arguments, error, words in (
                ({"dump_filename_pattern": "x"}, TypeError, "write dump_folder"),
                ({"loma_lpf_limit": 3}, TypeError, "write lpf_limit"),
                ({"optt": "energy"}, TypeError, "did you mean 'opt'"),
                ({"opt": "edp"}, ValueError, "one of 'energy', 'latency', 'EDP'"),
                ({"temporal_mapping_type": "odd"}, ValueError, "'uneven', 'even'"),
                ({"temporal_mapping_search_engine": "random"}, ValueError, "'loma', 'salsa'"),
                ({"lpf_limit": -3}, zz.InputError, "loma_lpf_limit")):
            with self.assertRaisesRegex(error, words):
                self.run_small(**arguments)

    def test_arguments_of_stages_without_equivalent_are_errors(self):
        from zigzag.stages.main import MainStage
        from zigzag.stages.results.reduce_stages import SumStage
        with self.assertRaisesRegex(TypeError, r"'accelerator_path' on zz; write accelerator="):
            MainStage([SumStage], accelerator_path="x").run()
        with self.assertRaisesRegex(TypeError, "no stage for 'mine'"):
            MainStage(["mine"]).run()
        with self.assertRaisesRegex(TypeError, "stands in a list for MainStage"):
            SumStage([])

    def test_unknown_attributes_say_what_is_there(self):
        with self.assertRaisesRegex(AttributeError, "did you mean 'energy_total'.* mac_energy, "):
            self.cme.energy_totals
        with self.assertRaisesRegex(AttributeError, "LayerNode has no 'sizes'"):
            self.cme.layer.sizes

    def test_unknown_modules_and_names_say_what_is_there(self):
        with self.assertRaisesRegex(ImportError, "did you mean 'pickle_load'.* open_yaml"):
            from zigzag.utils import pickle_loads  # noqa: F401
        with self.assertRaisesRegex(ModuleNotFoundError, "in place of the module 'zigzag.apis'; did you mean 'zigzag.api'"):
            import zigzag.apis  # noqa: F401

    def test_the_documentation_has_every_module(self):
        from zz.as_zigzag.modules import MODULES
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "zigzag-scripts.md").read_text()
        named = {name for name in re.findall(r"`((?:zigzag|stream)(?:\.\w+)*)`", page)}
        self.assertEqual(named - {"stream"}, {name for name, contents in MODULES.items() if contents})
        for name in MODULES:
            importlib.import_module(name)

    def test_every_attribute_can_be_had(self):
        things = [self.cme, self.cme.layer, self.cme.accelerator, self.cme.accelerator.memory_hierarchy,
                  self.cme.mem_level_list[0], self.cme.mem_level_list[0].memory_instance, self.cme.spatial_mapping,
                  self.cme.temporal_mapping, self.cme.accelerator.operational_array, self.cme + self.cme]
        for thing in things:
            for name in dir(thing):
                if not name.startswith("_"):
                    getattr(thing, name)
            self.assertEqual(pickle.loads(pickle.dumps(thing)), thing)

    def test_json_is_that_of_the_files(self):
        written = json.loads((pathlib.Path(self.folder) / "first_complete.json").read_text())
        ours = json.loads(json.dumps(self.cme.__jsonrepr__()))
        self.assertEqual(ours["outputs"], written["outputs"])
        self.assertEqual(ours["inputs"]["temporal_mapping"], written["inputs"]["temporal_mapping"])
        self.assertEqual(ours["inputs"]["spatial_mapping"], written["inputs"]["spatial_mapping"])

    def test_names_of_operands(self):
        from zigzag.datatypes import LayerDim, LayerOperand, MemoryOperand, OADimension
        self.assertEqual(LayerDim("ox"), "OX")
        self.assertNotEqual(LayerOperand("O"), MemoryOperand("O"))
        self.assertEqual({LayerOperand("W"): 1}["W"], 1)
        with self.assertRaisesRegex(ValueError, "as D1"):
            OADimension("X")


if __name__ == "__main__":
    unittest.main()
