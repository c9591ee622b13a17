"""The same figures in every locale: numbers of files, defaults, closed forms, constraints and stores, in Python after the
locale was set as its user would have it, and at the command line. Further text cases are run by tests/german.py."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

from small import INPUTS, STAGES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import german  # noqa: E402

# Prints what comes of each pipeline.
PROGRAM = """
import locale, sys
if sys.argv[1]:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ","
import zz
for pipeline in sys.argv[2:]:
    result = zz.run(pipeline)[0]
    print(result.energy, result.latency, result.extra)
chip = zz.Accelerator("accelerator.yaml")
print(chip.memories["buffer"].r_cost, zz.map("workload.yaml", chip, "mapping.yaml", quick=True).energy)
"""


def setUpModule():
    if reason := german.why_not():
        raise unittest.SkipTest(reason)


class Locale(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.german = german.environment_in(cls.folder / "locales")
        # Numbers with fractions in all that is read.
        accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        for memory in accelerator["memories"].values():
            memory["r_cost"], memory["w_cost"] = memory["r_cost"] + 0.875, memory["w_cost"] + 0.625
        (cls.folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
        for name in ("workload.yaml", "mapping.yaml"):
            (cls.folder / name).write_text((INPUTS / name).read_text())
        parameters = {"workload": "workload.yaml", "mapping": "mapping.yaml", "accelerator": "accelerator.yaml", "loma_lpf_limit": 6}
        exploration = {"ExplorationStage": {
            "axes": {"memories.buffer.r_cost": [0.5, 1.25, 2.75]}, "objectives": ["energy", "price"], "figures": "energy within 2.5%",
            "metrics": {"price": "1.5 / memories.buffer.r_cost"}, "constraints": ["price <= 2.5"], "store": "STORE"}}
        proven = [stage for stage in STAGES if not stage.startswith(("Minimal", "Spatial", "Loma"))]
        proven[-1:] = ["MinimalEnergyStage", {"OptimalMappingStage": {"gap": 0.015}}, "CostModelStage"]
        for name, stages in (("plain", STAGES), ("space", [*proven[:2], exploration, *proven[2:]])):
            text = yaml.safe_dump({"version": 1, "parameters": parameters, "stages": stages}, sort_keys=False)
            (cls.folder / f"{name}.yaml").write_text(text)

    def run_in(self, locale, *command):
        # Each time with a new store.
        store = f"{self._testMethodName}{locale}.sqlite"
        (self.folder / "space_here.yaml").write_text((self.folder / "space.yaml").read_text().replace("STORE", store))
        environment = {**os.environ, **(self.german if locale else {"LC_ALL": "C"})}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_python(self):
        here, there = (self.run_in(locale, sys.executable, "-c", PROGRAM, locale, "plain.yaml", "space_here.yaml")
                       for locale in ("", german.NAME))
        self.assertEqual(here, there)
        self.assertEqual(len(here.splitlines()), 3)
        self.assertIn("front", here)

    def test_command(self):
        for name in ("plain", "space_here"):
            here, there = (json.loads(self.run_in(locale, os.environ["ZZ_HOST"], f"{name}.yaml", "-q", "--format=json"))
                           for locale in ("", german.NAME))
            self.assertEqual(here["results"], there["results"])
            self.assertRegex(json.dumps(here["results"]), r"\d\.\d*[1-9]")


if __name__ == "__main__":
    unittest.main()
