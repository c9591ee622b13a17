#!/usr/bin/env python3
"""ResNet-18 on a TPU-like accelerator with buffers and memory channels of many sizes: the same program for one
machine and for many.

usage: sweep.py STORE [--processes N | --dask SCHEDULER_FILE_OR_ADDRESS | --mpi] [--part I/N]

--part computes every N-th point alone, from point I on. At the end run it without: it takes all points from the store
and writes the table STORE.csv.
"""
import argparse
import pathlib

import yaml

import zz

CONFIGS = pathlib.Path(__file__).resolve().parents[1]
STAGES = ["ONNXModelParserStage", "AcceleratorParserStage", "SumStage", "WorkloadStage", "MinimalLatencyStage",
          {"OptimalMappingStage": {"time_limit": 1}}, "CostModelStage"]  # s, for the proof of a layer


def points():
    for mebibytes in (1, 2, 4, 8, 16, 24):
        for bits_per_cycle in (184, 368, 736, 1472):
            chip = yaml.safe_load((CONFIGS / "accelerators" / "tpu_like.yaml").read_text())
            chip["name"] = f"{mebibytes} MiB, {bits_per_cycle} bits a cycle"
            chip["memories"]["unified_buffer"]["size"] = mebibytes * 2**23
            dram = chip["memories"]["dram"]
            for cost in ("r_cost", "w_cost"):  # of an access, which is as wide as the port
                dram[cost] *= bits_per_cycle / dram["ports"][0]["bandwidth_max"]
            for port in dram["ports"]:
                port["bandwidth_max"] = bits_per_cycle
            yield {"accelerator": chip}


def executor(options):
    if options.dask:
        from distributed import Client
        place = {"scheduler_file" if options.dask.endswith(".json") else "address": options.dask}
        return Client(**place).get_executor()
    if options.mpi:
        from mpi4py.futures import MPIPoolExecutor
        return MPIPoolExecutor()
    return options.processes


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("store")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--dask")
    parser.add_argument("--mpi", action="store_true")
    parser.add_argument("--part", default="0/1")
    options = parser.parse_args()
    first, step = map(int, options.part.split("/"))
    sweep = zz.sweep(STAGES, list(points())[first::step], executor=executor(options), store=options.store,
                     keep="figures", workload=CONFIGS / "workloads" / "resnet18.onnx",
                     mapping=CONFIGS / "mappings" / "tpu_like.yaml",
                     operand_precision={"W": 8, "I": 8, "O": 16, "O_final": 8})
    for outcome in sweep:
        result = outcome.latency if outcome.status == "done" else outcome.reason
        print(outcome.point["accelerator"]["name"], result, sep=": ", flush=True)
    if step == 1:
        sweep.to_dataframe().to_csv(options.store + ".csv", index=False)


if __name__ == "__main__":
    main()
