import gc
import json
import logging
import os
import pathlib
import pickle
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import yaml

import zz
from small import INPUTS, STAGES, parameters
from zz import pipelines

ALL = "--all" in sys.argv


def setUpModule():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the job of a shell in the background ignores it


class Running(unittest.TestCase):
    def test_figures_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            command = subprocess.run([os.environ["ZZ_HOST"], "run", str(INPUTS / "pipeline.yaml"), "--format=json", "--set",
                                      f"dump_folder={folder}"], capture_output=True, check=True)
            total = json.loads(command.stdout)["results"][0]["total"]
            of_file = zz.run(INPUTS / "pipeline.yaml", dump_folder=folder)
        results = zz.run(STAGES, **parameters())
        for figures in (of_file, results):
            self.assertEqual(figures.energy, total["energy_total"])
            self.assertEqual(figures.latency, total["latency_total2"])

    def test_inputs_may_be_in_memory(self):
        accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        workload = yaml.safe_load((INPUTS / "workload.yaml").read_text())
        mapping = (INPUTS / "mapping.yaml").read_text()
        in_memory = zz.run({"stages": STAGES, "parameters": parameters(accelerator=accelerator)}, workload=workload,
                           mapping=mapping)
        self.assertEqual(in_memory.energy, zz.run(STAGES, **parameters()).energy)

    def test_a_map_stays_one_where_another_stage_has_a_path(self):
        # `config`: a file of ScaleSimStage.
        config = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
                  "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 256}
        of_model = zz.run([STAGES[1], "TransformerWorkloadStage", *STAGES[2:]], config=config, phase="decode", context=16, loma_lpf_limit=4,
                          accelerator=zz.configs / "accelerators/tpu_like.yaml", mapping=zz.configs / "mappings/tpu_like.yaml")
        self.assertGreater(of_model.energy, 0)

    def test_a_language_model_is_a_dict_as_well_as_a_file(self):
        config = {"model_type": "mistral", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
                  "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 128}
        chip, asked = zz.configs / "accelerators/tpu_like.yaml", {"phase": "decode", "context": 16}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "config.json")
            path.write_text(json.dumps(config))
            of_file, of_dict = (zz.map(one, chip, quick=True, **asked) for one in (path, config))
            self.assertEqual((of_dict.energy, of_dict.latency), (of_file.energy, of_file.latency))
        self.assertIn("TransformerWorkloadStage", zz.default_pipeline(config, chip)["stages"])
        layers = zz.Workload(config, **asked)
        self.assertEqual(zz.map(layers, chip, quick=True).energy, of_dict.energy)
        with self.assertRaisesRegex(zz.InputError, "depend on phase and context"):
            zz.Workload(config)

    def test_results_come_as_they_are_asked_for(self):
        stages = [stage for stage in STAGES if not stage.startswith(("Minimal", "Sum"))]
        with zz.iterate(stages, **parameters()) as run:
            evaluation, _ = next(run)
            self.assertEqual(evaluation.type, "evaluation")
            self.assertLess(run.counters().get("mappings evaluated", 1), 100)

    def test_figures_do_not_depend_on_threads(self):
        one, four = (zz.run(STAGES, threads=threads, **parameters()) for threads in (1, 4))
        self.assertEqual(one[0].evaluation.json(), four[0].evaluation.json())

    def test_runs_beside_each_other(self):
        alone = {limit: zz.run(STAGES, **parameters(loma_lpf_limit=limit)).energy for limit in (2, 3, 6)}
        found = {}

        def run(limit):
            for _ in range(20):
                found.setdefault(limit, set()).add(zz.run(STAGES, **parameters(loma_lpf_limit=limit)).energy)

        threads = [threading.Thread(target=run, args=(limit,)) for limit in alone]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {limit: {energy} for limit, energy in alone.items()})

    def test_warnings_reach_the_logger_once_a_process(self):
        pipelines._told.clear()
        pipeline = {"stages": STAGES, "parameters": parameters(most_nodes=3)}
        with self.assertLogs("zz", logging.WARNING) as log:
            zz.run(pipeline)
        self.assertIn("most_nodes", log.output[0])
        with self.assertNoLogs("zz", logging.WARNING):
            zz.run(pipeline)

    def test_one_line_says_how_many_figures_differ_from_zigzags(self):
        """As a warning to who named the original, as small print to others."""
        pipelines._told.clear()
        pipeline = INPUTS.parents[1] / "configs/pipelines/small_cnn_simba_like.yaml"
        with tempfile.TemporaryDirectory() as folder:
            with self.assertLogs("zz", logging.WARNING) as log:
                zz.run(pipeline, dump_folder=folder, compat="")
            # The others say what became of unrollings, which these layers cannot have as the mapping file prescribes.
            told = [line for line in log.output if not re.search(r"SpatialMappingGeneratorStage: .*simba_like.yaml:\d+:\d+: layer '\w+'.*: .* "
                                                              r"\(mapping entry '\w+'\)$", line)]
            self.assertEqual(len(told), 1, log.output)
            self.assertRegex(told[0], r"figures of \d of 6 layers differ from ZigZag's")
            with self.assertNoLogs("zz", logging.WARNING):
                zz.run(pipeline, dump_folder=folder, compat="zigzag-3.9")
            with self.assertLogs("zz", logging.DEBUG) as log:
                zz.run(pipeline, dump_folder=folder, log_level=logging.DEBUG)
            self.assertEqual([line.split(":")[0] for line in log.output if "ZigZag's" in line], ["DEBUG"], log.output)

    def test_progress_is_told(self):
        told = []
        zz.run(STAGES, progress=lambda what, share: told.append(share), **parameters(loma_lpf_limit=9))
        self.assertTrue(all(0 <= share <= 1 for share in told))

    def test_explains_itself(self):
        with zz.iterate(STAGES, **parameters()) as run:
            self.assertIn("loma_lpf_limit = 6", run.explain())
            self.assertEqual(len(json.loads(run.explain("json"))["stages"]), len(STAGES))


class Failing(unittest.TestCase):
    def test_a_misspelt_parameter(self):
        with self.assertRaises(zz.InputError) as raised:
            zz.run(STAGES, **parameters(loma_lpf_limt=6))
        self.assertIn("did you mean 'loma_lpf_limit'", str(raised.exception))
        self.assertEqual(raised.exception.diagnostics[0]["file"], "pipeline.parameters.loma_lpf_limt")
        with self.assertRaises(zz.InputError) as raised:
            zz.run(json.dumps({"version": 1, "parameters": {"loma_lpf_limt": 6}, "stages": STAGES}, indent=1), **parameters())
        self.assertEqual(raised.exception.diagnostics[0]["file"], "<pipeline>")  # whoever wrote text knows its lines
        self.assertGreater(raised.exception.diagnostics[0]["line"], 1)

    def test_a_wrong_input_in_memory(self):
        accelerator = {**yaml.safe_load((INPUTS / "accelerator.yaml").read_text()), "nme": 3}
        with self.assertRaises(zz.InputError) as raised:
            zz.run(STAGES, **parameters(accelerator=accelerator))
        self.assertIn("accelerator.nme: error", str(raised.exception))
        self.assertIn("did you mean 'name'", str(raised.exception))
        memory = accelerator["memories"]["register"]
        accelerator = {**accelerator, "memories": {**accelerator["memories"], "register": {**memory, "sise": 3}}}
        accelerator.pop("nme")
        with self.assertRaisesRegex(zz.InputError, r"accelerator\.memories\.register\.sise: error: .*'size'"):
            zz.run(STAGES, **parameters(accelerator=accelerator))

    def test_numbers_of_numpy_are_numbers(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        accelerator = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
        expected = zz.run(STAGES, **parameters(accelerator=accelerator, loma_lpf_limit=3)).latency
        array = accelerator["operational_array"]
        array["sizes"] = numpy.array(array["sizes"])
        array["unit_energy"] = numpy.float32(array["unit_energy"])
        for limit in (3, numpy.int64(3)):
            results = zz.run(STAGES, **parameters(accelerator=accelerator, loma_lpf_limit=limit), threads=numpy.int64(1))
            self.assertEqual(results.latency, expected)
        points = [{"loma_lpf_limit": limit} for limit in numpy.arange(3, 4)]
        outcome, = zz.sweep(STAGES, points, **parameters(accelerator=accelerator))
        self.assertEqual(outcome.latency, expected)

    def test_an_unknown_stage_and_a_missing_file(self):
        with self.assertRaisesRegex(zz.InputError, "did you mean 'LomaStage'"):
            zz.run([*STAGES[:-2], "LomeStage", "CostModelStage"], **parameters())
        with self.assertRaisesRegex(zz.InputError, "no_such.yaml"):
            zz.run(STAGES, **parameters(accelerator="no_such.yaml"))
        with self.assertRaisesRegex(zz.PluginError, "no_such.so"):
            zz.run(STAGES, plugins=["no_such.so"], **parameters())

    def test_an_argument_that_nothing_reads(self):
        for pipeline in (INPUTS / "pipeline.yaml", STAGES):
            with self.assertRaisesRegex(zz.InputError, '^(objective="energy"|pipeline.parameters.objective): error: '
                                        "no stage of this pipeline reads the argument 'objective'.*SearchHintLoopsStage"):
                zz.run(pipeline, objective="energy", **parameters())
        fixed = [*STAGES[:-2], {"LomaStage": {"loma_lpf_limit": 2}}, STAGES[-1]]
        with self.assertRaisesRegex(zz.InputError, "'loma_lpf_limit' changes nothing: .*LomaStage.* sets it itself.*'LomaStage.loma_lpf_limit'"):
            zz.run(fixed, **parameters(loma_lpf_limit=3))

    def test_a_path_that_is_wrong_by_a_letter(self):
        with self.assertRaisesRegex(zz.InputError, "did you mean '.*/accelerator.yaml'"):
            zz.run(STAGES, **parameters(accelerator=INPUTS / "acelerator.yaml"))
        with self.assertRaisesRegex(zz.InputError, "did you mean '.*/pipeline.yaml'"):
            zz.run(INPUTS / "pipelin.yaml")

    def test_what_is_no_setting(self):
        circular = []
        circular.append(circular)
        deep = []
        for _ in range(100000):
            deep = [deep]
        for wrong, kind, words in ((object(), TypeError, "object"), ([object()], TypeError, "object"), ({"a": {1}}, TypeError, r"\{1\}"),
                                   (zz.Accelerator, TypeError, "expected an object of the class Accelerator"),
                                   (circular, ValueError, "[Cc]ircular"), (deep, ValueError, "too deeply")):
            for name in ("loma_lpf_limit", "accelerator"):
                with self.subTest(words, name=name), self.assertRaisesRegex(kind, f"^{name}: .*{words}"):
                    zz.run(STAGES, **parameters(**{name: wrong}))

    def test_numbers_that_no_argument_takes(self):
        for threads in (-1, 10**30, 1.5, "two", None, [1, 2]):
            with self.subTest(threads), self.assertRaisesRegex(TypeError, "^threads=.*expected a number of threads"):
                zz.run(STAGES, threads=threads, **parameters())
        results = zz.run(STAGES, **parameters())
        for wrong in ({"layer": 3}, {"factor": 10**30}, {"mapping": "yes"}):
            (name, value), = wrong.items()
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, f"^{name}={value!r}: expected "):
                results.explain(**wrong)

    def test_exceptions_pickle(self):
        try:
            zz.run(STAGES, **parameters(loma_lpf_limt=6))
        except zz.Error as problem:
            copy = pickle.loads(pickle.dumps(problem))
            self.assertEqual((type(copy), str(copy), copy.diagnostics), (type(problem), str(problem), problem.diagnostics))


class Ending(unittest.TestCase):
    LONG = """
import sys, yaml, zz
from small import STAGES, parameters
layer = {"id": 0, "name": "large", "operator_type": "Gemm", "equation": "O[d][k]+=I[d][c]*W[c][k]",
         "dimension_relations": [], "loop_dims": ["D", "K", "C"], "loop_sizes": [30030, 30030, 30030],
         "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}, "operand_source": {"W": 0, "I": 0}}


class Within(zz.Stage):
    '''Runs another pipeline.'''

    def run(self, context):
        zz.run(STAGES, **parameters(workload=[layer], loma_lpf_limit=14))
        yield from self.substage(context)


try:
    print("begun", flush=True)
    eval(f"zz.run({sys.argv[1]})")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

    def test_control_c_ends_a_run(self):
        self.end("STAGES, **parameters(workload=[layer], loma_lpf_limit=14)")

    def test_control_c_ends_a_run_within_a_stage(self):
        self.end("[*STAGES[:2], Within, *STAGES[2:]], **parameters()")

    def end(self, arguments):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], os.path.dirname(__file__)])}
        with subprocess.Popen([sys.executable, "-c", self.LONG, arguments], stdout=subprocess.PIPE, text=True,
                              env=environment) as process:
            self.assertEqual(process.stdout.readline(), "begun\n")
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.communicate(timeout=600)[0].strip(), "interrupted")

    def test_cancelling_from_another_thread(self):
        run = zz.iterate(STAGES, **parameters())
        run.cancel()
        with self.assertRaises(zz.Cancelled):
            next(run)
        run.close()
        with self.assertRaisesRegex(ValueError, "the run is closed"):
            run.key()
        self.assertGreater(zz.run(STAGES, **parameters()).energy, 0)

    @unittest.skipIf("libasan" in os.environ.get("LD_PRELOAD", ""), "the address sanitizer keeps back what is freed")
    def test_many_calls_do_not_grow(self):
        layer = [{"id": 0, "name": "layer", "operator_type": "Gemm", "equation": "O[k]+=W[k][c]*I[c]",
                  "loop_dims": ["K", "C"], "loop_sizes": [4, 4],
                  "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}, "operand_source": {"W": 0, "I": 0}}]
        given = parameters(workload=layer, loma_lpf_limit=1)

        def grown(calls):
            for _ in range(calls):
                zz.run(STAGES, **given)
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        grown(300 if ALL else 100)
        before = grown(300 if ALL else 100)
        self.assertLess(grown(1500 if ALL else 300) - before, 1500)  # kB


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
