"""Inputs of ZigZag 2, modules of Python, as files of today."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

import zz
from small import STAGES, parameters

OLD_CHIP = """
from zigzag.classes.hardware.architecture.accelerator import Accelerator
from zigzag.classes.hardware.architecture.core import Core
from zigzag.classes.hardware.architecture.memory_hierarchy import MemoryHierarchy
from zigzag.classes.hardware.architecture.memory_instance import MemoryInstance
from zigzag.classes.hardware.architecture.operational_array import MultiplierArray
from zigzag.classes.hardware.architecture.operational_unit import Multiplier

array = MultiplierArray(Multiplier([8, 8], 0.5, 2), {"D1": 4, "D2": 8})
memories = MemoryHierarchy(operational_array=array)
both = {"fh": "rw_port_1", "tl": "rw_port_1", "fl": "rw_port_1", "th": "rw_port_1"}
inputs = {"fh": "rw_port_1", "tl": "rw_port_1", "fl": None, "th": None}
sums = MemoryInstance("sums", 64, 16, 16, 0.1, 0.2, r_port=0, w_port=0, rw_port=1)
memories.add_memory(memory_instance=sums, operands=("O",), port_alloc=(both,), served_dimensions={(0, 1)})
outside = MemoryInstance(name="outside", size=10**17, r_bw=64, r_cost=100, w_cost=100, r_port=0, w_port=0, rw_port=1)
memories.add_memory(outside, ("I1", "I2", "O"), (inputs, inputs, both), "all")
accelerator = Accelerator("old_chip", {Core(1, array, memories)})
"""
OLD_MAPPING = """
mapping = {"default": {"core_allocation": 1, "spatial_mapping": {"D1": ("K", 4), "D2": (("C", 2), ("FX", 3))},
                       "memory_operand_links": {"O": "O", "B": "I2", "A": "I1"}}}
"""


class OldInputs(unittest.TestCase):
    """Modules of ZigZag 2 become files."""

    def converted(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, name).write_text(text)
            return subprocess.run([sys.executable, "-m", "zz.as_zigzag.old_inputs", name], cwd=folder, capture_output=True,
                                  text=True)

    def test_accelerator_is_read(self):
        ended = self.converted("chip.py", OLD_CHIP)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        chip = yaml.safe_load(ended.stdout)
        self.assertEqual(chip["memories"]["sums"]["served_dimensions"], ["D2"])
        self.assertEqual(chip["operational_array"], {"unit_energy": 0.5, "unit_area": 2, "dimensions": ["D1", "D2"], "sizes": [4, 8]})
        mapping = yaml.safe_load(self.converted("plan.py", OLD_MAPPING).stdout)
        self.assertEqual(mapping, [{"name": "default", "spatial_mapping": {"D1": ["K, 4"], "D2": ["C, 2", "FX, 3"]},
                                    "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}])
        self.assertGreater(zz.run(STAGES, **parameters(accelerator=chip, mapping=mapping)).energy, 0)

    def test_imports_that_nothing_uses(self):
        unused = "from zigzag.classes.hardware.architecture.memory_level import MemoryLevel\n"
        self.assertEqual(self.converted("chip.py", unused + OLD_CHIP).stdout, self.converted("chip.py", OLD_CHIP).stdout)
        self.assertIn("MemoryLevel", self.converted("chip.py", unused + OLD_CHIP + "MemoryLevel(array)\n").stderr)

    def test_operands_get_the_names_of_today(self):
        def layers(first, second):
            return (f"workload = {{0: {{'equation': 'O[g][ox]={first}[g][ox]+{second}[g][ox]', 'loop_dim_size': {{'G': 4, 'OX': 6}}, "
                    f"'operand_precision': {{'O': 16, 'O_final': 8, '{first}': 8, '{second}': 4}}, 'core_allocation': 1, "
                    f"'operand_source': {{'{first}': [], '{second}': []}}, 'operator_type': 'Add'}}}}\n")
        for first, second, equation in (("X", "Y", "O[g][ox]=W[g][ox]+I[g][ox]"), ("A", "B", "O[g][ox]=I[g][ox]+W[g][ox]")):
            ended = self.converted("sum.py", layers(first, second))
            self.assertIn("core_allocation of layers", ended.stderr)
            (layer,) = yaml.safe_load(ended.stdout)
            self.assertEqual(layer["equation"], equation)
            self.assertEqual(layer["operand_precision"][equation.partition("=")[2][0]], 8)
            self.assertGreater(zz.run(STAGES, **parameters(workload=[layer])).energy, 0)

    def test_what_it_does_not_know(self):
        ended = self.converted("odd.py", "from zigzag.classes.stages import MainStage\nworkload = MainStage\n")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("MainStage", ended.stderr)
        self.assertIn("no 'accelerator'", self.converted("empty.py", "chip = 1\n").stderr)
        self.assertIn("no 'loop_dim_size'", self.converted("short.py", "workload = {0: {'operand_precision': {}, 'equation': ''}}\n").stderr)


if __name__ == "__main__":
    unittest.main()
