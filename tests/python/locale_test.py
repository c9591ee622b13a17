"""The same figures in every locale: numbers of files, closed forms, constraints and stores, in Python and at the command line."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

from small import INPUTS, STAGES

COMMA = "de_DE.UTF-8"
# Prints what comes of each pipeline after the locale was set as its user would have it.
PROGRAM = """
import locale, sys
if sys.argv[1]:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ","
import zz
for pipeline in sys.argv[2:]:
    result = zz.run(pipeline)[0]
    print(result.energy, result.latency, result.extra.get("front") if isinstance(result.extra, dict) else "")
"""


def setUpModule():
    if shutil.which("localedef") is None or not os.path.exists("/usr/share/i18n/locales/de_DE"):
        raise unittest.SkipTest("no definitions of locales here (Debian: locales)")


class Locale(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "locales").mkdir()
        # Its exit status tells of warnings, too.
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.folder / "locales" / COMMA], stderr=subprocess.DEVNULL)
        # Numbers with fractions in all that is read.
        accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        for memory in accelerator["memories"].values():
            memory["r_cost"], memory["w_cost"] = memory["r_cost"] + 0.875, memory["w_cost"] + 0.625
        (self.folder / "accelerator.yaml").write_text(yaml.safe_dump(accelerator, sort_keys=False))
        inputs = {"workload": str(INPUTS / "workload.yaml"), "mapping": str(INPUTS / "mapping.yaml"), "loma_lpf_limit": 6,
                  "accelerator": str(self.folder / "accelerator.yaml")}
        memory = next(iter(accelerator["memories"]))
        exploration = {"ExplorationStage": {
            "axes": {f"memories.{memory}.r_cost": [0.5, 1.25, 2.75]}, "objectives": ["energy", "price"], "figures": "energy within 2.5%",
            "metrics": {"price": f"1.5 / memories.{memory}.r_cost"}, "constraints": ["price <= 2.5"]}}
        for name, stages in (("plain", STAGES), ("space", [*STAGES[:2], exploration, *STAGES[2:]])):
            (self.folder / f"{name}.yaml").write_text(yaml.safe_dump({"version": 1, "parameters": inputs, "stages": stages}, sort_keys=False))

    def run_in(self, locale, *command):
        environment = {**os.environ, "LOCPATH": str(self.folder / "locales"), "LC_ALL": locale or "C"}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_python(self):
        pipelines = ["plain.yaml", "space.yaml"]
        here, there = (self.run_in(locale, sys.executable, "-c", PROGRAM, locale, *pipelines) for locale in ("", COMMA))
        self.assertEqual(here, there)
        self.assertEqual(len(here.splitlines()), 2)

    def test_command(self):
        for name in ("plain", "space"):
            here, there = (json.loads(self.run_in(locale, os.environ["ZZ_HOST"], f"{name}.yaml", "-q", "--format=json"))
                           for locale in ("", COMMA))
            self.assertEqual(here["results"], there["results"])
            self.assertGreater(here["results"][0]["energy"] % 1, 0)


if __name__ == "__main__":
    unittest.main()
