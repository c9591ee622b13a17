import os
import pathlib
import subprocess
import tempfile
import textwrap
import unittest
import unittest.mock

import zz
from small import INPUTS, STAGES, parameters, stages


class Best(zz.Stage):
    """Keeps the best result by a metric."""

    reduces = True
    metric = zz.Setting("latency_total2", "what is compared")

    def run(self, context):
        best = None
        for evaluation, extra in self.substage(context):
            self.count("results in Python")
            if best is None or evaluation[self.metric] < best[0][self.metric]:
                best = evaluation, extra
        if best is not None:
            yield best


class Demanding(Best):
    """Keeps the best result, and tells the search so."""

    def demand(self):
        return 1, [self.metric]


class Looking(zz.Stage):
    """Hands on what comes from below."""

    def run(self, context):
        for evaluation, extra in self.substage(context):
            self.count("results in Python")
            yield evaluation, extra


class Forwarding(Looking):
    """Says that it hands on what comes from below."""

    forwards = True


class Limiting(Looking):
    """Hands on what is fast enough, and says so."""

    most_cycles = zz.Setting(1e9, "the largest latency", unit="cycles")

    def limits(self):
        return {"latency_total2": self.most_cycles}

    def run(self, context):
        for evaluation, extra in super().run(context):
            if evaluation.latency_total2 <= self.most_cycles:
                yield evaluation, extra


class Halved(zz.Stage):
    """Hands down a smaller memory."""

    consumes = {"accelerator": "accelerator"}
    provides = {"accelerator": "accelerator"}

    def run(self, context):
        size = context.accelerator.memories[0].size
        yield from self.substage(context, {"accelerator.memories[0].size": size // 2})


class Undeclared(zz.Stage):
    """Hands down a limit that it does not declare."""

    def run(self, context):
        for result in self.substage(context, loma_lpf_limit=2):
            yield zz.point({"limit": 2}, result)


class Declared(Undeclared):
    """Hands down a limit, and says so."""

    provides = {"loma_lpf_limit": "int"}


class Reading(zz.Stage):
    """Counts what is in a file."""

    note = zz.Setting("", "the file", path=True)

    def run(self, context):
        self.count("characters", len(self.text(self.note)))
        self.count("bytes", len(self.bytes(self.note)))
        yield from self.substage(context)


class Carbon(zz.Stage):
    """Adds the carbon of the energy."""

    metrics = {"carbon": zz.Metric("of the energy", unit="g", sum="largest", column=True)}
    forwards = True

    def run(self, context):
        for evaluation, extra in self.substage(context):
            yield evaluation.changed(carbon=2 * evaluation.energy_total), extra


class Ordering(zz.Stage):
    """The best of three orders, scored as numbers, as each of them is when it is opened."""

    consumes = {"layer": "layer", "accelerator": "accelerator", "spatial_mapping": "spatial_mapping",
                "temporal_mapping": "temporal_mapping"}
    provides = {"temporal_mapping": "temporal_mapping"}
    store = zz.Setting("", "keeps the answer")

    def run(self, context):
        scorer = self.scorer(context, ["latency_total2", "energy_total"])
        question = {"layer": context.layer, "accelerator": context.accelerator}
        best = self.find_answer(question, self.store)
        self.count("found", best is not None)
        if best is None:
            loops = [(loop.dimension, loop.size) for loop in context.temporal_mapping.loops]
            orders = [loops, loops[::-1], loops[1:] + loops[:1]]
            scores = scorer.score(orders)
            for order, score in zip(orders, scores):
                if score is None:
                    continue
                mapping = scorer.mapping(order)
                [(evaluation, _)] = self.substage(context, temporal_mapping=mapping)
                assert (evaluation.latency_total2, evaluation.energy_total) == score
                cuts = {operand.operand: list(operand.stationary) for operand in mapping.operands}
                assert scorer.score([order], cuts=[cuts]) == [score]
                self.count("orders")
            best = min((score, order) for score, order in zip(scores, orders) if score)[1]
            self.keep_answer(question, best, self.store)
        yield from self.substage(context, temporal_mapping=scorer.mapping(best))


class Refusing(zz.Stage):
    """Refuses its setting."""

    limit = zz.Setting(1, "a limit", allowed="[1, 9]")

    def prepare(self):
        if self.limit == 7:
            raise ValueError("seven is right out")

    def run(self, context):
        yield from self.substage(context)


class Failing(zz.Stage):
    """Fails at the first result."""

    def run(self, context):
        for evaluation, extra in self.substage(context):
            {}["no such key"]
            yield evaluation, extra


class Forgiving(zz.Stage):
    """Catches what fails below."""

    def run(self, context):
        try:
            yield from self.substage(context)
        except zz.StageError as problem:
            self.log(f"caught: {problem}", "warning")
            yield from self.substage(context.changed({}))


class Guess(zz.Stage):
    """A leaf that costs every mapping the same."""

    consumes = {"layer": "layer"}
    leaf = True

    def run(self, context):
        yield zz.make("evaluation", layer=context.layer, energy_total=2.0, latency_total2=3.0), None


class Constant(zz.Stage):
    """A leaf that yields what is no evaluation."""

    leaf = True

    def run(self, context):
        yield {"answer": 42}, None


class InPython(unittest.TestCase):
    def test_a_reducer_gives_what_the_built_in_one_gives(self):
        built_in = zz.run(STAGES, **parameters())
        for reducer in (Best, Best(metric="latency_total2"), Demanding):
            ours = zz.run(stages(reducer), **parameters())
            self.assertEqual(ours[0].evaluation.json(), built_in[0].evaluation.json())
        self.assertGreater(zz.run(stages(Best), **parameters()).counters["results in Python"], 100)
        self.assertEqual(zz.run(stages(Demanding), **parameters()).counters["results in Python"], 2)

    def test_results_that_nobody_needs_are_not_made(self):
        def run(*above_the_search):
            found = zz.run([*STAGES[:3], "WorkloadStage", "MinimalLatencyStage", "SpatialMappingGeneratorStage",
                            "MinimalLatencyStage", *above_the_search, "LomaStage", "CostModelStage"], **parameters())
            return found[0].evaluation.json(), found.counters.get("results in Python")

        plain, _ = run()
        looking, all_results = run(Looking)
        forwarding, few = run(Forwarding)
        self.assertEqual([looking, forwarding], [plain, plain])
        self.assertLess(few * 10, all_results)
        limiting, within = run(Limiting(most_cycles=1e9))
        self.assertEqual(limiting, plain)
        self.assertLess(within * 10, all_results)

    def test_threads_change_nothing(self):
        one, four = (zz.run(["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", Best,
                             "SpatialMappingGeneratorStage", Best, "LomaStage", "CostModelStage"], threads=threads,
                            **parameters()) for threads in (1, 4))
        self.assertEqual(one[0].evaluation.json(), four[0].evaluation.json())

    def test_a_changed_context(self):
        with zz.iterate([*STAGES[:3], Halved, *STAGES[3:]], **parameters()) as run:
            evaluation, extra = next(run)
        whole = zz.run(STAGES, **parameters()).extra[0][0].accelerator.memories[0].size
        self.assertEqual(extra[0][0].accelerator.memories[0].size, whole // 2)

    def test_a_changed_setting_is_declared(self):
        with self.assertRaisesRegex(zz.InputError, r'does not declare .*: provides = {"loma_lpf_limit": "int"}'):
            zz.run([*STAGES[:3], Undeclared, *STAGES[3:]], **parameters())
        result = zz.run([*STAGES[:3], Declared, *STAGES[3:]], **parameters())
        self.assertEqual(result.extra[0][1]["settings"]["limit"], 2)

    def test_settings_are_checked(self):
        with self.assertRaisesRegex(zz.InputError, "seven is right out"):
            zz.run(stages(Refusing(limit=7), "MinimalLatencyStage"), **parameters())
        with self.assertRaisesRegex(zz.InputError, "limit"):
            zz.run(stages(Refusing(limit=10), "MinimalLatencyStage"), **parameters())
        with self.assertRaisesRegex(TypeError, "it has limit"):
            Refusing(limt=3)

    def test_an_exception_is_the_cause(self):
        with self.assertRaises(zz.StageError) as raised:
            zz.run(stages(Failing, "MinimalLatencyStage"), **parameters())
        self.assertIsInstance(raised.exception.__cause__, KeyError)
        self.assertRegex(str(raised.exception), r"stages_test.py:\d+: KeyError")
        self.assertIn("PythonStage", raised.exception.stage)

    def test_failures_below_can_be_caught(self):
        with self.assertLogs("zz") as log, self.assertRaises(zz.StageError) as raised:
            zz.run(stages(Forgiving, Failing, "MinimalLatencyStage"), **parameters())
        self.assertIn("caught: ", log.output[0])
        self.assertIsInstance(raised.exception.__cause__, KeyError)

    def test_a_leaf_makes_evaluations(self):
        given = {name: value for name, value in parameters().items() if name != "loma_lpf_limit"}
        results = zz.run([*STAGES[:4], Guess], **given)
        self.assertEqual((results.energy, results.latency), (4, 6))
        with self.assertRaisesRegex(ValueError, "evaluation.energy_total: is required"):
            zz.make("evaluation", latency_total2=2.0)
        with self.assertRaisesRegex(ValueError, "evaluatin"):
            zz.make("evaluatin", energy_total=2.0)

    def test_whole_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "note.txt"
            path.write_bytes("zwölf".encode())
            found = zz.run(stages(Reading(note=str(path)), "MinimalLatencyStage"), **parameters())
            self.assertEqual(found.counters["bytes"] / found.counters["characters"], 6 / 5)
            path.write_bytes(b"\xff")
            with self.assertRaisesRegex(zz.InputError, "note.txt: error: a text in UTF-8 is expected"):
                zz.run(stages(Reading(note=str(path)), "MinimalLatencyStage"), **parameters())
        with self.assertRaisesRegex(zz.InputError, "/dev/zero: error: this is a device"):
            zz.run(stages(Reading(note="/dev/zero"), "MinimalLatencyStage"), **parameters())

    def test_metrics_are_described(self):
        found = zz.run([*STAGES[:-2], Carbon, *STAGES[-2:]], **parameters())
        self.assertEqual(found.total["carbon"], max(layer["carbon"] for layer in found.layers))
        self.assertEqual(found.total["carbon"], 2 * max(layer["energy"] for layer in found.layers))
        self.assertIn("carbon [g]", str(found).splitlines()[0])
        self.assertEqual((found.evaluation.unit("carbon"), found.evaluation.describe("carbon")), ("g", "of the energy"))
        with self.assertRaisesRegex(ValueError, "add, largest or none, but found 'most'"):
            zz.Metric(sum="most")

    def test_orders_are_scored_as_numbers(self):
        def run(*settings):
            given = {name: value for name, value in parameters().items() if name != "seed"}
            return zz.run([*STAGES[:-2], "LomaStage", *settings, STAGES[-1]], **given)

        with tempfile.TemporaryDirectory() as folder:
            store = str(pathlib.Path(folder) / "answers.db")
            first, second = run(Ordering(store=store)), run(Ordering(store=store))
        self.assertGreater(first.counters["orders"], 0)
        self.assertNotIn("orders", second.counters)
        self.assertEqual(first.energy, second.energy)

    def test_a_scorer_does_not_outlive_its_stage(self):
        kept = []

        class Keeping(zz.Stage):
            """Keeps its scorer and the loops of a mapping."""

            consumes = {"temporal_mapping": "temporal_mapping", "layer": "layer"}

            def run(self, context):
                loops = [(loop.dimension, loop.size) for loop in context.temporal_mapping.loops]
                kept.append((self.scorer(context, ["energy_total"]), loops))
                assert kept[-1][0].score([loops])[0] is not None
                yield from self.substage(context)

        zz.run([*STAGES[:-1], Keeping, STAGES[-1]], **parameters())
        self.assertTrue(kept)
        for scorer, loops in kept[:3]:
            for use in (lambda: scorer.score([loops]), lambda: scorer.mapping(loops)):
                with self.assertRaisesRegex(RuntimeError, "the run of this stage has ended"):
                    use()
        del kept[:]

    def test_a_failing_scorer_raises_what_a_failing_chain_does(self):
        raised = []

        class Scoring(zz.Stage):
            """Asks for what cannot be scored."""

            consumes = {"temporal_mapping": "temporal_mapping", "layer": "layer", "accelerator": "accelerator",
                        "spatial_mapping": "spatial_mapping"}

            def run(self, context):
                loops = [(loop.dimension, loop.size) for loop in context.temporal_mapping.loops]
                scorer = self.scorer(context, ["energy_total"])
                small = context.changed({f"accelerator.memories[{memory.name}].size": 8
                                         for memory in context.accelerator.memories if memory.name != "dram"})
                for use in (lambda: scorer.score([loops[1:]]), lambda: scorer.mapping(loops[1:]),
                            lambda: self.scorer(small, ["energy_total"]).mapping(loops),
                            lambda: self.scorer(context.changed(accelerator=None), ["energy_total"])):
                    try:
                        use()
                    except zz.Error as problem:
                        raised.append((type(problem).__name__, str(problem)))
                yield from self.substage(context)

        zz.run([*STAGES[:-1], Scoring, STAGES[-1]], **parameters())
        self.assertEqual([name for name, _ in raised[:4]], ["InputError", "InputError", "NoResult", "StageError"], raised[:4])
        self.assertIn("order", raised[0][1])
        self.assertIn("does not fit", raised[2][1])

    def test_a_wrong_result_is_blamed_on_the_stage_that_made_it(self):
        class Giving(zz.Stage):
            """Gives something else than results."""

            def run(self, context):
                return self.wrong(list(self.substage(context)), context)

        class Odd:
            def __repr__(self):
                return "x" * 1000

            def __iter__(self):
                raise OSError("no more")

        cases = {"the stage yielded 3; expected": lambda results, context: [3],
                 "the stage yielded (<zz evaluation": lambda results, context: [(*results[0], 3)],
                 "the stage yielded (None, None); expected": lambda results, context: [(None, None)],
                 "the stage yielded None; expected": lambda results, context: [None],
                 "handed on a map in the place of an evaluation": lambda results, context: [(context, None)],
                 "handed on a list with the number 1 in it": lambda results, context: [([1, 2], None)],
                 "handed on a list with an object of type 'layer' in it": lambda results, context: [([results[0][0], context.layer], None)],
                 "run() returned 5; expected its results": lambda results, context: 5,
                 "OSError: no more": lambda results, context: Odd()}
        for words, wrong in cases.items():
            Giving.wrong = staticmethod(wrong)
            with self.subTest(words), self.assertRaises(zz.StageError) as raised:
                zz.run([*STAGES[:-2], Giving, *STAGES[-2:]], **parameters())
            self.assertIn(words, str(raised.exception))
            self.assertIn("PythonStage in <Giving", str(raised.exception))
            self.assertLess(len(str(raised.exception)), 400)

    def test_settings_may_be_infinite(self):
        seen = []

        class Bounded(zz.Stage):
            """Has bounds that nothing reaches."""

            most = zz.Setting(float("inf"), "the most", allowed="(0, inf]")
            least = zz.Setting(-1e300, "the least")
            both = zz.Setting([1.0], "of each")

            def run(self, context):
                seen.append((self.most, self.least, self.both))
                yield from self.substage(context)

        infinite = float("inf")
        for chain in (Bounded, Bounded(least=-infinite), Bounded(most=infinite, both=[infinite, 2.0, "Infinity"])):
            zz.run([chain, *STAGES], **parameters())
        self.assertEqual(seen, [(infinite, -1e300, [1]), (infinite, -infinite, [1]), (infinite, -1e300, [infinite, 2.0, "Infinity"])])
        for wrong, words in ((lambda: zz.Setting(1, 5), "doc=5: expected a sentence"), (lambda: zz.Setting(1, unit=5), "unit=5"),
                             (lambda: zz.Metric(5), "doc=5"), (lambda: zz.Setting(1, allowed=(1, 2)), "allowed=")):
            with self.assertRaisesRegex(TypeError, words):
                wrong()

    def test_a_wrong_declaration_is_told_with_what_is_expected(self):
        def declared(**wrong):
            def run(self, context):
                yield from self.substage(context)
            cls = type("Declaring", (zz.Stage,), {"__doc__": "Declares.", "__module__": __name__, "run": run, **wrong})
            zz.run([*STAGES[:-1], cls, STAGES[-1]], **parameters())

        cases = {"'consumes' of Declaring is ['layer']; expected a dict": {"consumes": ["layer"]},
                 "'provides' of Declaring is {'layer': 3}; expected a dict": {"provides": {"layer": 3}},
                 "'metrics' of Declaring is {'carbon': 'g'}; expected a dict of names and zz.Metric": {"metrics": {"carbon": "g"}},
                 "'writes' of Declaring is 'energy_total'; expected a list": {"writes": "energy_total"},
                 "Declaring.demand() returned 3; expected how many": {"demand": lambda self: 3},
                 "Declaring.demand() returned (1, 'edp'); expected how many": {"demand": lambda self: (1, "edp")},
                 "Declaring.limits() returned [1]; expected figures": {"limits": lambda self: [1]}}
        for words, wrong in cases.items():
            with self.subTest(words), self.assertRaises(zz.Error) as raised:
                declared(**wrong)
            self.assertIn(words, str(raised.exception))

    def test_an_exception_whose_words_are_no_text_is_told(self):
        class Speechless(Exception):
            def __str__(self):
                raise RuntimeError("no words")

        class Failing(zz.Stage):
            """Fails."""

            def run(self, context):
                raise self.problem

        for problem, words in ((OSError("no file 'a\udcff'"), "OSError: no file 'a\\udcff'"), (Speechless(), "Speechless: it cannot say what")):
            Failing.problem = problem
            with self.assertRaises(zz.StageError) as raised:
                zz.run([*STAGES[:-1], Failing, STAGES[-1]], **parameters())
            self.assertIn(words, str(raised.exception))

    def test_what_is_wrong_is_told_in_words_of_zz(self):
        class Wrong(zz.Stage):
            """Does something wrong."""

            def run(self, context):
                yield from self.wrong(context)

        def within_itself():
            made = []
            made.append({"a": made})
            return made

        cases = {"chain below is run over a context": lambda stage, context: stage.substage("context"),
                 "a counter counts in whole numbers from 0, but found 'x'": lambda stage, context: stage.count("a", "x"),
                 "changed() does not take 7": lambda stage, context: context.changed(7),
                 "the text 'a\\udcff' has letters that UTF-8 lacks": lambda stage, context: [(None, "a\udcff")],
                 "the text 'b\\udcff' has": lambda stage, context: stage.keep_answer({"a": 1}, {"b\udcff": 1}),
                 "log() does not take 2, 'a\\udcff'": lambda stage, context: stage.log("a\udcff"),
                 "a whole number is one of 64 bits": lambda stage, context: [(None, 1 << 80)],
                 "maximum recursion depth exceeded": lambda stage, context: [(None, within_itself())],
                 "level='loud': expected debug, info, warning, error": lambda stage, context: stage.log("a", "loud"),
                 "a question is a dict of all that decides its answer, but found 5": lambda stage, context: stage.find_answer(5),
                 "an answer that is kept has finite numbers": lambda stage, context: stage.keep_answer({"a": 1}, [float("inf")]),
                 "the path <object object": lambda stage, context: context.changed({object(): 7}),
                 "no loop 'X'; its loops are": lambda stage, context: stage.scorer(context, ["edp"]).score([[("X", 2)]]),
                 "handed on an object of type 'layer' in the place of an evaluation": lambda stage, context: [context.layer]}
        for words, wrong in cases.items():
            Wrong.wrong = wrong
            with self.assertRaises(zz.StageError) as raised:
                zz.run([*STAGES[:-1], Wrong, STAGES[-1]], **parameters())
            # The line that went wrong, which has the words here, does not count.
            self.assertIn(words, str(raised.exception).partition(" (in ")[0])
            self.assertIn("PythonStage", str(raised.exception))
            for word in ("pybind", "incompatible function", "C++", "_zz", "Unable to cast"):
                self.assertNotIn(word, str(raised.exception))

    def test_results_are_checked(self):
        with self.assertRaisesRegex(zz.StageError, r"expected \(evaluation, extra\)"):
            zz.run([Constant])

    def test_a_class_without_words_or_run_is_refused(self):
        class Silent(zz.Stage):
            def run(self, context):
                yield from self.substage(context)

        class Idle(zz.Stage):
            """Does nothing."""

        class Named(zz.Stage):
            """Has a setting that PythonStage has."""

            file = zz.Setting("", "a file")

            def run(self, context):
                yield from self.substage(context)

        for cls, words in ((Silent, "no docstring"), (Idle, "no method run"), (Named, "'file' of Named needs another name")):
            with self.assertRaisesRegex(zz.Error, words):
                zz.run(stages(cls, "MinimalLatencyStage"), **parameters())


class InPipelines(unittest.TestCase):
    """The same through the command, which starts a Python of its own."""

    FILE = """
        import zz
        class OnlyFast(zz.Stage):
            '''Passes on the results that are fast enough.'''
            most_cycles = zz.Setting(1e9, "the largest latency", unit="cycles", allowed="(0, inf]")
            def run(self, context):
                for evaluation, extra in self.substage(context):
                    if evaluation.latency_total2 <= self.most_cycles:
                        yield evaluation, extra
        """

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for file in INPUTS.glob("*.yaml"):
            (self.folder / file.name).write_bytes(file.read_bytes())

    def command(self, stage, *options, file=FILE, verb="run", plugins=""):
        (self.folder / "my_stages.py").write_text(textwrap.dedent(file))
        text = (self.folder / "pipeline.yaml").read_text()
        (self.folder / "p.yaml").write_text(plugins + text.replace("  - LomaStage", f"  - {stage}\n  - LomaStage"))
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run([os.environ["ZZ_HOST"], verb, "p.yaml", *options], cwd=self.folder, capture_output=True,
                              text=True, env=environment)

    def test_a_stage_of_a_file(self):
        plain = subprocess.run([os.environ["ZZ_HOST"], "pipeline.yaml"], cwd=self.folder, capture_output=True, text=True)
        ours = self.command("PythonStage: {file: my_stages.py, stage: OnlyFast}", "-j", "4")
        self.assertEqual(ours.returncode, 0, ours.stderr)
        figures = [line for line in ours.stdout.splitlines() if line.startswith(("first", "second", "total"))]
        self.assertEqual(figures, plain.stdout.splitlines()[2:4] + plain.stdout.splitlines()[5:6])

    def test_a_file_is_a_plugin(self):
        ours = self.command("OnlyFast: {most_cycles: 1}", plugins="plugins: [my_stages.py]\n")
        self.assertEqual(ours.returncode, 4, ours.stdout + ours.stderr)  # no result is that fast

    def test_wrong_names(self):
        for stage, words in (
                ("PythonStage: {file: my_stages.py, stage: OnlyFst}", "did you mean 'OnlyFast'"),
                ("PythonStage: {file: my_stages.py}", "needs the setting 'stage'"),
                ("PythonStage: {file: my_stags.py, stage: OnlyFast}", "there is no file"),
                ("PythonStage: {file: my_stages.py, stage: OnlyFast, most_cycle: 3}", "did you mean 'most_cycles'"),
                ("PythonStage: {file: my_stages.py, stage: OnlyFast, most_cycles: -3}", "most_cycles")):
            ended = self.command(stage, "--allow-code", verb="check")
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(words, ended.stderr)
            self.assertRegex(ended.stderr, r"p\.yaml:\d+:\d+: error")

    def test_a_file_that_does_not_load(self):
        for file, words in (("import zz\nclass X(zz.Stage:\n", "my_stages.py:2: SyntaxError"),
                            ("import no_such_module\n", "my_stages.py:1: ModuleNotFoundError"), ("", "defines no stage")):
            ended = self.command("PythonStage: {file: my_stages.py, stage: OnlyFast}", file=file)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(words, ended.stderr)

    def test_a_missing_python_is_told_with_what_to_install(self):
        for library, words in (("libpython3.99.so.1.0", "the package libpython3.99)"),
                               ("/opt/lib/libpython3.99.a", "configured with --enable-shared")):
            with unittest.mock.patch.dict(os.environ, ZZ_PYTHON_LIBRARY=library):
                ended = self.command("PythonStage: {file: my_stages.py, stage: OnlyFast}")
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(words, ended.stderr)

    def test_an_exception_names_file_line_and_stage(self):
        ended = self.command("PythonStage: {file: my_stages.py, stage: OnlyFast}",
                             file=self.FILE.replace("evaluation.latency_total2", "evaluation.latency_totl2"))
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"stage \d+ PythonStage in my_stages.py \(p.yaml:\d+\): .*my_stages.py:8: ")
        self.assertIn("did you mean 'latency_total", ended.stderr)

    def test_check_plugin_holds_them_to_the_rules(self):
        self.command("MinimalLatencyStage")
        good = subprocess.run([os.environ["ZZ_HOST"], "check-plugin", "my_stages.py"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        (self.folder / "my_stages.py").write_text("import no_such_module\n")
        bad = subprocess.run([os.environ["ZZ_HOST"], "check-plugin", "my_stages.py"], cwd=self.folder,
                             capture_output=True, text=True)
        self.assertNotEqual(bad.returncode, 0)
        self.assertRegex(bad.stdout, r"(?s)failed +L9 .*my_stages.py:1: ModuleNotFoundError")


if __name__ == "__main__":
    unittest.main()
