"""A CSV file: the same layers as in YAML, from the disk and from the memory of a program; devices are refused."""
import json
import subprocess

from example import has
from package import environment


def layers_in_memory(example, csv):
    """The layers of a run in which a client of the server brings the file along."""
    pipeline = (example.folder / "pipeline.yaml").read_text()
    for inner, outer in (("build/", example.folder / "build"), ("../inputs/", example.folder.parent / "inputs")):
        pipeline = pipeline.replace(inner, f"{outer}/")
    asked = [{"jsonrpc": "2.0", "id": 1, "method": "load",
              "params": {"text": pipeline.replace("net.csv", "memory.csv"), "files": {"memory.csv": csv}}},
             {"jsonrpc": "2.0", "id": 2, "method": "run"}]
    server = subprocess.run([example.installed / "bin/zz-host", "serve", "-q", "--allow-code", example.folder / "build"],
                            input="".join(json.dumps(one) + "\n" for one in asked), capture_output=True, text=True,
                            env=environment())
    answers = {message["id"]: message for message in map(json.loads, server.stdout.splitlines()) if "id" in message}
    assert "result" in answers[2], answers
    return answers[2]["result"]["results"][0]["layers"]


def check(example):
    csv = (example.folder / "net.csv").read_text()
    found = json.loads(example.run(extra_args=["--format=json"]).stdout)["results"][0]
    example.edit("CsvWorkloadStage", "WorkloadParserStage", into="yaml.yaml")
    example.edit("net.csv", "../inputs/two_convolutions.yaml", "yaml.yaml")
    expected = json.loads(example.run("yaml.yaml", extra_args=["--format=json"]).stdout)["results"][0]
    assert found == expected, found
    (example.folder / "net.csv").unlink()
    assert layers_in_memory(example, csv) == expected["layers"]

    has(example.run(expect=2).stderr, "names the file 'net.csv', which cannot be read")
    has(example.run(expect=2, extra_args=["--set", "workload=/dev/zero"]).stderr, "/dev/zero: error: this is a device")
    (example.folder / "net.csv").write_text(csv.replace("second,1,4", "second,1,x"))
    has(example.run(expect=2).stderr, "net.csv:3: error: 'x' is no positive number")
    (example.folder / "net.csv").write_bytes(b"name\xff\n")
    has(example.run(expect=2).stderr, "net.csv: error: a text in UTF-8 is expected")
