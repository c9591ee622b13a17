import pickle
import re
import unittest

import yaml

import zz
from small import STAGES, parameters

try:
    import pandas
except ImportError:
    pandas = None


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = zz.run(STAGES, **parameters())

    def test_attributes_and_items(self):
        evaluation, extra = self.results[0]
        self.assertEqual(evaluation.energy_total, evaluation["energy_total"])
        self.assertEqual(self.results.energy, evaluation.energy_total)
        self.assertEqual(self.results.energy_total, evaluation.energy_total)
        first = extra[0][0]
        self.assertEqual(first.layer.name, "first")
        self.assertEqual(first["layer.name"], "first")
        self.assertEqual(first.accelerator["memories[register].size"], first.accelerator.memories["register"].size)
        self.assertEqual([memory.name for memory in first.accelerator.memories],
                         [memory["name"] for memory in first.accelerator.memories.to_python()])
        self.assertIn("energy_total", dir(first))
        self.assertIn("energy_total", first)

    def test_units_and_meanings(self):
        evaluation = self.results.evaluation
        self.assertEqual(evaluation.unit("energy_total"), "pJ")
        self.assertEqual(evaluation.units()["latency_total2"], "cycle")
        self.assertTrue(evaluation.describe("energy_total").endswith("."))

    def test_what_is_not_there(self):
        evaluation = self.results.evaluation
        with self.assertRaisesRegex(AttributeError, "did you mean 'energy_total'"):
            evaluation.energy_totl
        with self.assertRaisesRegex(KeyError, "did you mean 'energy_total'"):
            evaluation["energy_totl"]
        for wrong, meant in (("enrgy", "energy"), ("latncy", "latency"), ("energy_totl", "energy_total")):
            with self.assertRaisesRegex(KeyError, f"did you mean '{meant}'"):
                self.results[wrong]
        with self.assertRaises(IndexError):
            self.results.extra[0][0].accelerator.memories[99]
        self.assertIsNone(evaluation.get("nothing"))

    def test_values_are_immutable_and_copies_change(self):
        accelerator = self.results.extra[0][0].accelerator
        size = accelerator.memories[0].size
        larger = accelerator.changed({"memories[0].size": 2 * size})
        self.assertEqual((accelerator.memories[0].size, larger.memories[0].size), (size, 2 * size))
        with self.assertRaisesRegex(ValueError, "did you mean 'size'"):
            accelerator.changed({"memories[0].siz": 1})
        with self.assertRaises(AttributeError):
            accelerator.name = "x"

    def test_values_outlive_the_run(self):
        layer = zz.run(STAGES, **parameters()).extra[0][0].layer
        self.assertEqual(layer.name, "first")

    def test_pickles(self):
        copy = pickle.loads(pickle.dumps(self.results))
        self.assertEqual(copy.energy, self.results.energy)
        self.assertEqual(copy.counters, self.results.counters)
        first = pickle.loads(pickle.dumps(self.results.extra[0][0]))
        self.assertEqual(first.json(), self.results.extra[0][0].json())
        self.assertEqual(first.type, "evaluation")

    def test_tables(self):
        self.assertEqual([row["layer"] for row in self.results.layers], ["first", "second"])
        self.assertAlmostEqual(sum(row["energy"] for row in self.results.layers), self.results.energy)
        shown = self.results._repr_html_()
        self.assertIn("<td>first</td>", shown)
        self.assertIn("energy [pJ]", shown)

    def test_figures_as_items(self):
        self.assertEqual(self.results["energy"], self.results.energy)
        self.assertEqual(self.results[0]["latency"], self.results.latency)
        self.assertEqual(self.results["energy_total"], self.results.energy_total)
        self.assertIs(self.results[0][0], self.results[0].evaluation)
        self.assertEqual(self.results.layer("second")["energy"], self.results.layers[1]["energy"])
        with self.assertRaisesRegex(KeyError, "did you mean 'second'"):
            self.results.layer("secnd")
        with self.assertRaises(KeyError):
            self.results["energi"]
        with self.assertRaisesRegex(IndexError, "there is no result 99: there are 1"):
            self.results[99]

    def test_printed_it_is_the_table(self):
        lines = str(self.results).splitlines()
        self.assertRegex(lines[0], r"^layer +.*energy \[pJ\] +latency \[cycles\]")
        self.assertTrue(lines[1].startswith("first ") and lines[2].startswith("second ") and lines[3].startswith("total "))
        self.assertEqual(len({len(line) for line in lines[:2]}), 1)
        self.assertIn("<zz result: ", repr(self.results))

    def test_a_table_of_a_proof_has_eight_columns(self):
        layer = {"equation": "O[d][k]+=I[d][c]*W[c][k]", "loop_dims": ["D", "K", "C"], "loop_sizes": [8, 8, 8],
                 "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}}
        best = zz.optimum([layer, layer], parameters()["accelerator"], clock="1 GHz", time_limit=1)
        self.assertLessEqual(len(re.split(" {2,}", str(best).splitlines()[0].strip())), 8)
        heads = best._repr_html_().split("</thead>")[0].count("<th>")
        self.assertLessEqual(heads, 8)
        if pandas:
            few, every = best.to_dataframe(), best.to_dataframe(all=True)
            self.assertLessEqual(len(few.columns), 8)
            self.assertGreater(len(every.columns), 8)
            self.assertEqual(list(few.columns), [name for name in every.columns if name in few.columns])
            for name in ("layer", "energy", "latency", "optimum_gap"):
                self.assertIn(name, few.columns)

    def test_scales_and_metadata_are_told_where_there_are_some(self):
        layer = {"equation": "O[d][k]+=I[d][c]*W[c][k]", "loop_dims": ["D", "K", "C"], "loop_sizes": [8, 8, 32],
                 "operand_precision": {"W": "mxint8", "I": 8, "O": 16, "O_final": 8}, "sparsity": {"I": {"density": 0.5}}}
        machine = yaml.safe_load(parameters()["accelerator"].read_text())
        machine["memories"]["dram"]["format"] = {"I": "bitmask"}
        best = zz.optimum(layer, machine, time_limit=1)
        [row] = best.layers
        parts = {because: sum(part["pJ"] for part in best[0].evaluation.to_python()["energy_parts"] if part["because"] == because)
                 for because in ("scales", "metadata")}
        for name, energy in parts.items():
            self.assertGreater(energy, 0)
            self.assertAlmostEqual(row[name], energy)
            self.assertIn(name, str(best).splitlines()[0])
            if pandas:
                self.assertIn(name, best.to_dataframe().columns)
        # Numbers in blocks in a format have a bit of metadata for each element, and 8 of scales for each block of 4.
        layer["operand_precision"]["I"] = {"bits": 8, "scale": {"bits": 8, "every": 4}}
        rows = zz.optimum({**layer, "loop_sizes": [8, 8, 8]}, machine, time_limit=1)[0].evaluation.to_python()["energy_parts"]
        of_inputs = {part["because"]: part["pJ"] for part in rows if (part["memory"], part["operand"]) == ("dram", "I")}
        self.assertAlmostEqual(of_inputs["scales"], 2 * of_inputs["metadata"])
        self.assertNotIn("scales", self.results.layers[0])
        self.assertNotIn("metadata", str(self.results))

    def test_rates_follow_from_a_clock(self):
        self.assertNotIn("power", self.results[0].total)
        results = zz.run(STAGES, **parameters(), clock="500 MHz")
        total = results[0].total
        self.assertAlmostEqual(total["latency_ms"], total["latency"] * 2e-6)
        self.assertAlmostEqual(total["power"], total["energy"] * 1e-12 / (total["latency"] * 2e-9))
        self.assertAlmostEqual(total["frames_per_second"], 1e3 / total["latency_ms"])
        self.assertEqual(results.evaluation["power"], total["power"])
        self.assertIn("at 500 MHz: ", results._repr_html_())

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_data_frames(self):
        frame = self.results.to_dataframe()
        self.assertEqual(list(frame.layer), ["first", "second"])
        self.assertEqual(frame.attrs["units"]["energy"], "pJ")
        self.assertAlmostEqual(frame.energy.sum(), self.results.energy)

    def test_one_of_several_results_is_asked_for(self):
        many = zz.Results([self.results[0], self.results[0]])
        with self.assertRaisesRegex(AttributeError, r"results\[0\].energy"):
            many.energy


if __name__ == "__main__":
    unittest.main()
