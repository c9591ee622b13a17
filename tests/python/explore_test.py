"""Spaces of designs and their explorations, as users of the package have them."""

import os
import pathlib
import sqlite3
import tempfile
import unittest

import zz
from small import INPUTS, parameters

try:
    import pandas
except ImportError:
    pandas = None

# The chain that ExplorationStage can prove.
STAGES = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
          "OptimalMappingStage", "CostModelStage"]
SIZES = "memories.buffer.size"


def space(**others):
    return zz.Space({SIZES: [16384, 32768, 65536], "operational_array.sizes[D1]": [2, 4]},
                    linked={"memories.buffer.r_cost": f"0.01 * sqrt({SIZES})"},
                    metrics={"area": f"1e-6 * {SIZES} + 0.01 * operational_array.sizes[D1]"}, **others)


class Spaces(unittest.TestCase):
    def test_a_space_is_a_sequence_of_settings(self):
        here = zz.Space({"a, b": [[1, "x"], [2, "y"]], "c": {"from": 8, "to": 64, "factor": 2}, "d": range(3)})
        self.assertEqual((len(here), here.names), (24, ["a", "b", "c", "d"]))
        self.assertEqual(here[0], {"a": 1, "b": "x", "c": 8, "d": 0})
        self.assertEqual(here[-1], {"a": 2, "b": "y", "c": 64, "d": 2})
        self.assertEqual(list(here), [here[number] for number in range(24)])
        self.assertEqual([here.index(point) for point in here], list(range(24)))
        self.assertEqual(here[3:5], [here[3], here[4]])
        self.assertTrue(here[7] in here and {"a": 1} not in here and 24 not in here)
        self.assertEqual(here.values("c"), [8, 16, 32, 64])
        self.assertEqual(here.values("a"), [1, 2])
        self.assertEqual(here.values("a, b"), [[1, "x"], [2, "y"]])
        with self.assertRaisesRegex(KeyError, "does not vary 'e'"):
            here.values("e")
        drawn = here.sample(5, seed=3)
        self.assertEqual(drawn, here.sample(5, seed=3))
        self.assertEqual(len({here.index(point) for point in drawn}), 5)
        self.assertEqual(len(here.sample(1000)), len(here))
        with self.assertRaises(ValueError):
            here.sample(-1)
        with self.assertRaisesRegex(TypeError, "n='x': expected a number of points"):
            here.sample("x")

    def test_what_is_no_space_or_no_point_is_told(self):
        with self.assertRaisesRegex(zz.Error, "'axes': the range of 'a' is empty: it goes from 8 to 4"):
            zz.Space({"a": {"from": 8, "to": 4, "step": 1}})
        with self.assertRaisesRegex(TypeError, "a dict of names"):
            zz.Space([1, 2])
        here = space()
        with self.assertRaisesRegex(IndexError, "there is no point 6: the space has 6"):
            here[6]
        with self.assertRaisesRegex(ValueError, "did you mean 'memories.buffer.size'"):
            here.index({"memories.bufer.size": 16384})
        with self.assertRaisesRegex(ValueError, "has no step 5; it has 2, 4"):
            here.index({SIZES: 16384, "operational_array.sizes[D1]": 5})


class Explorations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = pathlib.Path(folder.name) / "space.sqlite"

    def explore(self, here=None, **others):
        given = {"objectives": ["latency", "energy", "area"], "store": self.store, **others}
        wanted = {name: value for name, value in parameters().items() if name in ("workload", "accelerator", "mapping")}
        return zz.explore(STAGES, here or space(), **given, **wanted)

    def test_a_front_is_that_of_brute_force(self):
        found = self.explore()
        self.assertEqual((len(found), len(found.rows)), (6, 6))
        figures = {row["point"]: (row["latency"], row["energy"], row["area"]) for row in found.rows}
        best = {point for point, own in figures.items() if not any(
            other != own and all(a <= b for a, b in zip(other, own)) for other in figures.values())}
        self.assertEqual({row["point"] for row in found.front}, best)
        self.assertEqual({row["point"] for row in self.explore(strategy="proof", store=None).front}, best)
        for point in figures:
            self.assertRegex(found.why(found.space[point]), "on the front" if point in best else "beats it")
        chosen = found.front[0]["point"]
        # The chain takes a mapping at most 0.1 % slower where that saves energy; an ideal point has each figure at its least.
        self.assertTrue(1 <= found.point(chosen).latency / figures[chosen][0] <= 1.001)
        self.assertIn("<table>", found._repr_html_())

    def test_any_program_is_a_strategy(self):
        found = self.explore(strategy="ask")
        self.assertEqual((len(found), found.front, found.why(2)), (0, [], "nothing is known of it yet: no run has looked at it"))
        asked = found.ask(2)
        self.assertEqual(len(asked), 2)
        rows = found.evaluate(asked)
        self.assertEqual([found.space.index(point) for point in asked], [row["point"] for row in rows])
        self.assertEqual({row["state"] for row in rows}, {"done"})
        point, = found.ask()
        told, = found.tell(point, {"energy": 1.5, "latency": 2})
        self.assertEqual((told["energy"], told["latency"], told["energy_bound"], told["state"]), (1.5, 2, None, "done"))
        self.assertEqual({row["point"] for row in found.front} & {told["point"]}, {told["point"]})
        rest = found.ask(10)
        self.assertEqual((len(rest), found.ask()), (3, []))
        found.evaluate(rest)
        self.assertEqual(len(found), 6)
        # It is one store: what was told stays, and zz's own strategies know it.
        self.assertEqual(found.evaluate([told["point"]])[0]["energy"], 1.5)
        again = self.explore()
        self.assertEqual([row["energy"] for row in again.rows], [row["energy"] for row in found.rows])

    def test_wrong_figures_are_refused(self):
        found = self.explore(strategy="ask")
        with self.assertRaisesRegex(zz.Error, "point 0 needs 'latency' too"):
            found.tell([0], [{"energy": 1}])
        with self.assertRaisesRegex(zz.Error, "did you mean 'latency'"):
            found.tell([0], [{"energy": 1, "latencey": 1}])
        with self.assertRaisesRegex(ValueError, "one for each"):
            found.tell([0, 1], [{"energy": 1, "latency": 1}])
        self.assertEqual(len(found), 0)

    def test_budgets_that_nothing_keeps(self):
        found = self.explore(space(constraints=["area <= 1e-9"]))
        self.assertEqual((found.front, {row["state"] for row in found.rows}), ([], {"beyond"}))
        self.assertIn("breaks area <= 1e-9", found.why(0))

    def test_another_space_finds_what_the_store_has(self):
        self.explore()
        with sqlite3.connect(self.store) as file:
            figures, = file.execute("SELECT count(*) FROM figure").fetchone()
        other = self.explore(space(constraints=["area <= 0.06"]), strategy="ask")
        self.assertEqual(len(other), 0)  # points are those of this space
        other.evaluate(range(6))
        with sqlite3.connect(self.store) as file:
            self.assertEqual(file.execute("SELECT count(*) FROM figure").fetchone(), (figures,))

    def test_the_space_of_a_pipeline_file(self):
        study = zz.configs / "spaces/small_cnn_gemmini_like.yaml"
        before = os.getcwd()
        os.chdir(self.store.parent)  # the paths of the file count from its folder all the same
        self.addCleanup(os.chdir, before)
        found = zz.explore(study, strategy="ask", store=self.store)
        self.assertEqual(len(found.space), 36)
        row, = found.evaluate([35])
        self.assertEqual(row["state"], "beyond")
        self.assertEqual(found.store, self.store)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_tables(self):
        frame = self.explore(strategy="sobol", samples=4).to_dataframe()
        self.assertEqual(list(frame.columns[:3]), ["point", SIZES, "operational_array.sizes[D1]"])
        self.assertEqual(len(frame), 4)


if __name__ == "__main__":
    unittest.main()
