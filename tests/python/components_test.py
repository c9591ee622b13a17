import unittest

import yaml

import zz
from small import INPUTS


def with_open_buffer():
    chip = yaml.safe_load((INPUTS / "accelerator.yaml").read_text())
    for key in ("r_cost", "w_cost", "area"):
        chip["memories"]["buffer"][key] = "auto"
    return chip


def filled(**settings):
    """The buffer of the accelerator that a result was found on."""
    chain = ["WorkloadParserStage", "AcceleratorParserStage", "ComponentCostStage", "SumStage", "WorkloadStage", "MinimalEnergyStage",
             "SpatialMappingGeneratorStage", "MinimalEnergyStage", "LomaStage", "CostModelStage"]
    results = zz.run(chain, workload=INPUTS / "workload.yaml", accelerator=with_open_buffer(), mapping=INPUTS / "mapping.yaml",
                     loma_lpf_limit=4, **settings)
    return results.evaluation["accelerator"]["memories"]["buffer"]


class Cost(unittest.TestCase):
    def test_an_answer_has_figures_ranges_and_a_source(self):
        answer = zz.cost("sram", size=65536, width=128, node=28)
        self.assertEqual(list(answer["energy"]), ["value", "low", "high", "unit"])
        self.assertLess(answer["energy"]["low"], answer["energy"]["value"])
        self.assertEqual((answer["energy"]["unit"], answer["area"]["unit"], answer["leakage"]["unit"]), ("pJ", "mm2", "mW"))
        self.assertEqual(answer["standing"], "interpolated")
        self.assertIn("CACTI 7", answer["source"])
        self.assertIsNone(zz.cost("wire", node=40)["area"])

    def test_wrong_questions(self):
        with self.assertRaisesRegex(zz.InputError, "there is no component 'srm'"):
            zz.cost("srm")
        with self.assertRaisesRegex(zz.InputError, "'sram' has no 'bits'"):
            zz.cost("sram", size=65536, width=128, bits=3)
        with self.assertRaisesRegex(zz.InputError, "5 nm"):
            zz.cost("mac", type="int8", node=5)

    def test_open_costs_are_those_of_the_library(self):
        buffer = filled(technology_node=32)
        answer = zz.cost("sram", size=65536, width=64, node=32)
        self.assertEqual(buffer["r_cost"], answer["energy"]["value"])
        self.assertEqual(buffer["w_cost"], answer["write_energy"]["value"])
        self.assertEqual(buffer["area"], answer["area"]["value"])

    def test_costs_follow_sizes_that_a_run_changes(self):
        small, large = filled(), filled(**{"accelerator.memories[buffer].size": 131072})
        self.assertLess(small["r_cost"], large["r_cost"])
        self.assertEqual(large["r_cost"], zz.cost("sram", size=131072, width=64)["energy"]["value"])
        # A cost that is told in between stays.
        self.assertEqual(filled(**{"accelerator.memories[buffer].r_cost": 3})["r_cost"], 3)

    def test_map_fills_what_is_open(self):
        told = with_open_buffer()
        answer = zz.cost("sram", size=65536, width=64)
        told["memories"]["buffer"].update(r_cost=answer["energy"]["value"], w_cost=answer["write_energy"]["value"],
                                          area=answer["area"]["value"])
        one, other = (zz.map(INPUTS / "workload.yaml", chip, objective="energy", quick=True) for chip in (with_open_buffer(), told))
        self.assertEqual((one.energy, one.latency), (other.energy, other.latency))
        self.assertIn("ComponentCostStage", zz.default_pipeline(INPUTS / "workload.yaml", with_open_buffer())["stages"])
        self.assertNotIn("ComponentCostStage", zz.default_pipeline(INPUTS / "workload.yaml", told)["stages"])


if __name__ == "__main__":
    unittest.main()
