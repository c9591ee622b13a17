"""usage: interrupted_search.py ZZ_HOST

Interrupts a search over cuts that would go on for hours: it hands down the best that it has, and the stages below make it.
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder)
    pipeline = (SOURCE / "tests/inputs/stream.yaml").read_text()
    for name in ("stream_accelerator", "stream_core", "stream_offchip", "stream_mapping", "stream_workload"):
        (out / f"{name}.yaml").write_text((SOURCE / f"tests/inputs/{name}.yaml").read_text())
    stage = "  - GenerateCNWorkloadHybridStage"
    assert pipeline.count(stage) == 1
    (out / "stream.yaml").write_text(pipeline.replace(stage, "  - SearchHintLoopsStage: {evaluation_limit: 1000000000}\n" + stage))
    run = subprocess.Popen([sys.argv[1], "stream.yaml", "--jobs", "2"], cwd=out, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(2)
    assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGINT)
    printed, errors = run.communicate(timeout=20)
    assert "the best that was found until now is handed down" in errors, errors
    assert run.returncode == 0, errors
    assert "partition_gap" in printed, printed
    assert (out / "out/hint_loops.yaml").exists() and (out / "out/schedule_complete.json").exists()
