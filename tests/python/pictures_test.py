import html
import json
import re
import unittest

import zz
from small import INPUTS, STAGES, parameters


def tables(page, name):
    """The data of a picture in a page, by the name of the table."""
    text = re.search(rf'<script type="application/json" id="{name}-specification">(.*?)</script>', page, re.DOTALL)[1]
    return {data["name"]: data.get("values") for data in json.loads(text)["data"]}


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = zz.run(STAGES, **parameters())
        cls.page = cls.results.page()
        if cls.page is None:
            raise unittest.SkipTest("this build has no Vega")

    def test_layers_of_a_sum(self):
        bars = tables(self.page, "energy")["energy"]
        self.assertAlmostEqual(sum(bar["energy"] for bar in bars), self.results.energy, delta=1e-6 * self.results.energy)
        rows = tables(self.page, "latency")
        whole = next(row["result"] for row in rows["results"] if row["label"] == "all layers")
        for of_layers in (True, False):
            cycles = sum(share["cycles"] for share in rows["latency"] if (share["result"] != whole) == of_layers)
            self.assertAlmostEqual(cycles, self.results.latency, delta=1e-6)

    def test_schedule(self):
        found = zz.schedule(INPUTS / "stream_workload.yaml", INPUTS / "stream_accelerator.yaml",
                            INPUTS / "stream_mapping.yaml", evaluation_limit=100)
        shown = tables(found.page(), "schedule")
        self.assertEqual(shown["schedule"][0]["latency"], found.latency)
        self.assertEqual({cut["layer"] for cut in shown["cuts"]}, {"0: first", "1: second"})

    def test_notebook(self):
        shown = self.results._repr_html_()
        self.assertIn("<table>", shown)
        frame = re.search(r'<iframe sandbox="(.*?)" srcdoc="(.*?)"', shown, re.DOTALL)
        self.assertNotIn("allow-same-origin", frame[1])
        self.assertEqual(html.unescape(frame[2]), self.page)
        self.assertNotRegex(self.page, r'(src|href)="https?:')

    def test_several_results_are_tables(self):
        several = zz.Results([self.results[0], self.results[0]])
        self.assertEqual(several._repr_html_().count("<table>"), 2)
        self.assertNotIn("<iframe", several._repr_html_())

    def test_nothing_to_draw(self):
        self.assertIsNone(zz.Result(self.results.evaluation).page())  # a sum without its layers
        self.assertIsNone(zz.Result({"any": "thing"}, [1, "text"]).page())


if __name__ == "__main__":
    unittest.main()
