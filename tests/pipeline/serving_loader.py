"""Serving simulators read what `zz-host profile` writes, with their own code.

usage: serving_loader.py ZZ_HOST [--llama]

LLMSERVINGSIM and VIDUR name checkouts of casys-kaist/LLMServingSim and microsoft/vidur; with neither, or without pandas,
the test is skipped. Their loaders run over the tables of a small model. With --llama the tables are those of
Llama-3.1-8B for four degrees.
"""
import argparse
import ast
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SMALL = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 128, "torch_dtype": "bfloat16"}
LLAMA = {**SMALL, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
         "intermediate_size": 14336, "vocab_size": 128256}
CHIPS = SOURCE / "configs/accelerators"


def profile(host, folder, config, degrees, options):
    """The tables in `folder`, by the command as a user writes it."""
    file = folder / "config.json"
    file.write_text(json.dumps(config))
    bundle = folder / "perf"
    subprocess.run([host, "profile", file, CHIPS / "tpu_like.yaml", "--vector-unit", CHIPS / "tpu_vector_unit.yaml",
                    "--clock=700MHz", f"--tensor-parallel={degrees}", "--model-name=zz/small", "--chip-name=ours",
                    "--variant=bf16", "--output", bundle, "--format=json", *options], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)
    return bundle


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def loaded_by_llmservingsim(checkout, bundle, degrees):
    """Their database of the bundle, and the module with their functions."""
    link = pathlib.Path(checkout).resolve()
    # A package of theirs with its own dependencies is not needed for reading: only this file of it, and what it names.
    text = (link / "serving/core/trace_generator.py").read_text()
    wanted = [node for node in ast.parse(text).body
              if not (isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("serving")))]
    module = types.ModuleType("trace_generator")
    module.__dict__.update(__file__=str(link / "serving/core/trace_generator.py"), get_logger=lambda *_, **__: logger())
    exec(compile(ast.Module(wanted, []), "trace_generator.py", "exec"), module.__dict__)
    module._PROFILER_ROOT_REL = str(bundle.parent)
    return module, module._load_perf_db("ours", "zz/small", "bf16", set(degrees), "llama")


def logger():
    return types.SimpleNamespace(warning=lambda *_: None, info=lambda *_: None, debug=lambda *_: None)


def check_llmservingsim(checkout, bundle, degrees):
    module, database = loaded_by_llmservingsim(checkout, bundle, degrees)
    assert database["available_tps"] == sorted(degrees), database["available_tps"]
    for degree in degrees:
        folder = bundle / f"ours/zz/small/bf16/tp{degree}"
        for row in rows(folder / "dense.csv"):
            read = module._lookup_dense(database, row["layer"], degree, int(row["tokens"]))
            stable = row["layer"] in ("layernorm", "final_layernorm")
            assert stable or read == max(1, round(1000 * float(row["time_us"]))), row
        for row in rows(folder / "per_sequence.csv"):
            read = module._lookup_per_sequence(database, row["layer"], degree, int(row["sequences"]))
            assert read == max(1, round(1000 * float(row["time_us"]))), row
        for row in rows(folder / "attention.csv"):
            axes = [int(row[axis]) for axis in ("prefill_chunk", "kv_prefill", "n_decode", "kv_decode")]
            read = module._lookup_attention(database, degree, *axes)
            assert read == max(1, round(1000 * float(row["time_us"]))), row
    for name in ("sequence", "catalog"):
        assert name in database["architecture"]


def check_vidur(checkout, bundle):
    """Their predictor's checks of the two tables: the columns that its models are trained on."""
    import pandas
    text = (pathlib.Path(checkout) / "vidur/execution_time_predictor/sklearn_execution_time_predictor.py").read_text()
    tree = ast.parse(text)
    methods = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    code = ast.Module([methods[name] for name in ("_load_compute_df", "_load_attention_df", "_read_input_file",
                                                  "_get_attention_df_with_derived_features")], [])
    scope = {"pd": pandas, "logger": logger()}
    exec(compile(code, "predictor.py", "exec"), scope)
    config = json.loads((bundle.parent / "config.json").read_text())
    heads, cached = config["num_attention_heads"], config["num_key_value_heads"]
    model = types.SimpleNamespace(num_q_heads=heads, num_kv_heads=cached, embedding_dim=config["hidden_size"],
                                  mlp_hidden_dim=config["intermediate_size"], use_gated_mlp=True,
                                  vocab_size=config["vocab_size"])
    predictor = types.SimpleNamespace(_model_config=model, _block_size=16,
                                      _replica_config=types.SimpleNamespace(tensor_parallel_size=1))
    predictor._read_input_file = lambda path: scope["_read_input_file"](predictor, path)
    folder = bundle / "vidur/compute/ours/zz/small"
    compute = scope["_load_compute_df"](predictor, folder / "mlp.csv")
    assert len(compute) > 0
    for name in ("attn_pre_proj", "attn_post_proj", "mlp_up_proj", "mlp_down_proj", "mlp_act", "input_layernorm",
                 "post_attention_layernorm", "attn_rope", "add"):
        assert (compute[f"time_stats.{name}.median"] >= 0).all(), name
    attention = scope["_get_attention_df_with_derived_features"](predictor,
                                                                 scope["_load_attention_df"](predictor, folder / "attention.csv"))
    assert (attention[attention["is_decode"]]["time_stats.attn_decode.median"] > 0).all()
    assert (attention[~attention["is_decode"]]["time_stats.attn_prefill.median"] > 0).all()
    assert (attention["time_stats.attn_kv_cache_save.median"] == 0).all()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("--llama", action="store_true")
    options = parser.parse_args()
    simulators = {name: os.environ.get(name) for name in ("LLMSERVINGSIM", "VIDUR")}
    if not any(simulators.values()):
        print("skipped: LLMSERVINGSIM and VIDUR name no checkout of a simulator")
        return 77
    try:
        import pandas  # noqa: F401, which the loaders need
    except ImportError:
        print("skipped: the loaders need pandas")
        return 77
    degrees = [1, 2, 4, 8] if options.llama else [1, 2]
    small = [] if options.llama else ["--max-tokens=8", "--max-sequences=4", "--max-context=32"]
    with tempfile.TemporaryDirectory() as place:
        bundle = profile(options.host, pathlib.Path(place), LLAMA if options.llama else SMALL,
                         ",".join(map(str, degrees)), small)
        if simulators["LLMSERVINGSIM"]:
            check_llmservingsim(simulators["LLMSERVINGSIM"], bundle, degrees)
        if simulators["VIDUR"]:
            check_vidur(simulators["VIDUR"], bundle)
    return 0


if __name__ == "__main__":
    sys.exit(main())
