"""usage: kept_limits.py ZZ_HOST

Pipelines that would take all of the stack or of the screen: chains of very many stages, and errors that quote very long names.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host = pathlib.Path(sys.argv[1]).resolve()
MOST = 1000


def run(pipeline, *options):
    (folder / "pipeline.yaml").write_text(pipeline)
    return subprocess.run([host, "pipeline.yaml", *options], cwd=folder, capture_output=True, text=True)


def refused(pipeline, text):
    ended = run(pipeline)
    assert ended.returncode == 2 and text in ended.stderr, (ended.returncode, ended.stderr[:2000])


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    text_case.prepare({}, folder)
    whole = (folder / "pipeline.yaml").read_text()
    stages = whole[whole.index("stages:"):].count("  - ")

    def with_sums(count):
        return whole.replace("  - SumStage\n", "  - SumStage\n" * (1 + count))

    longest, usual = run(with_sums(MOST - stages), "--format=json"), run(whole, "--format=json")
    assert longest.returncode == 0, longest.stderr
    energies = [json.loads(ended.stdout)["results"][0]["total"]["energy_total"] for ended in (longest, usual)]
    assert energies[0] == energies[1], energies
    for count in (MOST - stages + 1, 50_000):
        refused(with_sums(count), f"the pipeline has {stages + count} stages or more")

    # Those of settings count as well.
    several = (folder / "stream.yaml").read_text()
    inner = "[" + "MinimalLatencyStage, " * (MOST - 4) + "LomaStage, CostModelStage]"
    refused(several.replace("  - IntraCoreMappingStage", f"  - IntraCoreMappingStage: {{stages: {inner}}}"), "stages or more")

    for options in ((), ("--format=json",)):
        ended = run(whole.replace("SumStage", "x" * 2_000_000), *options)
        assert ended.returncode == 2, ended.returncode
        assert len(ended.stdout) + len(ended.stderr) < 100_000, (len(ended.stdout), len(ended.stderr))
