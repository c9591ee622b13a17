"""What layers are made of, and what would help."""

import unittest

import zz
from small import STAGES, parameters


class Explaining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = zz.run(STAGES, **parameters())

    def test_words_of_all_and_of_one(self):
        whole = self.results.explain()
        self.assertRegex(whole, r"layer +cycles +share +limited by")
        self.assertRegex(whole, r"\ntotal: [0-9,]+ cycles; with every unit busy")
        one = self.results.explain("second", energy=True)
        self.assertTrue(one.startswith("second: "))
        self.assertNotIn("first:", one)
        self.assertRegex(one, r"\n +energy +share +where")
        self.assertRegex(self.results.explain(factor=4) + self.results.explain("second", factor=4), "4 x as (wide|large|long)")

    def test_words_of_this_mapping(self):
        self.assertIn("Limited by", self.results.explain(mapping=True))
        self.assertRegex(self.results.explain("second", mapping=True, search=True), "proven best|no single change")

    def test_unknown_layer(self):
        with self.assertRaisesRegex(KeyError, "no layer 'secnd'; did you mean 'second'"):
            self.results.explain("secnd")

    def test_fields(self):
        parts = self.results.evaluation.latency_parts
        self.assertAlmostEqual(sum(part.cycles for part in parts), self.results.latency)
        self.assertIn(self.results.evaluation.limited_by, {part.limiter for part in parts})
        self.assertIn(self.results.layers[0]["limited_by"], {"units", *(f"{port.memory}.{port.port}" for port in self.results.extra[0][0].ports)})

    def test_rows(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        rows = self.results.parts()
        self.assertAlmostEqual(rows.cycles.sum(), self.results.latency)
        self.assertEqual(list(dict.fromkeys(rows.layer)), [layer["layer"] for layer in self.results.layers])
        self.assertAlmostEqual(self.results.parts(energy=True).pJ.sum() / self.results.energy, 1)

    def test_a_changed_evaluation_has_a_rest_that_is_not_known(self):
        evaluation = self.results.extra[0][0]
        slower = evaluation.changed({"latency_total2": 10 * evaluation.latency_total2})
        self.assertEqual(slower.limited_by, "")
        text = zz.results.Result(slower).explain()
        self.assertIn("not known", text)


if __name__ == "__main__":
    unittest.main()
