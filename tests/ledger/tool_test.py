"""usage: tool_test.py LEDGER

What tools/ledger reads and writes, and the floors that the sets have.
"""
import csv
import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL, HERE = pathlib.Path(sys.argv.pop()).resolve(), pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TOOL.parent / "measured"))
import points  # noqa: E402
import sets  # noqa: E402


def ledger(*options):
    return subprocess.run([sys.executable, TOOL, *map(str, options)], capture_output=True, text=True)


class Statistics(unittest.TestCase):
    def test_errors_by_hand(self):
        found = points.errors([points.Point("", "", 10, 5), points.Point("", "", 10, 20), points.Point("", "", 40, 30)])
        self.assertEqual((found["n"], found["mean_ape"], found["median_ape"], found["ratio"]), (3, 175 / 3, 50, 0.75))
        self.assertAlmostEqual(found["geometric"], (2 * 2 * 4 / 3) ** (1 / 3))

    def test_errors_of_rooflines(self):
        found = points.errors([points.Point("", "", 10, 5, 8, 10), points.Point("", "", 10, 20, 10, 12)])
        self.assertAlmostEqual(found["roofline_mean_ape"], 10)
        self.assertAlmostEqual(found["calibrated_roofline_mean_ape"], 10)
        self.assertIsNone(points.errors([points.Point("", "", 10, 5)])["roofline_mean_ape"])

    def test_ranks_share_their_mean(self):
        self.assertEqual(points.ranks([5, 1, 5, 3]), [3.5, 1, 3.5, 2])
        self.assertEqual(points.spearman([1, 2, 3], [10, 20, 30]), 1)
        self.assertEqual(points.spearman([1, 2, 3], [3, 2, 1]), -1)
        self.assertIsNone(points.spearman([1, 2], [3, 3]))


class Files(unittest.TestCase):
    def test_sets_are_named_without_their_half(self):
        names = {"scalesim_v3.csv": "scalesim_v3", "scalesim_v3_heldout.csv": "scalesim_v3", "scalesim_v3_part_2.csv": "scalesim_v3",
                 "eyeriss_isca16_heldout.csv": "eyeriss_isca16", "scalesim.csv": None, "llmcompass_die_area.csv": "llmcompass_die_area"}
        self.assertEqual({name: sets.set_of(pathlib.Path(name)) for name in names}, names)

    def test_a_folder_with_another_half(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = (HERE / "scalesim_v3.csv").read_text().splitlines()
            (pathlib.Path(folder) / "scalesim_v3_heldout.csv").write_text("\n".join(rows[:12]) + "\n")
            (pathlib.Path(folder) / "other.csv").write_text("a,b\n1,2\n")
            done = ledger("--data", folder, "--json", "--output", pathlib.Path(folder) / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("other.csv is of no set", done.stderr)
            found = json.loads(done.stdout)
            self.assertLessEqual(found.keys(), {f"scalesim_v3/{part}" for part in ("os", "ws", "is", "sram", "stalled")})
            self.assertEqual(sum(found[f"scalesim_v3/{part}"]["n"] for part in ("os", "ws", "is") if f"scalesim_v3/{part}" in found), 11)
            self.assertEqual({*next(iter(found.values()))}, {"n", "mean_ape", "median_ape", "spearman", "roofline_mean_ape"})
            with open(pathlib.Path(folder) / "out/rows.csv", newline="") as file:
                table = list(csv.DictReader(file))
            self.assertEqual(len(table), sum(one["n"] for one in found.values()))
            self.assertAlmostEqual(float(table[0]["ratio"]), float(table[0]["predicted"]) / float(table[0]["measured"]), 3)
            page = (pathlib.Path(folder) / "out/ledger.html").read_text()
            self.assertEqual(page.count("<circle"), len(table))
            self.assertNotIn("http", page)

    def test_folders_without_sets(self):
        with tempfile.TemporaryDirectory() as folder:
            done = ledger("--data", folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("no set in", done.stderr)
            self.assertIn("no such folder", ledger("--data", folder + "/none").stderr)
            self.assertIn("only of", ledger("--data", folder, "--check").stderr)


class Floors(unittest.TestCase):
    """What holds for every row, or set, whatever keys a machine has."""

    @classmethod
    def setUpClass(cls):
        logging.disable(logging.CRITICAL)
        rows, _ = sets.read_folder(HERE)
        cls.points = sets.predict({name: rows[name] for name in ("eyeriss_isca16", "scalesim_v3")})

    def test_accesses_are_never_below_where_something_is_summed_up(self):
        for point in self.points["scalesim_v3/sram"]:
            inner = int(point.row.split(": ")[1].split(" x ")[1])
            if inner > 1:
                self.assertGreaterEqual(point.predicted, point.measured, point.row)

    def test_energies_of_eyeriss(self):
        self.assertEqual([point.predicted for point in self.points["eyeriss_isca16/alu"]],
                         [point.measured for point in self.points["eyeriss_isca16/alu"]])
        self.assertLessEqual(points.errors(self.points["eyeriss_isca16/dram"])["mean_ape"], 4)

    def test_a_model_is_worth_more_than_two_numbers(self):
        rows, _ = sets.read_folder(HERE)
        found = {name: points.errors(own) for name, own in sets.predict({"tpu_v6e": rows["tpu_v6e"]}).items()}
        published, calibrated = found["tpu_v6e/published"], found["tpu_v6e/calibrated"]
        self.assertLess(published["mean_ape"], published["roofline_mean_ape"])
        self.assertLess(calibrated["mean_ape"], calibrated["calibrated_roofline_mean_ape"])
        self.assertLess(calibrated["mean_ape"], 7.4)

    def test_zeros_of_an_element_of_eyeriss_v2(self):
        rows, _ = sets.read_folder(HERE)
        found = sets.predict({"eyerissv2_pe_sparse": rows["eyerissv2_pe_sparse"]})
        self.assertEqual([len(found[f"eyerissv2_pe_sparse/{part}"]) for part in ("all", "sizes", "sparseloop")], [28, 8, 8])
        for point in found["eyerissv2_pe_sparse/sparseloop"]:
            # Sparseloop rounds up twice, with densities in single precision.
            self.assertLess(abs(point.predicted - point.measured), 1.5, point.row)
        self.assertLess(points.errors(found["eyerissv2_pe_sparse/all"])["mean_ape"], 2)

    def test_every_part_says_what_it_tells(self):
        for name, known in sets.SETS.items():
            for part, told in known.parts.items():
                self.assertTrue(told.says and told.figure, f"{name}/{part}")


if __name__ == "__main__":
    unittest.main()
