"""The server as a server of the Model Context Protocol, as an assistant's client talks to it."""

import json
import unittest

from client import ENDLESS, Server, pipeline


class Assistant(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.__exit__)

    def greet(self, version="2025-06-18"):
        greeting = self.server.call("initialize", protocolVersion=version, capabilities={},
                                    clientInfo={"name": "test", "version": "1"})
        self.server.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        return greeting

    def tool(self, name, **arguments):
        return self.server.call("tools/call", name=name, arguments=arguments)

    def test_versions_are_agreed_on(self):
        for wanted, agreed in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")):
            greeting = self.greet(wanted)
            self.assertEqual(greeting["protocolVersion"], agreed)
        self.assertEqual(greeting["serverInfo"]["name"], "zz-host")
        self.assertEqual(set(greeting["capabilities"]), {"tools", "resources", "logging"})

    def test_tools_are_the_methods_with_their_schemas(self):
        self.greet()
        tools = {tool["name"]: tool for tool in self.server.call("tools/list")["tools"]}
        self.assertLessEqual({"load", "change", "run", "results", "explain", "check", "stages"}, set(tools))
        for tool in tools.values():
            self.assertEqual(tool["inputSchema"]["type"], "object")
            self.assertTrue(tool["description"])

    def test_tools_are_called(self):
        self.greet()
        self.assertFalse(self.tool("load", text=pipeline())["isError"])
        ran = self.tool("run")
        self.assertEqual(json.loads(ran["content"][0]["text"]), ran["structuredContent"])
        cheaper = self.tool("run", set={"accelerator.memories[dram].r_cost": 1})
        energy = [one["structuredContent"]["results"][0]["total"]["energy_total"] for one in (ran, cheaper)]
        self.assertLess(energy[1], energy[0])

    def test_a_failed_tool_says_what_to_mend(self):
        self.greet()
        failed = self.tool("load", text={"version": 1, "stages": ["CostModlStage"]})
        self.assertTrue(failed["isError"])
        self.assertIn("CostModelStage", failed["content"][0]["text"])
        self.assertEqual(failed["structuredContent"]["data"]["code"], "invalid")

    def test_a_cancelled_call_has_no_answer(self):
        self.greet()
        self.tool("load", text=pipeline(ENDLESS))
        running = self.server.send("tools/call", {"name": "run", "arguments": {}, "_meta": {"progressToken": "p"}})
        self.server.wait_for("notifications/progress")
        self.server.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                      "params": {"requestId": running}}) + "\n")
        self.tool("stages")
        self.assertTrue(self.server._answers.empty())
        self.assertNotIn(running, self.server._early)

    def test_pages_of_stages_are_resources(self):
        self.greet()
        pages = self.server.call("resources/list")["resources"]
        self.assertIn("zz://stages/CostModelStage", [page["uri"] for page in pages])
        page, = self.server.call("resources/read", uri="zz://stages/LomaStage")["contents"]
        self.assertIn("loma_lpf_limit", page["text"])
        self.assertEqual(self.server.call("resources/templates/list"), {"resourceTemplates": []})


if __name__ == "__main__":
    unittest.main()
