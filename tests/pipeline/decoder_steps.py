"""usage: decoder_steps.py ZZ_HOST

Several decode steps of TransformerWorkloadStage cost what the single steps cost together, for blocks that all differ in
their windows and experts, and for any number of threads; also where each step is one network whose layers are fused.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
HOST = pathlib.Path(sys.argv[1]).resolve()
CONFIG = {"model_type": "gemma2", "hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
          "head_dim": 8, "intermediate_size": 48, "vocab_size": 60, "sliding_window": 4, "num_experts": 6, "num_experts_per_tok": 2,
          "first_k_dense_replace": 1}
FIRST, STEPS = 2, 6
BY_LAYER = ["WorkloadStage", "MinimalLatencyStage", "OptimalMappingStage"]


def run(threads=1, mapped=BY_LAYER, **settings):
    """The total of a run, and its figures of a token."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (SOURCE / "tests/inputs").iterdir():
            shutil.copy(path, folder)
        (pathlib.Path(folder) / "pipeline.yaml").write_text(yaml.safe_dump({
            "version": 1,
            "parameters": {"config": CONFIG, "phase": "decode", "batch": 3, "clock_period": 2, "accelerator": "accelerator.yaml",
                           "mapping": "mapping.yaml", "dump_folder": "out", **settings},
            "stages": ["AcceleratorParserStage", "SimpleSaveStage", "TransformerWorkloadStage", "SumStage", *mapped,
                       "CostModelStage"]}))
        done = subprocess.run([HOST, "pipeline.yaml", "-q", "-j", str(threads)], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit code {done.returncode}\n{done.stderr}")
        return json.loads((pathlib.Path(folder) / "out/overall_simple.json").read_text())


def differ(a, b):
    return abs(a - b) > 1e-9 * abs(b)


def compare(mapped, **settings):
    """What is wrong with several steps, and their total."""
    single = [run(context=FIRST + step, mapped=mapped) for step in range(STEPS)]
    several = run(context=FIRST, steps=STEPS, mapped=mapped, **settings)
    expected = {name: sum(one[name] for one in single) for name in ("energy", "latency")}
    found = {name: several[name] for name in expected}
    for name, mean in (("operations", False), ("time_per_output_token", True), ("energy_per_token", True)):
        expected[name] = sum(one["metrics"][name] for one in single) / (STEPS if mean else 1)
        found[name] = several["metrics"][name]
    expected["kv_cache_bytes"], found["kv_cache_bytes"] = (one["metrics"]["kv_cache_bytes"] for one in (single[-1], several))
    return [f"{name}: {found[name]}, the single steps have {expected[name]}" for name in expected
            if differ(found[name], expected[name])], several


wrong, several = compare(BY_LAYER)
if run(threads=4, context=FIRST, steps=STEPS) != several:
    wrong.append("four threads find something else")
fused, _ = compare(["OptimalFusedMappingStage"], together=True)
wrong += [f"fused: {one}" for one in fused]
if wrong:
    sys.exit("\n".join(wrong))
