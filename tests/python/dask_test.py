import pathlib
import os
import signal
import sys
import tempfile
import time
import unittest

import zz
from small import STAGES, parameters

try:
    import dask
    import distributed
except ImportError:
    print("skipped: python3-distributed is not installed")
    sys.exit(77)

POINTS = [{"loma_lpf_limit": limit} for limit in range(1, 13)]


class Slow(zz.Stage):
    """Leaves time to kill its process, whose number it writes into a folder."""

    folder = zz.Setting(str, "the folder")

    def run(self, context):
        pathlib.Path(self.folder, str(os.getpid())).touch()
        time.sleep(0.1)
        yield from self.substage(context)


class Dask(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        # Workers need not import it again.
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
        cls.cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
                                               local_directory=cls.folder.name, silence_logs=50)
        cls.client = distributed.Client(cls.cluster)
        cls.expected = [zz.run(STAGES, **parameters(**point)).energy for point in POINTS]

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()
        cls.folder.cleanup()

    def test_figures_are_those_of_one_process(self):
        outcomes = list(zz.sweep(STAGES, POINTS, executor=self.client.get_executor(), **parameters()))
        self.assertEqual(sorted(outcome.index for outcome in outcomes), list(range(len(POINTS))))
        for outcome in outcomes:
            self.assertEqual(outcome.energy, self.expected[outcome.index])
            self.assertEqual(outcome.results.energy, outcome.energy)

    def test_points_of_a_killed_worker_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            chain = [*STAGES[:2], Slow(folder=folder), *STAGES[2:]]
            store = os.path.join(folder, "sweep.sqlite")
            outcomes = []
            for outcome in zz.sweep(chain, POINTS, executor=self.client.get_executor(), store=store, **parameters()):
                if not outcomes:
                    numbers = [int(name) for name in os.listdir(folder) if name.isdigit()]
                    os.kill(numbers[0], signal.SIGKILL)
                outcomes.append(outcome)
            self.assertEqual({outcome.index: outcome.reason or outcome.energy for outcome in outcomes},
                             dict(enumerate(self.expected)))
            self.assertEqual(len(outcomes), len(POINTS))
            again = zz.sweep(chain, POINTS, executor=self.client.get_executor(), store=store, **parameters())
            self.assertTrue(all(outcome.stored for outcome in again))

    def test_errors_are_outcomes(self):
        outcome, = zz.sweep(STAGES, [{"loma_lpf_limt": 6}], executor=self.client.get_executor(), **parameters())
        self.assertIsInstance(outcome.error, zz.InputError)
        self.assertIn("did you mean 'loma_lpf_limit'", outcome.reason)


if __name__ == "__main__":
    unittest.main()
