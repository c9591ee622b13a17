"""A client of `zz-host serve` for the tests: requests go out, and every line that comes back must be a message."""

import json
import os
import pathlib
import queue
import subprocess
import threading
import time

INPUTS = pathlib.Path(__file__).resolve().parents[1] / "inputs"

STAGES = ["WorkloadParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
          "SpatialMappingGeneratorStage", "MinimalLatencyStage", "LomaStage", "CostModelStage"]

#: Annealing that goes on until it is cancelled.
ENDLESS = [*STAGES[:7], {"SalsaStage": {"salsa_iteration_number": 2000000000}}, STAGES[8]]


def pipeline(stages=STAGES, **parameters):
    """The small project of tests/inputs as a pipeline in memory."""
    return {"version": 1, "stages": stages,
            "parameters": {"workload": str(INPUTS / "workload.yaml"), "accelerator": str(INPUTS / "accelerator.yaml"),
                           "mapping": str(INPUTS / "mapping.yaml"), "loma_lpf_limit": 6, **parameters}}


class Failed(Exception):
    """The error of an answer."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.data = error["code"], error["data"]


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([os.environ["ZZ_HOST"], "serve", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.notifications, self._answers, self._number = [], queue.Queue(), 0
        self._early = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        with self.process.stdout as lines:
            for line in lines:
                message = json.loads(line)
                if isinstance(message, dict) and "method" in message:
                    self.notifications.append(message)
                else:
                    self._answers.put(message)

    def write(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.flush()

    def send(self, method, params=None, **more):
        """Sends a request and returns its id."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, **more}
        self.write(json.dumps(message if params is None else {**message, "params": params}) + "\n")
        return self._number

    def answer(self, number=None, timeout=600):
        """The next answer, or the one with that id; others are kept."""
        if number in self._early:
            return self._early.pop(number)
        while True:
            message = self._answers.get(timeout=timeout)
            if number is None or message["id"] == number:
                return message
            self._early[message["id"]] = message

    def result(self, number):
        message = self.answer(number)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def call(self, method, **params):
        return self.result(self.send(method, params))

    def wait_for(self, method, timeout=600):
        """The next notification of that name."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            for message in self.notifications:
                if message["method"] == method:
                    self.notifications.remove(message)
                    return message["params"]
            time.sleep(0.01)
        raise TimeoutError(method)

    def end(self):
        """Ends the input, and returns the exit code and what was said on standard error."""
        self.process.stdin.close()
        code = self.process.wait(timeout=600)
        errors = self.process.stderr.read().decode()
        self._reader.join()
        return code, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stderr):
            if not stream.closed:
                stream.close()
