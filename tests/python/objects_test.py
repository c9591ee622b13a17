"""Accelerators, networks and mappings as objects: read, changed, written, run, shown."""

import pathlib
import pickle
import tempfile
import unittest
import xml.etree.ElementTree

import zz
from small import INPUTS

NETWORK = zz.configs / "workloads/small_cnn.yaml"
MODEL = zz.configs / "workloads/quantised_cnn.onnx"
BITS = {"W": 8, "I": 8, "O": 32, "O_final": 8}


def small_cnn_chip():
    return zz.Accelerator(zz.configs / "accelerators/gemmini_like.yaml")


def figures(results):
    return results.energy, results.latency


class Files(unittest.TestCase):
    def test_a_picture_of_open_costs_has_figures(self):
        page = zz.Accelerator(zz.configs / "accelerators/edge_28nm.yaml")._repr_html_()
        self.assertNotIn("? / ?", page)
        self.assertNotIn("auto", page)
        self.assertIn("costs that are left open as ComponentCostStage fills them", page)

    def test_every_shipped_file_reads_back_as_it_was(self):
        for kind, folder in ((zz.Accelerator, "accelerators"), (zz.Mapping, "mappings"), (zz.Workload, "workloads")):
            for file in sorted((zz.configs / folder).glob("*.yaml")):
                with self.subTest(file=file.name), tempfile.TemporaryDirectory() as temporary:
                    first = kind(file)
                    first.save(pathlib.Path(temporary) / "again.yaml")
                    self.assertEqual(kind(pathlib.Path(temporary) / "again.yaml").to_python(), first.to_python())
                    self.assertEqual(kind(first.to_yaml()), first)
                    self.assertEqual(pickle.loads(pickle.dumps(first)), first)

    def test_texts_that_could_be_something_else_stay_texts(self):
        odd = {"name": "1e3", "memories": {"yes": {"a b": "null", "c": ["x: y", "- z", "", "12", "#"], "d": [[1, [2.5e-7]], []]}}}
        self.assertEqual(zz.Accelerator(zz.Accelerator(odd).to_yaml()).to_python(), odd)

    def test_small_numbers_stay_numbers(self):
        chip = zz.Accelerator(zz.configs / "accelerators/gemmini_like.yaml")
        chip["memories"]["scratchpad"]["area"] = 0.00001
        self.assertGreater(zz.map(NETWORK, chip, quick=True, limit=3).energy, 0)

    def test_mistakes_in_a_file_have_their_place(self):
        with self.assertRaisesRegex(zz.InputError, r"text>?:2"):
            zz.Accelerator("name: x\nmemories: [1, 2\n")


class Changes(unittest.TestCase):
    def test_what_is_set_is_what_runs(self):
        chip = small_cnn_chip()
        by_hand = chip.to_python()
        by_hand["memories"]["scratchpad"]["r_cost"] *= 2
        chip.memories["scratchpad"].r_cost *= 2
        self.assertEqual(figures(zz.map(NETWORK, chip, quick=True, limit=3)),
                         figures(zz.map(NETWORK, by_hand, quick=True, limit=3)))

    def test_a_copy_is_another_one(self):
        chip = small_cnn_chip()
        other = chip.copy()
        other.memories["scratchpad"].size = 8
        self.assertNotEqual(chip, other)
        self.assertEqual(chip, small_cnn_chip())

    def test_names_that_are_not_there_are_told_with_the_nearest(self):
        chip = small_cnn_chip()
        with self.assertRaisesRegex(AttributeError, "did you mean 'size'"):
            chip.memories["scratchpad"].sise = 3
        with self.assertRaisesRegex(KeyError, "did you mean 'scratchpad'"):
            chip.memories["scratchpat"]
        with self.assertRaisesRegex(KeyError, "did you mean 'body'"):
            zz.Workload(NETWORK).layers["bodi"]

    def test_what_is_no_input_file(self):
        for kind, words in ((zz.Accelerator, "a dict"), (zz.Workload, "a list of dicts"), (zz.Mapping, "a list of dicts")):
            for wrong in (3, kind):
                with self.subTest(kind, wrong=wrong), self.assertRaisesRegex(TypeError, "^source=.*expected a path"):
                    kind(wrong)
            with self.subTest(kind), self.assertRaisesRegex(zz.InputError, f"is {words}, but found "):
                kind([3])
        with self.assertRaisesRegex(zz.InputError, "a mapping is a list of dicts, but found {'a': 1}"):
            zz.Mapping({"a": 1})

    def test_a_point_of_a_sweep_keeps_what_the_object_said(self):
        def points():
            chip = small_cnn_chip()
            for cost in (1.0, 2.0):
                chip.memories["scratchpad"].r_cost = cost
                yield {"accelerator": chip}

        first, second = zz.sweep(zz.default_pipeline(NETWORK, small_cnn_chip(), quick=True, limit=3), points())
        self.assertLess(first.energy, second.energy)


class Networks(unittest.TestCase):
    def test_a_model_that_is_not_changed_is_run_as_it_is(self):
        self.assertEqual(figures(zz.map(zz.Workload(MODEL), small_cnn_chip(), quick=True, limit=3)),
                         figures(zz.map(MODEL, small_cnn_chip(), quick=True, limit=3)))

    def test_layers_of_a_model_cost_what_the_model_costs(self):
        alone = zz.Workload(MODEL, operand_precision=BITS)
        self.assertEqual(figures(zz.map(alone, small_cnn_chip(), quick=True, limit=3)),
                         figures(zz.map(MODEL, small_cnn_chip(), quick=True, limit=3, operand_precision=BITS)))

    def test_changed_layers_of_a_model_need_the_bits_of_their_sums(self):
        network = zz.Workload(MODEL)
        network.layers[0].loop_sizes[0] = 2
        with self.assertRaisesRegex(zz.InputError, "operand_precision="):
            zz.map(network, small_cnn_chip())

    def test_a_layer_is_a_layer_for_optimum(self):
        layer = zz.Workload(NETWORK).layers["body"]
        best = zz.optimum(layer, small_cnn_chip(), time_limit=0.2)
        self.assertEqual(best.evaluation.layer.mac_count, 32 * 16 * 16 * 16 * 9)


class Mappings(unittest.TestCase):
    def test_what_was_found_is_prescribed(self):
        found = zz.map(NETWORK, small_cnn_chip(), quick=True, limit=3)
        mapping = zz.Mapping(found)
        self.assertEqual(figures(zz.map(NETWORK, small_cnn_chip(), mapping, quick=True)), figures(found))
        self.assertEqual([entry.name for entry in mapping][:6], [layer["layer"] for layer in found.layers])

    def test_the_cuts_are_kept_in_objects_texts_and_files(self):
        layer = {"id": 0, "name": "product", "operator_type": "Gemm", "equation": "O[d][k]+=I[d][c]*W[c][k]",
                 "loop_dims": ["D", "K", "C"], "loop_sizes": [48, 192, 192], "dimension_relations": [],
                 "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}, "operand_source": {"I": 0, "W": 0}}
        chip = zz.configs / "accelerators/gemmini_like.yaml"
        best = zz.optimum(layer, chip, "energy")
        mapping = zz.Mapping(best)
        order = mapping["product"].temporal_ordering
        self.assertEqual({cuts["dram"] for cuts in mapping["product"].cuts.to_python().values()}, {len(order)})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "found.yaml"
            mapping.save(path)
            self.assertIn("\n# cuts: {", path.read_text())
            for one in (mapping, zz.Mapping(path), zz.Mapping(mapping.to_yaml()), str(path)):
                costed = zz.run(["WorkloadParserStage", "AcceleratorParserStage", "WorkloadStage", "SpatialMappingConversionStage",
                                 "TemporalOrderingConversionStage", "CostModelStage"], workload=[layer], accelerator=chip,
                                mapping=one)
                self.assertEqual((costed.energy, costed.latency), (best.energy, best.latency))
        mapping["product"].cuts.W.dram = len(order) + 2
        with self.assertRaisesRegex(zz.Error, f"more than the {len(order)} loops of the order; the nearest that works is {len(order)}"):
            zz.optimum(layer, chip, "energy", mapping=mapping)


class Shown(unittest.TestCase):
    def test_pictures_are_whole_and_name_the_parts(self):
        chip, network = small_cnn_chip(), zz.Workload(NETWORK)
        several = zz.Accelerator(zz.configs / "accelerators/heterogeneous_dual_core.yaml")
        for thing, names in ((chip, ["scratchpad", "weight_register"]), (network, ["stem", "depthwise"]),
                             (several, ["heterogeneous_dual_core", "core 3"]),
                             (zz.Mapping(INPUTS / "mapping.yaml"), ["parfor"])):
            shown = thing._repr_html_()
            xml.etree.ElementTree.fromstring(shown.replace("<br>", "<br/>"))
            for name in names:
                self.assertIn(name, shown)

    def test_a_chip_that_is_not_finished_is_shown_too(self):
        self.assertIn("half", zz.Accelerator({"name": "half", "memories": {"l1": {}}})._repr_html_())


if __name__ == "__main__":
    unittest.main()
