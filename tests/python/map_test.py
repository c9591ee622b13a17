import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

import zz
from small import INPUTS, STAGES, parameters

FILES = {name: INPUTS / f"{name}.yaml" for name in ("workload", "accelerator", "mapping")}
SEVERAL = {name: INPUTS / f"stream_{name}.yaml" for name in FILES}


class Mapping(unittest.TestCase):
    def test_figures_are_those_of_the_pipeline_that_one_would_write(self):
        self.assertEqual(zz.map(**FILES, quick=True).latency, zz.run(STAGES, **parameters()).latency)
        self.assertEqual(zz.map(**FILES, quick=True, limit=2).energy, zz.run(STAGES, **parameters(loma_lpf_limit=2)).energy)

    def test_mappings_are_proven_best_by_default(self):
        proven, quick = zz.map(**FILES), zz.map(**FILES, quick=True)
        self.assertEqual({layer["optimum_gap"] for layer in proven.layers}, {0})
        self.assertLessEqual(proven.latency, quick.latency)
        self.assertEqual(proven.latency, zz.optimum(FILES["workload"], FILES["accelerator"], mapping=FILES["mapping"]).latency)
        self.assertRegex(proven.search[0], "^proven best among all ")
        self.assertRegex(" ".join(quick.search), "tried for each layer: .* loop orders")

    def test_a_proof_that_was_cut_off_is_told(self):
        results = zz.map(FILES["workload"], FILES["accelerator"], time_limit=0)
        self.assertGreater(results.optimum_gap, 0)
        self.assertRegex(results.search[-1], "^not proven: .* above the best")

    def test_figures_are_those_of_the_command(self):
        options = [word for name, path in FILES.items() for word in (f"--{name}", str(path))]
        for choices in ({"objective": "energy"}, {"objective": "edp", "quick": True}):
            words = [f"--objective={choices['objective']}", *(["--quick"] if "quick" in choices else [])]
            command = subprocess.run([os.environ["ZZ_HOST"], "map", *options, *words, "--format=json"],
                                     capture_output=True, check=True)
            total = json.loads(command.stdout)["results"][0]["total"]
            results = zz.map(**FILES, **choices)
            self.assertEqual((results.energy, results.latency), (total["energy_total"], total["latency_total2"]))

    def test_inputs_may_be_in_memory(self):
        in_memory = {name: yaml.safe_load(path.read_text()) for name, path in FILES.items()}
        self.assertEqual(zz.map(**in_memory).energy, zz.map(**FILES).energy)

    def test_several_cores_are_seen_in_memory_too(self):
        accelerator = yaml.safe_load(SEVERAL["accelerator"].read_text())
        accelerator["cores"] = [str(INPUTS / core) for core in accelerator["cores"]]
        pipeline = zz.default_pipeline(SEVERAL["workload"], accelerator, SEVERAL["mapping"], objective="edp")
        self.assertEqual(pipeline["stages"][-1], "InterCoreMappingStage")
        results = zz.map(SEVERAL["workload"], accelerator, SEVERAL["mapping"], objective="edp", evaluation_limit=100)
        self.assertGreater(results.latency, 0)
        accelerator["cores"] = {number: yaml.safe_load(pathlib.Path(core).read_text())
                                for number, core in enumerate(accelerator["cores"])}
        again = zz.map(SEVERAL["workload"], accelerator, SEVERAL["mapping"], objective="edp", evaluation_limit=100)
        self.assertEqual((again.energy, again.latency), (results.energy, results.latency))

    def test_a_language_model_is_read_on_several_cores_too(self):
        config = {"model_type": "llama", "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 20}
        pipeline = zz.default_pipeline(config, SEVERAL["accelerator"], SEVERAL["mapping"])
        self.assertEqual(pipeline["stages"][1], "TransformerWorkloadStage")
        self.assertEqual(pipeline["stages"][-1], "InterCoreMappingStage")

    def test_results_go_to_a_folder_on_request(self):
        with tempfile.TemporaryDirectory() as folder:
            zz.map(**FILES, output=pathlib.Path(folder) / "out")
            self.assertTrue((pathlib.Path(folder) / "out/overall_simple.json").exists())

    def test_the_pipeline_can_be_changed(self):
        pipeline = zz.default_pipeline(**FILES, quick=True)
        pipeline["stages"][pipeline["stages"].index("LomaStage")] = {"SalsaStage": {"salsa_iteration_number": 50}}
        self.assertGreater(zz.run(pipeline).latency, 0)

    def test_a_precision_can_be_chosen(self):
        layers = zz.map(**FILES, precision=4).extra
        self.assertEqual({operand.precision for pair in layers for operand in pair[1][0].operands[1:]}, {4})
        with self.assertRaisesRegex(zz.InputError, "the precision is 7.5: an element has whole bits"):
            zz.map(**FILES, precision=7.5)
        for wrong in (0, 1000, "fiel"):
            with self.assertRaisesRegex(zz.InputError, f"must be bits .* or 'file', but found '{wrong}'"):
                zz.map(**FILES, precision=wrong)

    def test_a_precision_is_a_type_with_a_name_or_a_map(self):
        def weights(**said):
            layers = [pair[1][0] for pair in zz.map(**{**FILES, **said}, quick=True, limit=3).extra]
            return [operand for layer in layers for operand in layer.operands if operand.name == "W"]

        def default_entry(kind):
            return [{"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}, "operand_precision": {"W": kind, "O": 32}}]

        block = {"bits": 4, "scale": {"bits": 8, "every": 32}}
        for said in ("mxfp4", block):
            for one in weights(precision=said):
                self.assertEqual((one.precision, one.scale.bits, one.scale.every), (4, 8, 32))
        for kind, scale in (("mxfp4", 8), ({**block, "scale": {"bits": 20, "every": 4, "along": "C"}}, 20), (4, 0)):
            for one in weights(mapping=default_entry(kind)):
                self.assertEqual((one.precision, one.scale.bits), (4, scale))
        for wrong, told in ((4.25, "whole bits.*say which, as {bits: 4, scale: {bits: 8, every: 32}}, or name a type, as mxfp4"),
                            ("mxpf4", "did you mean 'mxfp4'"), ({"bits": 4, "scale": {"bits": 8, "every": 0}}, "'every' of 'scale' of the precision is 0, expected are elements"),
                            ({"bits": 4, "scale": {"bits": 8, "every": 4, "along": "Z"}}, "blocks of .* are along Z, which is no dimension")):
            with self.assertRaisesRegex(zz.InputError, told):
                zz.map(**FILES, precision=wrong)

    def test_what_a_search_did_not_find_is_not_proven(self):
        # One bit is room for nothing, and elements fit that whole tensors do not.
        accelerator = yaml.safe_load(FILES["accelerator"].read_text())
        size = accelerator["memories"]["buffer"]["size"]
        accelerator["memories"]["buffer"]["size"] = 24
        with self.assertRaisesRegex(zz.NotFound, "OptimalMappingStage searches all"):
            zz.map(**{**FILES, "accelerator": accelerator}, quick=True)
        accelerator["memories"]["buffer"]["size"] = size
        accelerator["memories"]["dram"]["size"] = 1
        with self.assertRaises(zz.NoResult) as raised:
            zz.map(**{**FILES, "accelerator": accelerator})
        self.assertNotIsInstance(raised.exception, zz.NotFound)

    def test_wrong_choices_are_told(self):
        with self.assertRaisesRegex(zz.InputError, "objective must be .* but found 'engery'.*did you mean 'energy'"):
            zz.map(**FILES, objective="engery")
        with self.assertRaisesRegex(zz.InputError, "the limit is one of LOMA's"):
            zz.map(**FILES, limit=5)
        with self.assertRaisesRegex(zz.InputError, "reads the argument 'optimal'; .*proven best"):
            zz.map(**FILES, optimal=True)
        with self.assertRaisesRegex(zz.InputError, "nowhere.onnx"):
            zz.map("nowhere.onnx", FILES["accelerator"], FILES["mapping"])
        with self.assertRaisesRegex(zz.InputError, "this is one layer: write \\[layer\\], or zz.optimum"):
            zz.map(yaml.safe_load(FILES["workload"].read_text())[0], FILES["accelerator"])
        with self.assertRaisesRegex(zz.InputError, "this is one layer"):
            zz.Workload(yaml.safe_load(FILES["workload"].read_text())[0])


if __name__ == "__main__":
    unittest.main()
