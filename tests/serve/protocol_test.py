"""The protocol itself: what is no request, cancelling, notifications, and how a server ends."""

import json
import os
import signal
import subprocess
import unittest

from client import ENDLESS, Failed, Server, pipeline


class Protocol(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.__exit__)

    def error_of(self, line):
        self.server.write(line + "\n")
        return self.server.answer()["error"]

    def test_lines_that_are_no_request(self):
        for line, code in (("{", -32700), ("no json", -32700), ("3", -32600), ("[]", -32600), ("{}", -32600),
                           ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
                           ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
                           ('{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
                           ('{"jsonrpc": "2.0", "id": 1, "method": "load", "params": [1]}', -32602),
                           ("[" * 100000, -32600), (b"\xff\xfe".decode("latin-1"), -32700)):
            error = self.error_of(line)
            self.assertEqual(error["code"], code, line[:80])
            self.assertNotIn("exception", error["message"])
        self.server.write("\n \r\n")
        self.assertEqual(self.server.call("ping"), {})

    def test_unknown_methods_and_parameters(self):
        for method, params, code, place, hint in (
                ("lod", {}, -32601, "method", "did you mean 'load'?"),
                ("load", {"pth": "x"}, -32602, "params.pth", "did you mean 'path'?"),
                ("load", {"path": 3}, -32602, "params.path", "the pipeline file"),
                ("load", {}, -32602, "params", "path"),
                ("run", {}, -32602, "params.pipeline", "'load' first"),
                ("run", {"threads": -1}, -32602, "params.threads", "threads"),
                ("explain", {"format": "jsn"}, -32602, "params.format", "json"),
                ("load", {"path": "none.yaml"}, -32002, "none.yaml", None),
                ("cancel", {"id": 77}, -32602, "params.id", "ended"),
                ("tools/call", {"name": "rn"}, -32602, "params.name", "did you mean 'run'?")):
            with self.assertRaises(Failed) as failed:
                self.server.call(method, **params)
            self.assertEqual(failed.exception.code, code, (method, params, failed.exception))
            self.assertEqual(failed.exception.data["place"], place)
            if hint:
                self.assertIn(hint, failed.exception.data["hint"])

    def test_a_line_that_is_too_long(self):
        self.server.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "x": "')
        for _ in range(70):
            self.server.write(b"x" * 1000000)
        self.server.write(b'"}\n')
        error = self.server.answer()["error"]
        self.assertEqual(error["code"], -32600)
        self.assertIn("67108864 bytes", error["message"])
        self.assertEqual(self.server.call("ping"), {})

    def test_a_list_of_requests_has_a_list_of_answers(self):
        requests = [{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "method": "ping"},
                    {"jsonrpc": "2.0", "id": "b", "method": "stages"}, 7]
        self.server.write(json.dumps(requests) + "\n")
        answers = self.server.answer()
        self.assertEqual({str(answer["id"]) for answer in answers}, {"a", "b", "None"})

    def test_a_run_is_cancelled_while_it_runs_and_while_it_waits(self):
        self.server.call("load", text=pipeline(ENDLESS), pipeline="endless")
        self.server.call("load", text=pipeline(), pipeline="short")
        first = self.server.send("run", {"pipeline": "endless", "_meta": {"progressToken": "first"}})
        waiting = self.server.send("run", {"pipeline": "short"})
        last = self.server.send("run", {"pipeline": "short"})
        self.assertEqual(self.server.call("ping"), {})
        self.server.call("cancel", id=waiting)
        self.assertEqual(self.server.wait_for("notifications/progress")["progressToken"], "first")
        self.server.call("cancel", id=first)
        for number in (first, waiting):
            with self.assertRaises(Failed) as failed:
                self.server.result(number)
            self.assertEqual((failed.exception.code, failed.exception.data["code"]), (-32800, "cancelled"))
        self.assertTrue(self.server.result(last)["complete"])

    def test_whatever_has_an_id_is_answered(self):
        self.assertEqual(self.server.call("notifications/initialized"), {})

    def test_messages_of_the_log_are_notifications(self):
        self.server.call("logging/setLevel", level="warning")
        self.server.call("load", text=pipeline([*ENDLESS[:7], "LomaStage", ENDLESS[8]], trace_size=0))
        self.server.call("run")
        self.assertEqual([message for message in self.server.notifications
                          if message["params"].get("level") in ("debug", "info")], [])
        self.server.call("logging/setLevel", level="debug")
        self.server.call("run", set={"accelerator.name": "renamed"})

    def test_an_id_is_used_once_at_a_time(self):
        self.server.call("load", text=pipeline(ENDLESS))
        self.server.write('{"jsonrpc": "2.0", "id": "x", "method": "run"}\n' * 2)
        self.assertEqual(self.server.answer()["error"]["code"], -32600)
        self.server.call("cancel", id="x")
        self.assertEqual(self.server.answer("x")["error"]["code"], -32800)
        # An answer that has come frees its id.
        for _ in range(200):
            self.server.write('{"jsonrpc": "2.0", "id": "x", "method": "check"}\n')
            self.assertIn("result", self.server.answer())

    def test_at_the_end_of_the_input_all_is_answered(self):
        self.server.send("load", {"text": pipeline()})
        numbers = [self.server.send("run") for _ in range(3)]
        code, errors = self.server.end()
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(len([self.server.result(number) for number in numbers]), 3)

    def test_shutdown_cancels_what_runs(self):
        self.server.call("load", text=pipeline(ENDLESS))
        running = self.server.send("run")
        self.assertEqual(self.server.call("shutdown"), {})
        with self.assertRaises(Failed):
            self.server.result(running)
        self.assertEqual(self.server.process.wait(timeout=600), 0)

    def test_signals_end_the_server(self):
        self.server.call("load", text=pipeline(ENDLESS))
        running = self.server.send("run", {"_meta": {"progressToken": 1}})
        self.server.wait_for("notifications/progress")
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(timeout=600), 130)
        with self.assertRaises(Failed):
            self.server.result(running)

    def test_nobody_reads_the_answers(self):
        with subprocess.Popen([os.environ["ZZ_HOST"], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as alone:
            alone.stdout.close()
            alone.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
            alone.stdin.flush()
            self.assertEqual(alone.wait(timeout=600), 1)


class Streams(unittest.TestCase):
    """A server that cannot talk says so, and ends."""

    def ended(self, redirection):
        request = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
        return subprocess.run(["bash", "-c", f'exec "$0" serve -q {redirection}', os.environ["ZZ_HOST"]], input=request,
                              capture_output=True, text=True, timeout=60)

    def test_no_output(self):
        for redirection, words in ((">/dev/full", "answers cannot be written: No space left"), (">&-", "its output is closed"),
                                   ("<&-", "its input is closed")):
            done = self.ended(redirection)
            self.assertNotEqual(done.returncode, 0, redirection)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
