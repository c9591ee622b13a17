"""What `zz-host profile` writes: the same figures as the layers have by themselves, and what follows for tables.

usage: serving_tables.py ZZ_HOST [--all | --llama]

With --all also models with experts, windows and latent attention, and a store; with --llama the tables of Llama-3.1-8B
for four degrees.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
CHIP = SOURCE / "configs/accelerators/tpu_like.yaml"
UNIT = SOURCE / "configs/accelerators/tpu_vector_unit.yaml"
AXES = {"dense": ["tokens"], "per_sequence": ["sequences"], "moe": ["tokens", "activated_experts"],
        "attention": ["prefill_chunk", "kv_prefill", "n_decode", "kv_decode"]}
SMALL = {"model_type": "llama", "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4,
         "num_key_value_heads": 2, "intermediate_size": 24, "vocab_size": 31, "torch_dtype": "bfloat16"}
MIXTURE = {"model_type": "mixtral", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
           "num_key_value_heads": 2, "intermediate_size": 48, "vocab_size": 64, "num_local_experts": 4,
           "num_experts_per_tok": 2}
WINDOWS = {**SMALL, "model_type": "gemma2", "head_dim": 16, "sliding_window": 8}
LATENT = {"model_type": "deepseek_v3", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
          "intermediate_size": 48, "vocab_size": 64, "kv_lora_rank": 16, "q_lora_rank": 24, "qk_nope_head_dim": 8,
          "qk_rope_head_dim": 4, "v_head_dim": 8, "n_routed_experts": 4, "num_experts_per_tok": 2,
          "moe_intermediate_size": 16, "n_shared_experts": 1, "first_k_dense_replace": 1}
LITTLE = ["--max-tokens=4", "--max-sequences=4", "--max-context=32"]


class Bundle:
    def __init__(self, host, place, config, *options, name="bundle", chip=CHIP):
        self.folder = place / name
        file = place / f"{name}_config.json"
        file.write_text(json.dumps(config))
        self.run = json.loads(subprocess.run(
            [host, "profile", file, chip, "--clock=700MHz", "--chip-name=ours", "--model-name=made/up", "--output", self.folder,
             "--format=json", *options], check=True, capture_output=True, text=True).stdout)
        self.costs = json.loads((self.folder / "costs.json").read_text())

    def degrees(self):
        return sorted({row["tensor_parallel"] for row in self.costs["rows"]})

    def rows(self, table, degree=1):
        return [row for row in self.costs["rows"] if (row["table"], row["tensor_parallel"]) == (table, degree)]

    def step(self, sequences, context, degree=1, experts=None):
        """Cycles and energy of a step that decodes a token of each sequence, by the rows."""
        wanted = {"dense": (sequences,), "per_sequence": (sequences,), "attention": (0, 0, sequences, context),
                  "moe": (sequences, experts)}
        rows = [row for table, point in wanted.items() for row in self.rows(table, degree)
                if tuple(row[axis] for axis in AXES[table]) == point]
        assert {row["table"] for row in rows} == {table for table, point in wanted.items() if None not in point}
        assert not any("as" in row for row in rows), "the sizes of the test divide"
        return tuple(sum(row["in_step"] * row[figure] for row in rows) for figure in ("cycles", "energy_pJ"))


def whole_step(host, place, config, sequences, context, *settings, phase="decode"):
    """The same by TransformerWorkloadStage."""
    pipeline = {"version": 1, "parameters": {
        "config": config, "accelerator": str(CHIP), "mapping": str(SOURCE / "configs/mappings/any_unrolling.yaml"),
        "clock": "700 MHz", "phase": phase, "batch": sequences, "context": context, **dict(settings)},
        "stages": ["AcceleratorParserStage", "TransformerWorkloadStage", "SumStage", "WorkloadStage",
                   "MinimalLatencyStage", {"OptimalMappingStage": {"objective": "latency", "time_limit": 1}},
                   "CostModelStage"]}
    file = place / "step.yaml"
    file.write_text(json.dumps(pipeline))
    run = json.loads(subprocess.run([host, file, "--format=json"], check=True, capture_output=True, text=True).stdout)
    return run["results"][0]


def of_total(result):
    return result["total"]["latency_total2"], result["total"]["energy_total"]


def near(one, other):
    assert all(abs(a - b) <= 1e-9 * abs(b) for a, b in zip(one, other, strict=True)), (one, other)


def check_monotone(bundle):
    for table, axes in AXES.items():
        for degree in bundle.degrees():
            lines = collections.defaultdict(list)
            for row in bundle.rows(table, degree):
                for axis in axes:
                    others = tuple(row[other] for other in axes if other != axis)
                    lines[row["layer"], axis, others].append((row[axis], row["cycles"]))
            for line, points in lines.items():
                points.sort()
                for (_, less), (_, more) in zip(points, points[1:]):
                    assert less <= more * (1 + 1e-12), (degree, table, line, points)


def check_tables(bundle):
    """The tables have the figures of costs.json, in microseconds."""
    period = bundle.costs["clock_period_ns"]
    root = bundle.folder / "ours/made/up" / bundle.costs["variant"]
    for degree in bundle.degrees():
        for table, axes in AXES.items():
            rows = bundle.rows(table, degree)
            path = root / f"tp{degree}/{table}.csv"
            assert path.exists() == bool(rows), path
            if not rows:
                continue
            with open(path, newline="") as file:
                read = list(csv.DictReader(file))
            assert len(read) == len(rows), path
            for row, line in zip(rows, read, strict=True):
                assert [row[axis] for axis in axes] == [int(line[axis]) for axis in axes]
                near((float(line["time_us"]), float(line["compute_us"]), float(line["memory_us"])),
                     [row[figure] * period / 1000 for figure in ("cycles", "compute_cycles", "memory_cycles")])
                assert row["compute_cycles"] <= row["cycles"] and row["memory_cycles"] <= row["cycles"] * (1 + 1e-9), row
                assert row["limited_by"] == line["limited_by"] and (row["limited_by"] != "") == (row["cycles"] > 0)
                assert row["energy_pJ"] > 0 or row["cycles"] == 0
    meta = (root / "meta.yaml").read_text()
    assert f"tp_degrees: {bundle.degrees()}" in meta and "hardware: \"ours\"" in meta


def check_small(host, place):
    unit = ("--vector-unit", UNIT, "--set", "ServingTablesStage.fused=null")
    bundle = Bundle(host, place, SMALL, *LITTLE, "--tensor-parallel=2,1", *unit)
    check_tables(bundle)
    check_monotone(bundle)
    vector = ("vector_unit", str(UNIT))
    # All rows of a step together are the step, and so is a step of the share of one chip.
    near(bundle.step(4, 32), of_total(whole_step(host, place, SMALL, 4, 32, vector)))
    share = {**SMALL, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "intermediate_size": 12,
             "vocab_size": 16}
    near(bundle.step(4, 32, degree=2), of_total(whole_step(host, place, share, 4, 32, vector)))
    # Each layer by itself, also of a chunk of a prompt.
    chunk = whole_step(host, place, SMALL, 1, 20, vector, ("tokens", 4), phase="prefill")
    layers = {layer["layer"].partition("/")[2]: layer["latency_total2"] for layer in chunk["layers"]}
    row = next(row for row in bundle.rows("attention") if (row["prefill_chunk"], row["kv_prefill"], row["n_decode"]) == (4, 16, 0))
    near([row["cycles"]], [sum(layers[f"attention/{name}"] for name in ("scores", "softmax", "context"))])
    row = next(row for row in bundle.rows("dense") if (row["layer"], row["tokens"]) == ("qkv_proj", 4))
    near([row["cycles"]], [sum(layers[f"attention/{name}"] for name in ("query", "key", "value"))])
    # The step with one token is the result of the run.
    near(bundle.step(1, 32), of_total(bundle.run["results"][0]))

    # Mapped together, attention is never slower.
    together = Bundle(host, place, SMALL, *LITTLE, "--vector-unit", UNIT, name="together")
    check_tables(together)
    check_monotone(together)
    faster = [one["cycles"] < other["cycles"] for one, other in
              zip(together.rows("attention"), bundle.rows("attention"), strict=True)]
    assert any(faster) and any(row.get("fused") for row in together.rows("attention"))
    assert not any(one["cycles"] > other["cycles"] for one, other in
                   zip(together.rows("attention"), bundle.rows("attention"), strict=True))


def check_others(host, place):
    """Experts, windows in some blocks, and latent attention."""
    alone = ("--vector-unit", UNIT, "--set", "ServingTablesStage.fused=null", *LITTLE)
    vector = ("vector_unit", str(UNIT))
    mixture = Bundle(host, place, MIXTURE, *alone, "--tensor-parallel=2,1", name="mixture")
    check_tables(mixture)
    check_monotone(mixture)
    assert {row["tensor_parallel"] for row in mixture.costs["rows"] if row["table"] == "moe"} == {1}
    assert [(row["tokens"], row["activated_experts"]) for row in mixture.rows("moe")][:3] == [(1, 2), (2, 2), (2, 4)]
    # Of 4 experts, 4 tokens that take 2 each need 4 on average, as 3.75 is rounded.
    near(mixture.step(4, 16, experts=4), of_total(whole_step(host, place, MIXTURE, 4, 16, vector)))
    assert not (mixture.folder / "vidur").exists()
    windows = Bundle(host, place, WINDOWS, *alone, name="windows")
    check_tables(windows)
    near(windows.step(4, 32), of_total(whole_step(host, place, WINDOWS, 4, 32, vector)))
    latent = Bundle(host, place, LATENT, *alone, name="latent")
    check_tables(latent)
    near(latent.step(4, 16, experts=4), of_total(whole_step(host, place, LATENT, 4, 16, vector)))


def check_plain(host, place):
    bundle = Bundle(host, place, SMALL, *LITTLE, "--vector-unit", UNIT, name="with_unit")
    # Without a vector unit, work on elements costs nothing, and its rows say so.
    plain = Bundle(host, place, SMALL, *LITTLE, "--set", "ServingTablesStage.fused=null", name="plain")
    near(plain.step(4, 32), of_total(whole_step(host, place, SMALL, 4, 32)))
    assert {row["layer"] for row in plain.rows("dense")} == {row["layer"] for row in bundle.rows("dense")}
    assert {row["layer"] for row in plain.rows("dense") if row["cycles"] == 0} == {
        "embedding", "layernorm", "rotary_emb", "act_fn", "final_layernorm"}


def check_store(host, place):
    """Tables of a sibling are found in the store, and are the same."""
    options = (*LITTLE, "--vector-unit", UNIT, "--store", place / "answers")
    first = Bundle(host, place, SMALL, *options, name="first")
    sibling = Bundle(host, place, {**SMALL, "num_hidden_layers": 5}, *options, name="sibling")
    counters = sibling.run["counters"]
    assert counters["found in the store"] == counters["asked of the store"] > 0, counters
    for one, other in zip(first.rows("dense"), sibling.rows("dense"), strict=True):
        near([one["cycles"], one["energy_pJ"]], [other["cycles"], other["energy_pJ"]])


def check_llama(host, place):
    config = {**SMALL, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
              "intermediate_size": 14336, "vocab_size": 128256}
    bundle = Bundle(host, place, config, "--vector-unit", UNIT, "--tensor-parallel=1,2,4,8", "--jobs=2", name="llama")
    check_tables(bundle)
    check_monotone(bundle)
    assert bundle.degrees() == [1, 2, 4, 8]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--llama", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        checks = [check_llama] if options.llama else [check_small, *([check_others, check_plain, check_store] if options.all else [])]
        for check in checks:
            check(options.host, pathlib.Path(place))


main()
