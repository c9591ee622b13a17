"""Every shipped network runs on every shipped chip of one core, as a first call has it: with --all on the command line all
of them, else some of each kind. The command and Python have the same figures."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import zz

CONFIGS = pathlib.Path(__file__).resolve().parent.parent.parent / "configs"
NETWORKS = sorted(path for path in (CONFIGS / "workloads").iterdir() if path.suffix in (".onnx", ".yaml"))
#: Requests take as long as data lie in memory, which a mapping file has to say: there is no first call without one.
CHIPS = [path for path in sorted((CONFIGS / "accelerators").glob("*.yaml"))
         if not path.stem.endswith("_vector_unit") and not any(key in path.read_text() for key in ("\ncores:", "request:"))]
#: What files leave open has to be said by whoever calls.
DIMENSIONS = {"bert_encoder": {"batch": 1, "sequence": 128}, "llama_decoder": {"batch": 1, "sequence": 1, "past": 127}}
SOME = {("quantised_cnn", "gemmini_like"), ("gemm", "chih_digital_imc_like"), ("llama_decoder", "ascend_like")}


class Pairs(unittest.TestCase):
    def first_call(self, network, chip):
        dimensions = DIMENSIONS.get(network.stem, {})
        command = subprocess.run(
            [os.environ["ZZ_HOST"], "map", "--workload", str(network), "--accelerator", str(chip), "--format=json",
             *(word for name, length in dimensions.items() for word in ("--set", f"dimensions.{name}={length}"))],
            capture_output=True, text=True)
        self.assertEqual(command.returncode, 0, command.stderr)
        total = json.loads(command.stdout)["results"][0]["total"]
        results = zz.map(network, chip, **({"dimensions": dimensions} if dimensions else {}))
        # Where the second for a layer ends, so does what is found.
        gaps = [one[name] for one in (results.total, total["metrics"]) for name in ("optimum_gap", "optimum_second_gap")]
        if not any(gaps):
            self.assertEqual((results.energy, results.latency), (total["energy_total"], total["latency_total2"]))

    def test_first_calls_succeed(self):
        names = {(network.stem, chip.stem) for network in NETWORKS for chip in CHIPS}
        self.assertLessEqual(SOME, names)
        for network in NETWORKS:
            for chip in CHIPS:
                if ALL or (network.stem, chip.stem) in SOME:
                    with self.subTest(network=network.stem, chip=chip.stem):
                        self.first_call(network, chip)

    def test_files_of_floats_run_with_the_bits_of_the_units(self):
        for precision, expected in ((None, 16), (8, 8), ("file", 32)):
            layers = zz.map(CONFIGS / "workloads/alexnet.onnx", CONFIGS / "accelerators/shidiannao_like.yaml",
                            precision=precision, quick=True, limit=1).extra
            bits = {operand.precision for pair in layers for operand in pair[1][0].operands[1:]}
            self.assertEqual(bits, {expected})


ALL = "--all" in sys.argv
if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
