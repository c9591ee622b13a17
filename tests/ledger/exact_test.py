"""usage: exact_test.py MEASURED FOLDER...

What an array of SCALE-Sim takes with ideal memories zz says to the cycle, in every row of these folders.
"""
import pathlib
import sys
import unittest

MEASURED, *FOLDERS = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(MEASURED))
import scalesim  # noqa: E402
import sets  # noqa: E402


class Exact(unittest.TestCase):
    def test_every_row_of_every_dataflow(self):
        for folder in FOLDERS:
            if not folder.is_dir():
                continue
            rows, _ = sets.read_folder(folder)
            for name, cycles in (("scalesim_gemm", lambda row: int(row["cycles"])),
                                 ("scalesim_v3", lambda row: int(row["total_cycles"]) - int(row["stall_cycles"]))):
                points = list(scalesim.array_points(rows[name], cycles))
                self.assertEqual(len(points), len(rows[name]))
                self.assertEqual({point.part for point in points}, {"os", "ws", "is"})
                self.assertEqual([], [point for point in points if point.predicted != point.measured][:5])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
