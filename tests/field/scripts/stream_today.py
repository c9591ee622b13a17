"""Stream's script of today: by hand-written and by generated mapping, with a summary of groups."""

import argparse
import logging as _logging
import os

import yaml

from stream.api import configure_logging, hardware_cost_report, optimize_allocation_co_generic, optimize_allocation_co_with_mapping

configure_logging(level=_logging.INFO, fmt="%(asctime)s - %(name)s - %(message)s")
parser = argparse.ArgumentParser()
parser.add_argument("--hardware", default="stream/inputs/examples/hardware/two_buses.yaml")
parser.add_argument("--workload", default="stream/inputs/testing/workload/two_layers_bf16.onnx")
parser.add_argument("--output", default="outputs")
arguments = parser.parse_args()

summaries = []
for name, mapping in (("generic", {}), ("by_hand", {"mapping": "stream/inputs/examples/mapping/quad_core.yaml"})):
    call = optimize_allocation_co_with_mapping if mapping else optimize_allocation_co_generic
    context = call(hardware=arguments.hardware, workload=arguments.workload, experiment_id=name, output_path=arguments.output,
                   skip_if_exists=False, **mapping)
    total, groups, walls = (context.get(key, {}) for key in ("total_latency", "group_latencies", "group_wall_times"))
    summary = {"total_latency": total, "groups": {f"group_{number}": {"latency": latency, "share": round(latency / total, 2),
                                                                      "wall_time_s": round(walls[number], 2)}
                                                  for number, latency in sorted(groups.items())}}
    with open(os.path.join(arguments.output, name, "summary.yaml"), "w") as file:
        yaml.dump(summary, file, sort_keys=False)
    assert total >= context.get("lower_bound") > 0 and all(latency > 0 for latency in groups.values())
    summaries.append(total)
# What the file says: bfloat16 has 16 bits. 2 x 64 x 64 weights pass a port of 64 bits: no schedule is below these cycles.
assert min(summaries) >= 2 * 64 * 64 * 16 / 64, summaries
report = hardware_cost_report(arguments.hardware, output_path="outputs/cost.json")
assert report["total_area_mm2"] > 0 and os.path.exists("outputs/cost.json")
