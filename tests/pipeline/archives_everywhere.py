"""usage: archives_everywhere.py ZZ_HOST

PickleSaveStage and DumpStage keep all results that they get, wherever they stand and on any number of threads: above a
chain without a sum, below the layers, and among the mappings of a layer.
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import text_case  # noqa: E402

host = pathlib.Path(sys.argv[1]).resolve()
STAGES = ("PickleSaveStage: {pickle_filename: '%s'}", "DumpStage: {dump_filename_pattern: '%s'}")


def run(folder, stage, before, *more):
    """A run of the small project with `stage` in front of `before`, without a sum."""
    replaced = {"  - SumStage\n": "", "loma_lpf_limit: 6": "loma_lpf_limit: 3"}
    replaced[before] = f"  - {stage}\n{before}"
    text_case.prepare({"replace": {"pipeline.yaml": replaced}}, folder)
    return subprocess.run([host, "pipeline.yaml", "--set", "datetime=now", *more], cwd=folder, capture_output=True,
                          text=True)


def layers_in(path):
    shown = subprocess.run([host, "show", path, "--format=csv"], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    return [row["layer"] for row in csv.DictReader(io.StringIO(shown.stdout))]


ABOVE, BELOW, AMONG = "  - WorkloadStage\n", "  - CompleteSaveStage\n", "  - LomaStage\n"
for stage in STAGES:
    among = set()
    for before, threads in ((ABOVE, 1), (BELOW, 1), (BELOW, 3), (AMONG, 1), (AMONG, 3)):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            done = run(folder, stage % "kept/{datetime}.zz", before, "-j", str(threads))
            where = f"{stage} before {before} on {threads} threads\n{done.stderr}"
            assert done.returncode == 0 and "warning: DumpStage" not in done.stderr and "warning: Pickle" not in done.stderr, where
            assert [path.name for path in (folder / "kept").iterdir()] == ["now.zz"], where
            layers = layers_in(folder / "kept/now.zz")
            if before == AMONG:
                among.add(tuple(layers))
                assert layers == sorted(layers) and layers.count("first") > 2 < layers.count("second"), f"{where}{layers}"
            else:
                assert layers == ["first", "second"], f"{where}{layers}"
    assert len(among) == 1, f"{stage}: threads change what is kept"

print("all kept")
