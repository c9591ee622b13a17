"""What a client cannot do to the user of a server: run code, write elsewhere, read files that are no pipelines, end it."""

import contextlib
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from client import INPUTS, STAGES, Failed, Server, pipeline

EAGER = pathlib.Path(os.environ["ZZ_TEST_PLUGINS"]) / "eager.so"
SECRET = "correct-horse-battery-staple"
#: Figures that are there at once.
PLAIN = [*STAGES[:2], {"SimpleSaveStage": {}}, *STAGES[2:]]


class Strangers(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.top = pathlib.Path(holder.name).resolve()
        self.folder = self.top / "own"
        self.folder.mkdir()
        self.mark = self.top / "mark"

    def start(self, *options):
        os.environ["ZZ_TEST_MARK"] = str(self.mark)
        server = Server("--folder", str(self.folder), *options)
        self.addCleanup(server.__exit__)
        return server

    def refused(self, server, method, **params):
        with self.assertRaises(Failed) as failed:
            server.call(method, **params)
        return failed.exception

    def test_no_code_of_a_pipeline_runs(self):
        shutil.copy(EAGER, self.top)
        script = self.top / "stages.py"
        script.write_text("import os\nopen(os.environ['ZZ_TEST_MARK'], 'w').close()\n")
        stages = [*STAGES[:2], {"PythonStage": {"file": str(script), "stage": "Mine"}}, *STAGES[2:]]
        strange = pipeline(stages, dump_folder="x") | {"plugins": [str(self.top / "eager.so")]}
        del strange["parameters"]["dump_folder"]
        server = self.start()
        answers = [server.call("load", text=strange), server.call("change", set={"loma_lpf_limit": 5}), server.call("check")]
        for answer in answers:
            self.assertEqual([(one["stage"], one["position"]) for one in answer["not_looked_at"]], [("PythonStage", "3")])
        self.assertTrue(any("eager.so is not loaded" in warning for warning in answers[0]["warnings"]))
        for form in ("json", "text", "yaml"):
            server.call("explain", format=form)
        error = self.refused(server, "run")
        self.assertIn("eager.so", str(error))
        self.assertIn("stages.py", str(error))
        self.assertIn("--allow-code FOLDER", error.data["hint"])
        tool = server.call("tools/call", name="run", arguments={})
        self.assertTrue(tool["isError"])
        self.assertFalse(self.mark.exists())

    def test_code_of_allowed_folders_runs(self):
        allowed, other = self.top / "allowed", self.top / "other"
        for folder in (allowed, other):
            folder.mkdir()
            shutil.copy(EAGER, folder)
        (allowed / "link.so").symlink_to(other / "eager.so")
        server = self.start("--allow-code", str(allowed))
        for file in (other / "eager.so", allowed / "link.so", allowed / "../other/eager.so"):
            server.call("load", text=pipeline() | {"plugins": [str(file)]})
            self.refused(server, "run")
        self.assertFalse(self.mark.exists())
        server.call("load", text=pipeline() | {"plugins": [str(allowed / "eager.so")]})
        self.assertTrue(self.mark.exists())
        self.assertTrue(server.call("run")["complete"])

    def test_files_are_written_below_the_folder_only(self):
        (self.folder / "away").symlink_to(self.top)
        server = self.start()
        server.call("load", text=pipeline(PLAIN, dump_folder="results"))
        server.call("run")
        self.assertTrue(list((self.folder / "results").rglob("*.json")))
        for folder in (self.top / "elsewhere", "../elsewhere", "results/../../elsewhere", "away/elsewhere",
                       str(self.folder) + "-elsewhere"):
            error = self.refused(server, "run", set={"dump_folder": str(folder)})
            self.assertIn("files are written only below", str(error))
        for folder in (f"{self.top}/new\0/../own", "results\0/../../new", "../new\0/../own/new"):
            self.assertIn("no byte 0", str(self.refused(server, "run", set={"dump_folder": folder})))
        self.assertEqual(sorted(path.name for path in self.top.iterdir()), ["own"])

    def exploration(self, store):
        stage = {"ExplorationStage": {"axes": {"memories.buffer.size": [65536, 32768]}, "objectives": ["latency", "energy"],
                                      "figures": "latency", "store": store}}
        return pipeline([*STAGES[:2], stage, *STAGES[2:]])

    def test_stores_are_below_the_folder_only(self):
        outside = self.top / "outside"
        outside.mkdir()
        (self.folder / "dangling.sqlite").symlink_to(outside / "new.sqlite")
        (self.folder / "chain.sqlite").symlink_to("dangling.sqlite")
        (self.folder / "circle.sqlite").symlink_to("circle.sqlite")
        os.mkfifo(self.folder / "pipe.sqlite")
        server = self.start()
        for store in ("dangling.sqlite", "chain.sqlite", "circle.sqlite", "pipe.sqlite", "../outside/x.sqlite", f"{outside}/x.sqlite",
                      f"file:{outside}/x.sqlite", "file:../outside/x.sqlite?mode=rwc", "/dev/null", "postgresql://me@localhost/x"):
            server.call("load", text=self.exploration(store))
            with contextlib.suppress(Failed):  # 'file:' is a folder of its own then, which may not be there
                server.call("run")
            self.assertEqual(list(outside.iterdir()), [], store)
        server.call("load", text=self.exploration("inside/x.sqlite"))
        server.call("run")
        self.assertTrue((self.folder / "inside/x.sqlite").is_file())

    def test_programs_are_started_from_allowed_folders_only(self):
        allowed, other = self.top / "allowed", self.top / "other"
        for folder in (allowed, other):
            folder.mkdir()
            (folder / "cache.cfg").touch()
            (folder / "cacti").write_text(f"#!/bin/sh\ntouch '{self.mark}'\nexit 1\n")
            (folder / "cacti").chmod(0o755)
        (allowed / "link").symlink_to(other / "cacti")
        accelerator = self.top / "accelerator.yaml"
        text = (INPUTS / "accelerator.yaml").read_text()
        accelerator.write_text(text.replace("r_cost: 5\n    w_cost: 6\n    area: 0", "auto_cost_extraction: true"))
        server = self.start("--allow-code", str(allowed))

        def run(program):
            stages = [*STAGES[:2], {"ComponentCostStage": {"technology_node": 32, "cacti": str(program)}}, *STAGES[2:]]
            server.call("load", text=pipeline(stages, accelerator=str(accelerator)))
            return str(self.refused(server, "run"))

        for program in (other / "cacti", allowed / "link", allowed / "../other/cacti"):
            self.assertIn("--allow-code", run(program))
        (allowed / "cacti").chmod(0o777)
        self.assertIn("others could change it", run(allowed / "cacti"))
        self.assertFalse(self.mark.exists())
        (allowed / "cacti").chmod(0o755)
        self.assertIn("ended with 1", run(allowed / "cacti"))
        self.assertTrue(self.mark.exists())

    def test_many_errors_are_answered(self):
        server = self.start()
        for lines in (99, 100, 101, 199, 200, 201, 1000):
            file = self.top / "notes.txt"
            file.write_text("".join(f"k{i}: 1\n" for i in range(lines)))
            error = self.refused(server, "load", path=str(file))
            self.assertEqual(error.data["code"], "invalid")
            self.assertLess(len(str(error).splitlines()), 20)
        self.assertEqual(server.end()[0], 0)

    def test_nothing_is_told_of_a_file_that_is_no_pipeline(self):
        server = self.start()
        for number, content in enumerate((SECRET, f"root:{SECRET}:0:0\n" * 3, f"{SECRET}: {SECRET}\n", f"- {SECRET}\n",
                                          f"stages: {SECRET}\n", f"key: '{SECRET}\n", f"a: [{SECRET}\n", f"*{SECRET}\n",
                                          f"{{{SECRET}", f"\t{SECRET}: x", f"version: {SECRET}\nplugins: [{SECRET}]\n")):
            file = self.top / f"{number}.txt"
            file.write_text(content)
            error = self.refused(server, "load", path=str(file))
            self.assertNotIn(SECRET, json.dumps([str(error), error.data]), content)
            self.assertIn(error.data["code"], ("invalid", "plugin"))
        large = self.top / "large.txt"
        large.write_text("word " * 200_000)
        error = self.refused(server, "load", path=str(large))
        self.assertLess(len(json.dumps([str(error), error.data])), 1000)
        self.assertNotIn("word", str(error))

    def test_messages_repeat_at_most_80_letters(self):
        server = self.start()
        long = "é" * 5000
        server.call("load", text=pipeline())
        texts = [pipeline([*STAGES[:3], long, *STAGES[3:]]), pipeline([*STAGES[:3], {long: {}}, *STAGES[3:]]),
                 pipeline([*STAGES[:3], {"SumStage": {long: 1}}, *STAGES[3:]]), pipeline(loma_lpf_limit=long),
                 pipeline() | {"version": long}, pipeline() | {long: 1}, pipeline() | {"parameters": long},
                 pipeline([*STAGES[:3], {"SumStage": long}, *STAGES[3:]])]
        calls = [("load", {"text": text}) for text in texts]
        calls += [("load", {long: 1}), ("explain", {"format": long}), ("run", {"pipeline": long}), (long, {}),
                  ("change", {"set": {"loma_lpf_limit": long}}), ("stages", {"stage": long}),
                  ("tools/call", {"name": long}), ("cancel", {"id": long}), ("resources/read", {"uri": long}),
                  ("logging/setLevel", {"level": long})]
        for method, params in calls:
            error = self.refused(server, method, **params)
            told = json.dumps([str(error), error.data], ensure_ascii=False)
            self.assertNotIn("é" * 81, told, (method[:20], told[:300]))
        server.write(f'{{"id": {"x" * 5000}}}\n')
        self.assertNotIn("x" * 201, server.answer()["error"]["message"])

    def test_one_request_never_ends_a_server(self):
        server = self.start()
        server.call("load", text=pipeline())
        for line in ("1e400", '{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}', "-1e999", "[1e400, 1e400]",
                     '{"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"set": {"loma_lpf_limit": 1e400}}}'):
            server.write(line + "\n")
            self.assertEqual(server.answer()["error"]["code"], -32700)
        for threads in (1025, 100_000_000, 1_000_000_000):
            self.assertIn("1024", str(self.refused(server, "run", threads=threads)))
        for number in (1e308, -1e308, 2 ** 63, 2 ** 64 - 1, -(2 ** 63), 5e-324):
            number_of_request = server.send("run", {"set": {"loma_lpf_limit": number}})
            self.assertIn("error", server.answer(number_of_request))
            number_of_request = server.send("run", {"set": {"accelerator.memories[dram].r_cost": number}})
            server.answer(number_of_request)
        self.assertTrue(server.call("run", threads=1024)["complete"])
        self.assertEqual(server.end()[0], 0)

    def test_hints_of_the_tools_are_true(self):
        for options, runs_code in (((), False), (("--allow-code", str(self.folder)), True)):
            hints = {tool["name"]: tool["annotations"] for tool in self.start(*options).call("tools/list")["tools"]}
            for name in ("results", "why", "stages"):
                self.assertEqual((hints[name]["readOnlyHint"], hints[name]["destructiveHint"]), (True, False), name)
            for name in ("check", "explain"):
                self.assertEqual((hints[name]["readOnlyHint"], hints[name]["openWorldHint"]), (not runs_code, runs_code))
            for name in ("load", "change", "run"):
                self.assertEqual((hints[name]["readOnlyHint"], hints[name]["openWorldHint"]), (False, runs_code))
            self.assertTrue(hints["run"]["destructiveHint"])

    def test_values_and_parts_are_resources(self):
        server = self.start()
        uris = [page["uri"] for page in server.call("resources/list")["resources"]]
        self.assertLessEqual({"zz://values", "zz://parts"}, set(uris))
        values, = server.call("resources/read", uri="zz://values")["contents"]
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/values.md"
        self.assertEqual(values["text"], page.read_text())
        parts, = server.call("resources/read", uri="zz://parts")["contents"]
        known = json.loads(parts["text"])
        self.assertIn("levels", known["operand_cost"]["parts"])
        self.assertEqual(known["operand_cost"]["found_by"], "operand")
        server.call("load", text=pipeline())
        server.call("run")
        # The example of the tool's description is one.
        tools = {tool["name"]: tool for tool in server.call("tools/list")["tools"]}
        described = tools["results"]["inputSchema"]["properties"]["part"]["description"]
        self.assertTrue(server.call("results", layer="second", part=described.split(" as ")[1].split(";")[0])["value"])
        self.assertIn("zz://parts", self.refused(server, "results", part="enrgy_parts").data["hint"])


if __name__ == "__main__":
    unittest.main()
