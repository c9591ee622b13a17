import concurrent.futures
import contextlib
import gc
import importlib.util
import json
import logging
import math
import multiprocessing
import os
import pathlib
import pickle
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import weakref

import yaml

import zz
from small import INPUTS, STAGES, parameters, stages
from zz import front, pipelines

sys.path.append(str(INPUTS.parent / "pipeline"))
import postgres  # noqa: E402

POINTS = [{"loma_lpf_limit": limit} for limit in (1, 2, 3, 6, 7)]


def setUpModule():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the job of a shell in the background ignores it


class Counted(zz.Stage):
    """Writes a line into a file whenever it runs."""

    file_of_lines = zz.Setting(str, "the file")

    def run(self, context):
        with open(self.file_of_lines, "a") as file:
            file.write("ran\n")
        yield from self.substage(context)


class Killing(zz.Stage):
    """Kills its process, until a file is there."""

    marker = zz.Setting(str, "the file, which it makes before")
    always = zz.Setting(False, "whether it kills in spite of the file")

    def run(self, context):
        if self.always or not os.path.exists(self.marker):
            pathlib.Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from self.substage(context)


class Hanging(zz.Stage):
    """Never ends."""

    deaf = zz.Setting(False, "whether it does not look whether it is cancelled")

    def run(self, context):
        while self.deaf or not self.cancelled:
            time.sleep(0.01)
        yield from self.substage(context)


def in_order(sweep):
    return sorted(sweep, key=lambda outcome: outcome.index)


def small_array():
    """An accelerator with memories that hold nothing of the workload."""
    accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
    for memory in accelerator["memories"].values():
        memory["size"] = 8
    return accelerator


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "sweep.sqlite"


class Points(InFolder):
    def test_figures_do_not_depend_on_who_computes(self):
        alone = [zz.run(STAGES, **parameters(**point)) for point in POINTS]
        executors = [None, 2, concurrent.futures.ThreadPoolExecutor(3), concurrent.futures.ProcessPoolExecutor(1)]
        for executor in executors:
            outcomes = in_order(zz.sweep(STAGES, POINTS, executor=executor, **parameters()))
            self.assertEqual([outcome.point for outcome in outcomes], POINTS)
            self.assertEqual([outcome.energy for outcome in outcomes], [results.energy for results in alone])
            self.assertEqual([outcome.results.evaluation.json() for outcome in outcomes],
                             [results.evaluation.json() for results in alone])
            if executor not in (None, 2):
                executor.shutdown()

    def test_points_may_name_their_pipelines(self):
        outcomes = list(zz.sweep([{"pipeline": STAGES, **parameters()}, {"pipeline": INPUTS / "pipeline.yaml",
                                                                         "dump_folder": self.folder}]))
        self.assertEqual(outcomes[0].energy, outcomes[1].energy)

    def test_what_is_wrong_with_a_point_is_its_outcome(self):
        points = [{"loma_lpf_limit": 6}, {"accelerator": small_array()}, {"loma_lpf_limt": 6}, {"loma_lpf_limit": object()}]
        for executor in (None, concurrent.futures.ThreadPoolExecutor(1)):
            fine, infeasible, misspelt, unheard = in_order(zz.sweep(STAGES, points, executor=executor, **parameters()))
            self.assertEqual(fine.status, "done")
            self.assertEqual(infeasible.status, "infeasible")
            self.assertIn("layer", infeasible.reason)
            self.assertEqual(misspelt.status, "failed")
            self.assertIsInstance(misspelt.error, zz.InputError)
            self.assertIn("did you mean 'loma_lpf_limit'", misspelt.reason)
            self.assertIsInstance(unheard.error, TypeError)
            with self.assertRaises(zz.NoResult):
                infeasible.energy
            with self.assertRaises(zz.InputError):
                misspelt.results

    def test_points_are_read_as_they_are_needed(self):
        read = []

        def points():
            for number in range(10_000):
                read.append(number)
                yield POINTS[number % 2]

        for executor in (None, 1):
            with zz.sweep(STAGES, points(), executor=executor, **parameters()) as sweep:
                next(sweep)
            self.assertLess(len(read), 2000)
            read.clear()

    def test_results_come_one_by_one(self):
        with zz.sweep([*STAGES[:2], Hanging, *STAGES[2:]], [{}, {"pipeline": STAGES}], executor=2, **parameters()) as sweep:
            self.assertEqual(next(sweep).index, 1)

    def test_arguments(self):
        with self.assertRaisesRegex(TypeError, "iterable of dicts"):
            zz.sweep(STAGES, {"loma_lpf_limit": 6})
        with self.assertRaisesRegex(TypeError, "point 1 is 6"):
            list(zz.sweep(STAGES, [{"loma_lpf_limit": 6}, 6], **parameters()))
        for executor in ("eight", -1, 0, 10**30, True):
            with self.subTest(executor), self.assertRaisesRegex(TypeError, "^executor=.*expected .* a number of processes"):
                zz.sweep(STAGES, POINTS, executor=executor)
        with self.assertRaisesRegex(TypeError, "no 'pipeline'"):
            raise next(zz.sweep(POINTS)).error
        with self.assertRaisesRegex(TypeError, "the key 3"):
            raise next(zz.sweep(STAGES, [{3: 4}])).error
        with self.assertRaisesRegex(TypeError, "a setting of stages.*point_seconds=5"):
            zz.sweep(STAGES, POINTS, time_limit=5)
        with self.assertRaisesRegex(TypeError, "labels=3"):
            list(zz.sweep(STAGES, [{"labels": 3}], **parameters()))

    def test_an_argument_that_no_stage_reads(self):
        outcome, = zz.sweep(STAGES, [{"chip": "small"}], **parameters())
        self.assertEqual(outcome.status, "failed")
        self.assertIn("no stage of this pipeline reads the argument 'chip'", outcome.reason)
        self.assertIn("labels=", outcome.reason)

    def test_labels_are_columns(self):
        points = [{**point, "labels": {"chip": f"chip {number}"}} for number, point in enumerate(POINTS)]
        for executor in (None, 2):
            sweep = zz.sweep(STAGES, points, executor=executor, store=self.store, labels={"study": "first"}, **parameters())
            outcomes = in_order(sweep)
            self.assertEqual([outcome.labels["chip"] for outcome in outcomes], [f"chip {n}" for n in range(len(POINTS))])
            rows = outcomes[1].table_rows()
            self.assertEqual((rows[0]["chip"], rows[0]["study"], "labels" in rows[0]), ("chip 1", "first", False))
        self.assertTrue(outcomes[0].stored)
        again, = zz.sweep(STAGES, POINTS[:1], store=self.store, **parameters())
        self.assertTrue(again.stored)  # they are no part of what a point is
        self.assertIn("chip chip 1", sweep.page())

    def test_outcomes_pickle(self):
        for outcome in zz.sweep(STAGES, [POINTS[0], {"loma_lpf_limt": 1}], **parameters()):
            copy = pickle.loads(pickle.dumps(outcome))
            self.assertEqual((copy.index, copy.point, copy.rows, copy.reason),
                             (outcome.index, outcome.point, outcome.rows, outcome.reason))

    def test_columns_are_there_where_no_point_is_done_and_one_line_says_why(self):
        sweep = zz.sweep(STAGES, [{**one, "workload": "nowhere.yaml"} for one in [{}, {}]],
                         **{name: value for name, value in parameters().items() if name != "workload"})
        with self.assertLogs("zz", "WARNING") as told:
            rows = sweep._all_rows()
            sweep._all_rows()
        self.assertEqual(len(told.records), 1)
        self.assertRegex(told.output[0], "none of the 2 points has figures, all for one reason: .*nowhere.yaml")
        for row in rows:
            self.assertTrue(math.isnan(row["energy"]) and math.isnan(row["latency"]))
        self.assertEqual(len(rows), 2)

    def test_figures_alone(self):
        outcome, = zz.sweep(STAGES, POINTS[:1], keep="figures", **parameters())
        self.assertEqual(outcome.energy, zz.run(STAGES, **parameters(**POINTS[0])).energy)
        with self.assertRaisesRegex(zz.Error, "keep="):
            outcome.results

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_tables(self):
        frame = zz.sweep(STAGES, [*POINTS, {"accelerator": small_array()}], executor=2, **parameters()).to_dataframe()
        self.assertEqual(list(frame["index"]), list(range(6)))
        self.assertEqual(list(frame.loma_lpf_limit[:5]), [point["loma_lpf_limit"] for point in POINTS])
        self.assertEqual(list(frame.status), ["done"] * 5 + ["infeasible"])
        self.assertEqual(frame.attrs["units"]["energy"], "pJ")
        self.assertGreater(frame.energy[0], 0)


class Stores(InFolder):
    def sweep(self, points=POINTS, **others):
        return in_order(zz.sweep(STAGES, points, store=self.store, **parameters(**others)))

    def test_a_sweep_goes_on_from_its_store(self):
        with zz.sweep(STAGES, POINTS, store=self.store, **parameters()) as sweep:
            first = next(sweep)
        again = self.sweep()
        self.assertEqual([outcome.stored for outcome in again], [True, False, False, False, False])
        self.assertEqual(again[0].results.evaluation.json(), first.results.evaluation.json())
        self.assertEqual((again[0].rows, again[0].counters, again[0].seconds), (first.rows, first.counters, first.seconds))
        self.assertTrue(all(outcome.stored for outcome in self.sweep()))

    def test_infeasible_points_are_kept_and_wrong_ones_run_again(self):
        points = [{"accelerator": small_array()}, {"loma_lpf_limt": 6}]
        first, second = self.sweep(points), self.sweep(points)
        self.assertEqual([outcome.stored for outcome in second], [True, False])
        self.assertEqual([outcome.reason for outcome in first], [outcome.reason for outcome in second])
        self.assertIsInstance(second[0].error, zz.NoResult)

    def test_what_was_not_found_is_no_proof_and_is_tried_again_when_asked_with_more(self):
        chip = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        chip["memories"]["buffer"]["size"] = 24
        points = [{"accelerator": chip, "loma_lpf_limit": limit} for limit in (3, 3, 6)]
        self.sweep(points[:1])
        outcomes = self.sweep(points)
        self.assertEqual([outcome.status for outcome in outcomes], ["not found"] * 3)
        self.assertEqual([outcome.stored for outcome in outcomes], [True, True, False])
        self.assertIsInstance(outcomes[0].error, zz.NotFound)
        self.assertIn("`loma_lpf_limit` above 3", outcomes[0].reason)

    def test_a_changed_file_makes_new_points(self):
        shutil.copytree(INPUTS, self.folder / "inputs")
        chip = self.folder / "inputs" / "accelerator.yaml"
        pipeline = self.folder / "inputs" / "pipeline.yaml"

        def sweep():
            return list(zz.sweep(pipeline, POINTS[:1], store=self.store, dump_folder=self.folder / "out"))[0]

        before = sweep()
        self.assertTrue(sweep().stored)
        text = chip.read_text()
        accelerator = yaml.safe_load(text)
        for memory in accelerator["memories"].values():
            memory["r_cost"] *= 2
        chip.write_text(yaml.safe_dump(accelerator, sort_keys=False))
        changed = sweep()
        self.assertFalse(changed.stored)
        self.assertGreater(changed.energy, before.energy)
        chip.write_text(text)
        restored = sweep()
        self.assertTrue(restored.stored)
        self.assertEqual(restored.energy, before.energy)
        pipeline.write_text(pipeline.read_text() + "# another line\n")
        self.assertFalse(sweep().stored)

    def test_the_source_of_a_stage_counts(self):
        chain = [*STAGES[:2], Counted(file_of_lines=str(self.folder / "lines")), *STAGES[2:]]
        for _ in range(2):
            self.assertEqual([outcome.status for outcome in zz.sweep(chain, POINTS[:2], store=self.store, **parameters())],
                             ["done", "done"])
        self.assertEqual((self.folder / "lines").read_text(), "ran\n" * 2)

    def test_a_full_disk(self):
        usual = resource.getrlimit(resource.RLIMIT_FSIZE)
        with self.assertRaisesRegex(zz.Error, "sweep.sqlite.*can go on from it"):
            with zz.sweep(STAGES, POINTS, store=self.store, **parameters()) as sweep:
                resource.setrlimit(resource.RLIMIT_FSIZE, (8192, usual[1]))
                try:
                    list(sweep)
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        self.assertEqual([outcome.status for outcome in self.sweep()], ["done"] * 5)

    def test_threads_make_no_difference(self):
        self.sweep(POINTS[:1])
        self.assertTrue(self.sweep(POINTS[:1], threads=2)[0].stored)

    def test_two_sweeps_at_once(self):
        code = ("import sys, zz; from small import STAGES, parameters\n"
                "points = [{'loma_lpf_limit': limit} for limit in (1, 2, 3, 6, 7)] * 4\n"
                "print(sorted({outcome.energy for outcome in zz.sweep(STAGES, points, store=sys.argv[1], **parameters())}))")
        sweeps = [subprocess.Popen([sys.executable, "-c", code, self.store], stdout=subprocess.PIPE, text=True,
                                   env=environment()) for _ in range(3)]
        printed = [sweep.communicate()[0] for sweep in sweeps]
        self.assertEqual([sweep.returncode for sweep in sweeps], [0, 0, 0])
        self.assertEqual(json.loads(printed[0]), sorted({outcome.energy for outcome in self.sweep()}))
        self.assertEqual(len(set(printed)), 1)

    def test_what_is_no_store(self):
        self.store.write_text("what is this?" * 100)
        with self.assertRaisesRegex(zz.Error, "sweep.sqlite.*not a database"):
            self.sweep()
        with self.assertRaisesRegex(zz.Error, "no_such_folder"):
            zz.sweep(STAGES, POINTS, store=self.folder / "no_such_folder" / "sweep.sqlite")
        other = self.folder / "other.sqlite"
        with sqlite3.connect(other) as file:
            file.execute("CREATE TABLE mine (column)")
        with self.assertRaisesRegex(zz.Error, "no store of zz"):
            zz.sweep(STAGES, POINTS, store=other)

    def test_what_is_damaged_or_of_another_version(self):
        self.sweep()
        whole = self.store.read_bytes()
        for length in (len(whole) // 2, len(whole) - 100, 700):
            self.store.write_bytes(whole[:length])
            with self.assertRaisesRegex(zz.Error, "sweep.sqlite.*cut off"):
                self.sweep()
            self.assertEqual(self.store.read_bytes(), whole[:length])
        self.store.write_bytes(whole)
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            file.execute("PRAGMA user_version = 99")
        with self.assertRaisesRegex(zz.Error, "has layout 99, and this zz reads layout"):
            self.sweep()
        older = self.folder / "older.sqlite"
        with contextlib.closing(sqlite3.connect(older)) as file:
            file.executescript("CREATE TABLE inputs (id); CREATE TABLE points (key); PRAGMA user_version = 2;")
        before = older.read_bytes()
        with self.assertRaisesRegex(zz.Error, "of an earlier zz"):
            zz.sweep(STAGES, POINTS, store=older)
        self.assertEqual(older.read_bytes(), before)

    def test_a_store_that_another_program_keeps_locked(self):
        self.sweep(POINTS[:1])
        with unittest.mock.patch("zz.store._PATIENCE", 0), contextlib.closing(sqlite3.connect(self.store)) as file:
            file.execute("BEGIN EXCLUSIVE")
            with self.assertRaisesRegex(zz.Error, "sweep.sqlite.*is locked: another program"):
                self.sweep(POINTS[:1])
        self.assertTrue(self.sweep(POINTS[:1])[0].stored)

    @unittest.skipIf(postgres.programs() is None, "no PostgreSQL server is installed")
    def test_a_database_of_postgresql_is_a_store(self):
        with postgres.Server() as server:
            url = server.database("sweeps")
            first, again = (in_order(zz.sweep(STAGES, POINTS, store=url, **parameters())) for _ in range(2))
        self.assertEqual([outcome.stored for outcome in first], [False] * len(POINTS))
        self.assertEqual([outcome.stored for outcome in again], [True] * len(POINTS))
        self.assertEqual([outcome.energy for outcome in again], [outcome.energy for outcome in first])

    def test_a_sweep_and_a_space_may_share_a_store(self):
        self.sweep(POINTS[:2])
        space = zz.explore(STAGES, zz.Space({"memories.buffer.size": [32768, 65536]}), store=self.store, figures="latency",
                           **parameters())
        self.assertEqual(len(space), 2)
        self.assertEqual([outcome.stored for outcome in self.sweep(POINTS[:3])], [True, True, False])
        self.assertEqual(len(space), 2)


class SharedPoints(InFolder):
    """A point is the same whether a design space or a sweep has it."""

    # The smallest buffer holds no element of each operand.
    AXES = {"memories.buffer.size": [16, 8192, 65536], "memories.buffer.r_cost": [2, 5], "loma_lpf_limit": [3, 6]}

    def explore(self, chain=STAGES, axes=AXES, **settings):
        stage = {"ExplorationStage": {"axes": axes, "figures": "latency", "store": str(self.store), **settings}}
        return zz.run([*chain[:2], stage, *chain[2:]], **parameters())

    def points(self):
        """The same as dicts, as who writes Python has them."""
        for point in zz.Space(self.AXES):
            chip = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
            chip["memories"]["buffer"].update(size=point["memories.buffer.size"], r_cost=point["memories.buffer.r_cost"])
            yield {"accelerator": chip, "loma_lpf_limit": point["loma_lpf_limit"]}

    def sweep(self, points=None, chain=STAGES, **others):
        return in_order(zz.sweep(chain, points or self.points(), store=self.store, **parameters(**others)))

    def rows(self):
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            return file.execute("SELECT state, energy, latency FROM figures ORDER BY point").fetchall()

    def told(self, outcomes):
        return [("done", one.energy, one.latency) if one.status == "done" else (one.status, None, None) for one in outcomes]

    def test_a_sweep_finds_a_grid(self):
        self.explore()
        with unittest.mock.patch("zz.work.compute", side_effect=AssertionError("a point is computed")):
            outcomes = self.sweep()
        self.assertEqual([outcome.stored for outcome in outcomes], [True] * 12)
        self.assertEqual(self.told(outcomes), self.rows())
        self.assertEqual([outcome.status for outcome in outcomes], ["infeasible"] * 4 + ["done"] * 8)
        self.assertIn("buffer", outcomes[0].reason)
        # The space keeps figures alone: results are those of a run.
        again = zz.run(STAGES, **parameters(**list(self.points())[7]))
        self.assertEqual(outcomes[7].results.evaluation.json(), again.evaluation.json())
        # Fields of the accelerator as arguments are the same points, too.
        points = [{"accelerator.memories[buffer].size": 8192, "accelerator.memories[buffer].r_cost": cost} for cost in (2, 5, 7)]
        self.assertEqual([outcome.stored for outcome in self.sweep(points, loma_lpf_limit=3)], [True, True, False])

    def test_points_share_the_mappings_of_their_layers(self):
        chain = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
                 "OptimalMappingStage", "CostModelStage"]
        given = {name: value for name, value in parameters().items() if name != "loma_lpf_limit"}
        list(zz.sweep(chain, [{}], store=self.store, **given))
        counters = zz.run(chain, store=self.store, **given).counters
        self.assertEqual((counters["found in the store"], counters["asked of the store"]), (2, 2))
        # A sweep of points that nobody has run has the layers of the run, and tells the same.
        points = [{"accelerator.memories[dram].area": area} for area in (1, 2)]
        plain, shared = (list(zz.sweep(chain, points, store=store, **given)) for store in (None, self.store))
        self.assertEqual(self.told(plain), self.told(shared))
        self.assertEqual(plain[0].counters, shared[0].counters)

    def test_a_grid_finds_a_sweep(self):
        outcomes = self.sweep()
        counters = self.explore().counters
        self.assertEqual(counters["points whose figures the store had"], 12)
        self.assertNotIn("mappings evaluated", counters)
        self.assertEqual(self.told(outcomes), self.rows())
        more = self.explore(axes={**self.AXES, "loma_lpf_limit": [3, 6, 7]}).counters
        self.assertEqual(more["points whose figures the store had"], 12)

    def test_points_that_lack_a_figure_are_told(self):
        self.explore()
        sweep = zz.sweep(STAGES, [*self.points(), {"loma_lpf_limit": 7}], store=self.store, **parameters())
        with self.assertLogs("zz", "WARNING") as log:
            found = sweep.pareto("energy", "utilization")
        self.assertEqual([point["index"] for point in found], [12])
        self.assertIn("8 of 9 points lack 'energy' or 'utilization', and are passed over", log.output[-1])

    def test_objectives_that_need_no_energy_leave_it_for_sweeps(self):
        self.explore(objectives=["latency", "area"], metrics={"area": "memories.buffer.size"})
        outcomes = self.sweep()
        self.assertEqual([outcome.stored for outcome in outcomes], [True] * 12)
        self.assertEqual(outcomes[9].energy, zz.run(STAGES, **parameters(**list(self.points())[9])).energy)

    def test_another_chain_makes_other_points(self):
        self.explore()
        others = self.sweep(chain=stages("MinimalEnergyStage"))
        self.assertEqual([outcome.stored for outcome in others], [False] * 12)

    def test_points_of_no_single_run_are_no_points_of_a_sweep(self):
        chain = [*STAGES[:4], "OptimalMappingStage", "CostModelStage"]
        axes = {"memories.buffer.size": [8192, 65536]}
        points = [{"accelerator.memories[buffer].size": size} for size in axes["memories.buffer.size"]]
        given = {"0": {"energy": 1.0, "latency": 1.0}}
        for settings in ({"figures": "separate"}, {"given": given}):
            self.store = self.folder / f"{len(settings)}{next(iter(settings))}.sqlite"
            zz.run([*chain[:2], {"ExplorationStage": {"axes": axes, "figures": "latency", "store": str(self.store), **settings}},
                    *chain[2:]], **{name: value for name, value in parameters().items() if name != "loma_lpf_limit"})
            with zz.sweep(chain, points, store=self.store, workload=INPUTS / "workload.yaml",
                          accelerator=INPUTS / "accelerator.yaml", mapping=INPUTS / "mapping.yaml") as sweep:
                self.assertEqual([outcome.stored for outcome in sweep], [False] * 2)

    def test_the_mappings_that_a_space_chooses_are_those_of_a_chain_that_says_so(self):
        chain = [*STAGES[:4], {"OptimalMappingStage": {"objective": "Energy"}}, "CostModelStage"]
        known = {name: value for name, value in parameters().items() if name != "loma_lpf_limit"}
        stage = {"ExplorationStage": {"axes": {"memories.buffer.size": [8192, 65536]}, "figures": "energy", "store": str(self.store)}}
        zz.run([*chain[:2], stage, *STAGES[2:4], "OptimalMappingStage", "CostModelStage"], **known)
        points = [{"accelerator.memories[buffer].size": size} for size in (8192, 65536)]
        self.assertEqual([outcome.stored for outcome in zz.sweep(chain, points, store=self.store, **known)], [True, True])


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], os.path.dirname(__file__)])}


class Workers(InFolder):
    def killing(self, **settings):
        return [*STAGES[:2], Killing(marker=str(self.folder / "killed"), **settings), *STAGES[2:]]

    def test_points_of_a_killed_worker_run_again(self):
        expected = [zz.run(STAGES, **parameters(**point)).energy for point in POINTS]
        pools = [concurrent.futures.ProcessPoolExecutor(2), lambda: concurrent.futures.ProcessPoolExecutor(2), 2]
        for pool in pools:
            outcomes = in_order(zz.sweep(self.killing(), POINTS, executor=pool, **parameters()))
            self.assertTrue((self.folder / "killed").exists())
            self.assertEqual([outcome.energy for outcome in outcomes], expected)
            (self.folder / "killed").unlink()

    def test_a_point_that_always_kills_is_given_up(self):
        points = [*POINTS, {"pipeline": self.killing(always=True)}, *POINTS]
        outcomes = in_order(zz.sweep(STAGES, points, executor=2, **parameters()))
        self.assertEqual([outcome.status for outcome in outcomes], ["done"] * 5 + ["failed"] + ["done"] * 5)
        self.assertIsInstance(outcomes[5].error, zz.WorkerLost)

    def test_points_that_take_too_long(self):
        hanging = [*STAGES[:2], Hanging, *STAGES[2:]]
        for executor in (None, 1, concurrent.futures.ThreadPoolExecutor(1)):
            slow, = zz.sweep(hanging, [{}], executor=executor, point_seconds=0.2, store=self.store, **parameters())
            self.assertIsInstance(slow.error, zz.TimedOut)
            self.assertIn("0.2 s", slow.reason)
            # However busy the machine is, the limit of another point is another one.
            fast, = zz.sweep(STAGES, [{}], executor=executor, point_seconds=1000, store=self.store, **parameters())
            self.assertEqual(fast.status, "done")

    def test_a_stage_that_does_not_listen_is_ended(self):
        deaf = [*STAGES[:2], Hanging(deaf=True), *STAGES[2:]]
        outcome, = zz.sweep(deaf, [{}], point_seconds=0.1, **parameters())
        self.assertIsInstance(outcome.error, zz.TimedOut)

    def test_points_are_what_they_were_when_they_were_read(self):
        def points():
            point = {}
            for limit in (1, 2, 3, 6):
                point["loma_lpf_limit"] = limit
                yield point

        for executor in (None, 2, concurrent.futures.ThreadPoolExecutor(2)):
            outcomes = in_order(zz.sweep(STAGES, points(), executor=executor, **parameters()))
            self.assertEqual([outcome.point["loma_lpf_limit"] for outcome in outcomes], [1, 2, 3, 6])

    def test_points_that_no_other_one_beats(self):
        sweep = zz.sweep(STAGES, [*POINTS, {"accelerator": small_array()}], **parameters())
        found = {(point["energy"], point["latency"]) for point in sweep.pareto()}
        done = [(outcome.energy, outcome.latency) for outcome in zz.sweep(STAGES, POINTS, **parameters())]
        self.assertEqual(found, {one for one in done if not any(
            other[0] <= one[0] and other[1] <= one[1] and other != one for other in done)})
        page = sweep.page("loma_lpf_limit", "energy")
        self.assertEqual(page.count("<circle"), len(POINTS))
        self.assertIn("point 0: loma_lpf_limit 1; loma_lpf_limit 1, energy", page)
        with self.assertRaisesRegex(ValueError, "'latencey' is no figure of this sweep; did you mean 'latency'?"):
            sweep.pareto("energy", "latencey")

    def test_a_front_keeps_equal_points_and_needs_figures(self):
        rows = [{"index": i, "x": x, "y": y} for i, (x, y) in enumerate([(2, 1), (1, 3), (2, 1), (2, 2), (3, 1), (0, None)])]
        with_both = front.with_figures(rows, ("x", "y"))
        self.assertEqual([row["index"] for row in front.unbeaten(with_both, "x", "y")], [1, 0, 2])
        self.assertIn("no point has figures", front.page([{"index": 0, "status": "failed"}], [], "x", "y", {}))

    def test_warnings_are_given_once(self):
        pipelines._told.clear()
        with self.assertLogs("zz", logging.WARNING) as log:
            list(zz.sweep({"stages": STAGES, "parameters": parameters(most_nodes=3)}, POINTS))
        self.assertEqual(len(log.output), 1)

    def test_a_class_whose_points_no_store_finds_again_is_told_once(self):
        class Reading(zz.Stage):
            """Has an open file."""

            source = (line for line in ())

            def run(self, context):
                yield from self.substage(context)

        with self.assertLogs("zz", logging.WARNING) as log:
            list(zz.sweep([*STAGES[:4], Reading, *STAGES[4:]], POINTS[:2], store=self.store, **parameters()))
        self.assertEqual([line for line in log.output if "no later sweep finds" in line and "type generator" in line][1:], [])
        self.assertIn("Reading: no later sweep finds its results in a store", "".join(log.output))

    def test_wide_ports_that_cost_nothing_more_are_warned_of(self):
        def chip(width, price=None):
            accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
            memory = accelerator["memories"]["dram"]
            memory["ports"][0]["bandwidth_max"], memory["r_cost"] = width, price or memory["r_cost"]
            return {"accelerator": accelerator}

        path = "accelerator.memories[dram].ports[rw_port_1].bandwidth_max"
        for points in ([chip(32), chip(64)], [{path: 32}, {path: 64}]):
            pipelines._told.clear()
            with self.assertLogs("zz", logging.WARNING) as log:
                list(zz.sweep(STAGES, points, **parameters()))
            self.assertRegex(log.output[0], "'?dram'?.* look cheap; vary r_cost and w_cost along")
        with self.assertNoLogs("zz", logging.WARNING):
            list(zz.sweep(STAGES, [chip(32, 50), chip(64, 100)], **parameters()))

    def test_relative_paths_count_from_the_folder_of_the_sweep(self):
        away = concurrent.futures.ProcessPoolExecutor(1, initializer=os.chdir, initargs=(self.folder,))
        before = os.getcwd()
        os.chdir(INPUTS)
        try:
            near = {name: path.name if isinstance(path, pathlib.Path) else path for name, path in parameters().items()}
            cores = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
            points = [near, {**near, "accelerator": cores}, {"pipeline": "pipeline.yaml"},
                      {"pipeline": (INPUTS / "pipeline.yaml").read_text()}]
            outcomes = list(zz.sweep(STAGES, points, executor=away))
        finally:
            os.chdir(before)
            away.shutdown()
        self.assertEqual([outcome.reason for outcome in outcomes], [""] * 4)
        self.assertEqual(len({outcome.energy for outcome in outcomes}), 1)

    def script(self, code, *arguments):
        """A process that runs a sweep with points that never end."""
        code = ("import concurrent.futures, sys, zz; from small import STAGES, parameters; from sweep_test import Hanging\n"
                "points = [{'pipeline': STAGES}, {'pipeline': [*STAGES[:2], Hanging, *STAGES[2:]]}] * 3\n" + code)
        process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, env=environment(), start_new_session=True)
        self.addCleanup(self.kill, process)
        return process

    @staticmethod
    def kill(process):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def ended(self, process):
        """What it prints to the end."""
        try:
            return process.communicate(timeout=600)[0]
        except subprocess.TimeoutExpired:
            return self.fail("it goes on")

    EXECUTORS = ("None", "2", "concurrent.futures.ThreadPoolExecutor(2)")

    def test_control_c_ends_a_sweep_and_keeps_what_is_done(self):
        code = ("try:\n"
                "    for outcome in zz.sweep(points, executor=eval(sys.argv[2]), store=sys.argv[1], **parameters()):\n"
                "        print('outcome', outcome.index, flush=True)\n"
                "except KeyboardInterrupt:\n"
                "    print('interrupted', flush=True)\n")
        for executor in self.EXECUTORS:
            process = self.script(code, self.store, executor)
            self.assertEqual(process.stdout.readline(), "outcome 0\n")
            os.killpg(process.pid, signal.SIGINT)
            self.assertIn("interrupted", self.ended(process))
        self.assertTrue(next(zz.sweep([{"pipeline": STAGES}], store=self.store, **parameters())).stored)

    def test_a_sweep_that_is_left_does_not_keep_its_program(self):
        """Whether it is forgotten or not, and whatever ends the loop: Ctrl-C may come there as well."""
        for left in ("for outcome in zz.sweep(points, executor=eval(sys.argv[1]), **parameters()): sys.exit(7)",
                     "sweep = zz.sweep(points, executor=eval(sys.argv[1]), **parameters())\nnext(sweep)\nsys.exit(7)"):
            for executor in self.EXECUTORS[1:]:
                process = self.script(left, executor)
                self.ended(process)
                self.assertEqual(process.returncode, 7)

    def test_a_sweep_is_forgotten_with_its_last_user(self):
        collecting = gc.isenabled()
        gc.disable()
        try:
            sweep = zz.sweep(STAGES, POINTS, executor=2, **parameters())
            next(sweep)
            forgotten = weakref.ref(sweep)
            del sweep
            self.assertIsNone(forgotten())
        finally:
            gc.enable() if collecting else None

    def test_an_executor_that_cannot_load_the_pipeline(self):
        class Local(zz.Stage):
            """Lives in a function."""

            def run(self, context):
                yield from self.substage(context)

        spawning = concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        try:
            import cloudpickle
        except ImportError:
            with self.assertRaisesRegex(zz.Error, "cannot be sent to workers"):
                list(zz.sweep([*STAGES[:2], Local, *STAGES[2:]], POINTS, executor=spawning, **parameters()))
        else:
            del cloudpickle
            outcomes = list(zz.sweep([*STAGES[:2], Local, *STAGES[2:]], POINTS, executor=spawning, **parameters()))
            self.assertEqual([outcome.status for outcome in outcomes], ["done"] * 5)
        spawning.shutdown()


if __name__ == "__main__":
    unittest.main()
