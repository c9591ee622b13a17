"""Starts each server of a list as docs/serve.md has it, in this folder, and asks whether it is there."""
import json
import subprocess
import sys

for name, server in json.load(open(sys.argv[1]))["mcpServers"].items():
    arguments = ["." if word.startswith("/home") else word for word in server["args"]]
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    done = subprocess.run([server["command"], *arguments], input=request, capture_output=True, text=True)
    assert json.loads(done.stdout)["result"] == {}, (name, done)
