import unittest

import yaml

import zz
from small import INPUTS

GEMM = {"equation": "O[d][k]+=I[d][c]*W[c][k]", "loop_dims": ["D", "K", "C"], "loop_sizes": [8, 16, 32],
        "operand_precision": {"W": 8, "I": 8, "O": 16, "O_final": 8}}
CONFIGS = INPUTS.parents[1] / "configs"


class Optimum(unittest.TestCase):
    def optimum(self, *arguments, layer=GEMM, **others):
        return zz.optimum(layer, INPUTS / "accelerator.yaml", *arguments, **others)

    def test_each_objective_is_best_at_its_own(self):
        energy, latency, edp = (self.optimum(objective) for objective in ("energy", "latency", "EDP"))
        for best in (energy, latency, edp):
            self.assertEqual(best.optimum_gap, 0)
        self.assertLessEqual(energy.optimum_least, min(latency.energy, edp.energy))
        self.assertLessEqual(latency.optimum_least, min(energy.latency, edp.latency))
        # By default, 0.1 % more are given for less of the other figure.
        for best, figure in ((energy, energy.energy), (latency, latency.latency)):
            self.assertLessEqual(figure, best.optimum_least * 1.001 * (1 + 1e-9))
            self.assertEqual(best.optimum_second_gap, 0)
        self.assertLessEqual(edp.energy * edp.latency, min(one.energy * one.latency for one in (energy, latency)))
        self.assertAlmostEqual(energy.optimum_lower_bound, energy.optimum_least)

    def test_a_workload_is_summed(self):
        alone = [self.optimum("energy", layer={**GEMM, "loop_sizes": sizes}).energy for sizes in ([8, 16, 32], [4, 8, 8])]
        together = self.optimum("energy", layer=[{**GEMM, "loop_sizes": sizes} for sizes in ([8, 16, 32], [4, 8, 8])])
        self.assertEqual([row["layer"] for row in together.layers], ["layer 0", "layer 1"])
        self.assertAlmostEqual(together.energy, sum(alone))
        of_file = self.optimum("energy", layer=INPUTS / "workload.yaml", within=0)
        heuristic = zz.map(INPUTS / "workload.yaml", INPUTS / "accelerator.yaml", objective="energy", quick=True)
        self.assertLessEqual(of_file.energy, heuristic.energy)

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(zz.InputError, "needs the setting 'phase'"):  # a whole network, no layer
            zz.optimum({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                        "intermediate_size": 128, "vocab_size": 100}, INPUTS / "accelerator.yaml")
        with self.assertRaisesRegex(zz.InputError, "objective must be energy, latency or edp"):
            self.optimum("power")
        with self.assertRaisesRegex(zz.InputError, "loop_dims"):
            self.optimum(layer={name: value for name, value in GEMM.items() if name != "loop_dims"})
        with self.assertRaisesRegex(zz.InputError, "did you mean 'time_limit'"):
            self.optimum(time_limt=3)


class Fused(unittest.TestCase):
    CHAIN = [{**GEMM, "id": 0, "name": "first", "operator_type": "Gemm", "dimension_relations": [], "loop_sizes": [16, 32, 64],
              "operand_source": {"I": 0, "W": 0}},
             {**GEMM, "id": 1, "name": "second", "operator_type": "Gemm", "dimension_relations": [], "loop_sizes": [16, 16, 32],
              "operand_source": {"I": 0, "W": 1}}]

    def test_a_chain_on_one_core(self):
        best = zz.fused(self.CHAIN, INPUTS / "accelerator.yaml", gap=0)
        self.assertEqual(best.fused_gap, 0)
        self.assertEqual(best.fused_groups, 1)
        self.assertLess(best.energy, best.fused_unfused)
        self.assertEqual([row["layer"] for row in best.layers], ["first", "second"])
        alone = zz.fused(self.CHAIN, INPUTS / "accelerator.yaml", gap=0, groups="none")
        self.assertAlmostEqual(alone.energy, best.fused_unfused)
        self.assertAlmostEqual(zz.optimum(self.CHAIN, INPUTS / "accelerator.yaml", "energy", within=0).energy, alone.energy)

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(zz.InputError, "which the network lacks; did you mean 'second'"):
            zz.fused(self.CHAIN, INPUTS / "accelerator.yaml", groups=[["first", "secnd"]])
        with self.assertRaisesRegex(zz.InputError, "'spatial' of OptimalFusedMappingStage; it is gone"):
            zz.fused(self.CHAIN, INPUTS / "accelerator.yaml", spatial="optimal")
        with self.assertRaisesRegex(zz.InputError, "layers are fused on one core"):
            zz.fused(CONFIGS / "workloads/small_cnn.yaml", CONFIGS / "accelerators/heterogeneous_dual_core.yaml",
                     mapping=CONFIGS / "mappings/heterogeneous_dual_core.yaml")


class Schedule(unittest.TestCase):
    def test_a_network_on_two_cores(self):
        chip, cores = CONFIGS / "accelerators/heterogeneous_dual_core.yaml", CONFIGS / "mappings/heterogeneous_dual_core.yaml"
        best = zz.schedule(CONFIGS / "workloads/small_cnn.yaml", chip, cores, evaluation_limit=50, quick=True)
        self.assertGreater(best.latency, 0)
        self.assertLessEqual(best.partition_lower_bound, best.latency)
        self.assertAlmostEqual(best.partition_gap, best.latency / best.partition_lower_bound - 1)
        with self.assertRaisesRegex(zz.InputError, "objective must be energy, latency or edp"):
            zz.schedule("any.onnx", chip, cores, "speed")
        with self.assertRaisesRegex(zz.InputError, "needs an accelerator with several cores"):
            zz.schedule(INPUTS / "workload.yaml", INPUTS / "accelerator.yaml", INPUTS / "mapping.yaml")

    def test_a_network_that_is_served_continuously(self):
        chip, cores = CONFIGS / "accelerators/heterogeneous_dual_core.yaml", CONFIGS / "mappings/heterogeneous_dual_core.yaml"
        best = zz.schedule(CONFIGS / "workloads/small_cnn.yaml", chip, cores, "throughput", samples=2, resident=True,
                           evaluation_limit=50, quick=True)
        self.assertLess(best.period, best.latency)
        self.assertLessEqual(best.partition_lower_bound, best.period)
        self.assertEqual(best.cycles_per_sample, best.period / 2)
        self.assertLessEqual(best.cycles_per_sample_bound, best.cycles_per_sample)
        self.assertLessEqual(best.latency_first_bound, best.latency_first)


class Stages(unittest.TestCase):
    def test_names_are_compared_without_their_ending(self):
        stages = zz.stages()
        for name in ("Loma", "lomastage", "LomaStag"):
            with self.assertRaisesRegex(KeyError, "did you mean 'LomaStage'"):
                stages[name]
        with self.assertRaisesRegex(KeyError, "there is no stage 'Nothing like it'\"$"):
            stages["Nothing like it"]

    def test_they_describe_themselves(self):
        stages = zz.stages()
        self.assertIn("LomaStage", [name for stage in stages for name in (stage.name, *stage.aliases)])
        loma = stages["LomaStage"]
        self.assertIn("loma_lpf_limit", [setting["name"] for setting in loma.settings])
        self.assertIn(loma.name, stages._repr_html_())
        self.assertIn("<table>", loma._repr_html_())
        with self.assertRaisesRegex(KeyError, "did you mean 'CostModelStage'"):
            stages["CostModelStag"]
        with self.assertRaisesRegex(AttributeError, "it has name"):
            loma.nme


if __name__ == "__main__":
    unittest.main()
