"""Pipelines are loaded, changed, run and looked at; the figures are those of the command."""

import json
import os
import subprocess
import tempfile
import unittest

from client import INPUTS, STAGES, Failed, Server, pipeline


def total(answer):
    return answer["results"][0]["total"]["energy_total"]


class Session(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.__exit__)

    def test_figures_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            changes = {"dump_folder": folder, "loma_lpf_limit": 4, "accelerator.memories[dram].r_cost": 42}
            command = subprocess.run([os.environ["ZZ_HOST"], "run", str(INPUTS / "pipeline.yaml"), "--format=json",
                                      *(f"--set={name}={value}" for name, value in changes.items())],
                                     capture_output=True, check=True)
            with Server("--folder", folder) as server:
                server.call("load", path=str(INPUTS / "pipeline.yaml"), set=changes)
                self.assertEqual(server.call("run")["results"], json.loads(command.stdout)["results"])

    def test_changes_stay_until_they_are_undone(self):
        self.server.call("load", text=pipeline())
        before = total(self.server.call("run"))
        name = "accelerator.memories[buffer].r_cost"
        self.assertEqual(self.server.call("change", set={name: 50})["changes"], {name: 50})
        changed = total(self.server.call("run"))
        self.assertGreater(changed, before)
        self.assertEqual(total(self.server.call("run", set={name: 5})), before)
        self.assertEqual(total(self.server.call("run")), changed)
        self.assertEqual(self.server.call("change", reset=True)["changes"], {})
        self.assertEqual(total(self.server.call("run")), before)

    def test_dimensions_and_settings_of_stages_change(self):
        self.server.call("load", text=pipeline())
        before = self.server.call("run")
        wider = self.server.call("run", set={"workload.layers[second].loops[K].size": 24})
        rows = [answer["results"][0]["layers"] for answer in (before, wider)]
        self.assertEqual(rows[0][0], rows[1][0])
        self.assertGreater(rows[1][1]["latency_total2"], rows[0][1]["latency_total2"])
        fewer = self.server.call("run", set={"LomaStage.loma_lpf_limit": 2})
        self.assertLess(fewer["counters"]["mappings evaluated"], before["counters"]["mappings evaluated"])

    def test_files_may_be_in_memory(self):
        files = {f"{name}.yaml": (INPUTS / f"{name}.yaml").read_text() for name in ("workload", "accelerator", "mapping")}
        parameters = {name: f"<{name}.yaml>" for name in ("workload", "accelerator", "mapping")}
        self.server.call("load", text=pipeline(**parameters), files={f"<{name}>": text for name, text in files.items()})
        in_memory = total(self.server.call("run"))
        self.server.call("load", text=pipeline())
        self.assertEqual(in_memory, total(self.server.call("run")))

    def test_pipelines_stand_beside_each_other(self):
        self.server.call("load", text=pipeline(loma_lpf_limit=2), pipeline="few")
        self.server.call("load", text=pipeline(), pipeline="many")
        few, many = (self.server.call("run", pipeline=name)["counters"]["mappings evaluated"] for name in ("few", "many"))
        self.assertLess(few, many)
        self.server.call("unload", pipeline="many")
        with self.assertRaises(Failed) as failed:
            self.server.call("run", pipeline="many")
        self.assertEqual(failed.exception.data["place"], "params.pipeline")
        self.assertEqual(self.server.call("run")["counters"]["mappings evaluated"], few)

    def test_requests_need_not_wait_for_answers(self):
        numbers = [self.server.send("load", {"text": pipeline()}), *(self.server.send("run") for _ in range(5))]
        self.assertEqual(len({total(self.server.result(number)) for number in numbers[1:]}), 1)

    def test_why_layers_are_slow(self):
        self.server.call("load", text=pipeline())
        with self.assertRaisesRegex(Failed, "has no results yet"):
            self.server.call("why")
        answer = self.server.call("run")
        of_mapping = self.server.call("why", mapping=True)["total"]
        self.assertAlmostEqual(sum(limit["cycles"] for limit in of_mapping["limits"]), of_mapping["latency"])
        whole = self.server.call("why")
        self.assertIn("What it takes at least", whole["text"])
        self.assertLessEqual(whole["total"]["fastest"], whole["total"]["latency"])
        one = self.server.call("why", layer="second")
        self.assertEqual([layer["layer"] for layer in one["layers"]], ["second"])
        self.assertEqual(one["layers"][0]["limited_by"], answer["results"][0]["layers"][1]["limited_by"])
        with self.assertRaisesRegex(Failed, "there is no layer 'secnd'"):
            self.server.call("why", layer="secnd")

    def test_checking_reads_the_files_as_a_run_does(self):
        self.server.call("load", text=pipeline())
        self.assertEqual(self.server.call("check")["warnings"], [])
        self.server.call("load", text=pipeline(), files={str(INPUTS / "accelerator.yaml"): {"name": "x", "memories": {"buffer": {"sise": 1}}}})
        with self.assertRaisesRegex(Failed, "unknown key 'sise'"):
            self.server.call("check")
        self.server.call("load", text=pipeline() | {"parameters": pipeline()["parameters"] | {"accelerator.memories[bufer].size": 1}})
        with self.assertRaisesRegex(Failed, "no such part 'bufer'"):
            self.server.call("check")

    def test_results_are_looked_into(self):
        self.server.call("load", text=pipeline())
        answer = self.server.call("run")
        layer = answer["results"][0]["layers"][1]
        of_layer = self.server.call("results", layer="second", part="energy_total")
        self.assertEqual(of_layer["value"], layer["energy_total"])
        whole = self.server.call("results")["value"]
        self.assertEqual(whole["energy_total"], total(answer))
        for wrong, place, hint in (({"layer": "secnd"}, "params.layer", "second"),
                                   ({"part": "enrgy_total"}, "params.part", "values"),
                                   ({"result": 2}, "params.result", "1")):
            with self.assertRaises(Failed) as failed:
                self.server.call("results", **wrong)
            self.assertEqual(failed.exception.data["place"], place)
            self.assertIn(hint, failed.exception.data["hint"])

    def test_the_chain_is_explained_with_its_changes(self):
        self.server.call("load", text=pipeline())
        self.server.call("change", set={"accelerator.memories[buffer].size": 8192})
        stages = self.server.call("explain")["stages"]
        self.assertEqual([stage["name"] for stage in stages][:3], STAGES[:3])
        self.assertEqual(stages[1]["changes"][0]["name"], "accelerator.memories[buffer].size")
        changed = self.server.call("run")
        # The explanation as a pipeline is the same pipeline.
        self.server.call("load", text=self.server.call("explain", format="yaml")["text"])
        self.assertEqual(total(self.server.call("run")), total(changed))

    def test_stages_are_described(self):
        names = [stage["name"] for stage in self.server.call("stages")["stages"]]
        self.assertIn("CostModelStage", names)
        described, = self.server.call("stages", stage="LomaStage")["stages"]
        self.assertIn("loma_lpf_limit", [setting["name"] for setting in described["settings"]])

    def test_failures_say_where_and_what(self):
        with self.assertRaises(Failed) as failed:
            self.server.call("load", text=pipeline([*STAGES[:7], "LomStage", STAGES[8]]))
        self.assertEqual(failed.exception.data["code"], "invalid")
        self.assertRegex(failed.exception.data["place"], r"<pipeline>:\d+:\d+")
        self.assertIn("LomaStage", failed.exception.data["hint"])
        self.server.call("load", text=pipeline())
        with self.assertRaises(Failed) as failed:
            self.server.call("change", set={"loma_lpf_limt": 3})
        self.assertIn("loma_lpf_limit", failed.exception.data["hint"])
        with self.assertRaises(Failed) as failed:
            self.server.call("run", set={"accelerator.memories[bufer].size": 3})
        self.assertIn("did you mean 'buffer'", str(failed.exception))
        self.assertIn("AcceleratorParserStage", failed.exception.data["stage"])
        with self.assertRaises(Failed) as failed:
            self.server.call("run", set={"accelerator.memories[dram].size": 8})
        self.assertEqual((failed.exception.code, failed.exception.data["code"]), (-32004, "no_result"))
        # What failed has changed nothing.
        self.assertEqual(self.server.call("change")["changes"], {})

    def test_proven_optima_are_kept_or_proven_anew(self):
        stages = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalEnergyStage",
                  "OptimalMappingStage", "CostModelStage"]
        free = "- name: default\n  memory_operand_links: {O: O, W: I2, I: I1}\n"
        files = {"<free.yaml>": free}
        text = pipeline(stages, mapping="<free.yaml>")
        self.server.call("load", text=text, files=files)
        self.server.call("run")
        kept, anew = "optima kept from earlier runs", "optima proven anew from earlier ones"
        for change, counts in (({}, (2, 0)),
                               ({"accelerator.memories[dram].area": 7}, (2, 0)),
                               ({"workload.layers[second].loops[K].size": 24}, (1, 0)),
                               ({"accelerator.memories[dram].r_cost": 300}, (0, 2)),
                               ({"accelerator.memories[buffer].w_cost": 0.5}, (0, 2)),
                               ({"accelerator.memories[buffer].size": 32768}, (1, 0)),
                               ({"accelerator.memories[buffer].size": 4096}, (0, 0)),
                               ({"accelerator.memories[dram].r_cost": 300}, (2, 0))):
            answer = self.server.call("run", set=change)
            counters = answer["counters"]
            self.assertEqual((counters.get(kept, 0), counters.get(anew, 0)), counts, change)
            with Server() as fresh:
                fresh.call("load", text=text, files=files)
                self.assertAlmostEqual(total(answer) / total(fresh.call("run", set=change)), 1, 8)
            for layer in answer["results"][0]["layers"]:
                self.assertEqual(layer["metrics"]["optimum_gap"], 0)

    def test_a_store_keeps_what_a_server_found(self):
        stages = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalEnergyStage",
                  "OptimalMappingStage", "CostModelStage"]
        files = {"<free.yaml>": "- name: default\n  memory_operand_links: {O: O, W: I2, I: I1}\n"}
        asked = []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                with Server("--folder", folder, "--store", folder + "/answers.sqlite") as server:
                    server.call("load", text=pipeline(stages, mapping="<free.yaml>"), files=files)
                    counters = server.call("run")["counters"]
                    asked.append((counters["found in the store"], counters["asked of the store"]))
        self.assertEqual(asked, [(0, 2), (2, 2)])

    def test_the_same_runs_leave_the_same_memory(self):
        self.server.call("load", text=pipeline())
        for _ in range(50):
            self.server.call("run")
        before = resident(self.server.process.pid)
        for _ in range(300):
            self.server.call("run")
        self.assertLess(resident(self.server.process.pid) - before, 4096)


def resident(process):
    """In KiB."""
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


if __name__ == "__main__":
    unittest.main()
