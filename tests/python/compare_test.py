"""zz.compare: two runs side by side, and a pipeline by the rules of zz and by those of ZigZag or Stream."""

import math
import pathlib
import tempfile
import unittest

import zz
from small import INPUTS, STAGES, parameters


class Comparing(unittest.TestCase):
    def test_both_figures_are_those_of_runs(self):
        found = zz.compare(STAGES, with_="zigzag-3.9", **parameters())
        ours, theirs = zz.run(STAGES, **parameters()), zz.run(STAGES, **parameters(compat="zigzag-3.9"))
        self.assertEqual(found.compat, "zigzag-3.9")
        self.assertIsNone(found.refused)
        self.assertEqual(found.total, {"layer": "total", "energy": ours.energy, "energy_original": theirs.energy,
                                       "latency": ours.latency, "latency_original": theirs.latency})
        self.assertEqual([layer["layer"] for layer in found.layers], [layer["layer"] for layer in ours.layers])

    def test_shares_of_rules_add_up(self):
        pipeline = INPUTS.parents[1] / "configs/pipelines/small_cnn_simba_like.yaml"
        with tempfile.TemporaryDirectory() as folder:
            found = zz.compare(pipeline, by_rule=True, dump_folder=folder)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
        self.assertIn("faster_than_ports", [share["rule"] for share in found.by_rule])
        for layer in found.layers:
            moved = [share for share in found.by_rule if share["layer"] == layer["layer"]]
            for figure in ("energy", "latency"):
                self.assertTrue(math.isclose(sum(share[figure] for share in moved),
                                             layer[figure] - layer[figure + "_original"], rel_tol=1e-9, abs_tol=1e-3))

    def test_unknown_original(self):
        with self.assertRaisesRegex(zz.InputError, "'zigzag-3.7' is none of .*did you mean 'zigzag-3.9'"):
            zz.compare(STAGES, with_="zigzag-3.7", **parameters())

    def test_two_pipelines_and_their_results_are_the_same_pair(self):
        other = parameters(loma_lpf_limit=2)
        first, second = zz.run(STAGES, **parameters()), zz.run(STAGES, **other)
        with tempfile.TemporaryDirectory() as folder:
            found = zz.compare(first, {"version": 1, "stages": ["SimpleSaveStage", *STAGES], "parameters": {**other, "dump_folder": folder}})
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
        self.assertEqual(found["results"], zz.compare(first, second)["results"])
        self.assertEqual(found.total, {"layer": "total", "energy_first": first.energy, "energy_second": second.energy,
                                       "latency_first": first.latency, "latency_second": second.latency,
                                       "limited_by_first": first.total["limited_by"],
                                       "limited_by_second": second.total["limited_by"]})
        self.assertEqual([layer["layer"] for layer in found.layers], [layer["layer"] for layer in first.layers])
        self.assertIn(first.layers[0]["layer"], found.page())

    def test_folder_of_results(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = zz.run(["CompleteSaveStage", *STAGES], **parameters(dump_folder=folder))
            found = zz.compare(folder, saved)
        self.assertTrue(math.isclose(found.total["latency_first"], saved.latency))
        self.assertTrue(math.isclose(found.total["energy_first"], saved.energy))
        self.assertEqual([layer["latency_first"] for layer in found.layers], [None] * len(saved.layers))

    def test_results_on_several_cores_have_the_layers_of_their_pipeline(self):
        pipeline = INPUTS / "stream.yaml"
        with tempfile.TemporaryDirectory() as folder:
            ran = zz.run(pipeline, dump_folder=folder)
            found = zz.compare(ran, pipeline, dump_folder=folder)
        self.assertGreater(len(found.layers), 1)
        for layer in [*found.layers, found.total]:
            self.assertEqual(layer["latency_first"], layer["latency_second"])
            self.assertEqual(layer["energy_first"], layer["energy_second"])
        self.assertEqual(found.total["latency_first"], ran.latency)

    def test_rules_are_of_one_pipeline(self):
        with self.assertRaisesRegex(TypeError, "with_ and by_rule are of one pipeline"):
            zz.compare(STAGES, STAGES, by_rule=True)


if __name__ == "__main__":
    unittest.main()
