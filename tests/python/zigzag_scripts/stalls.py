"""Stalls of ports, as ZigZag's main script prints them, and what a file says of an accelerator."""

import sys

from zigzag import api
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage

inputs, outputs = sys.argv[1:]
energy, latency, cmes = api.get_hardware_performance_zigzag(
    workload=f"{inputs}/workload.yaml", accelerator=f"{inputs}/accelerator.yaml", mapping=f"{inputs}/mapping.yaml",
    dump_folder=outputs)
cme = cmes[0][1][0][0]
mem_names = [ml.memory_instance.name for ml in cme.mem_level_list]
stall_slacks = cme.stall_slack_comb_collect
for mem_name, ports_ss in zip(mem_names, stall_slacks):
    print(f"{mem_name}: {ports_ss}")
assert max(0, *(stall for ports in stall_slacks for stall in ports.values())) == cme.stall_slack_comb
accelerator = AcceleratorParserStage.parse_accelerator(f"{inputs}/accelerator.yaml")
assert accelerator == cme.accelerator
assert [level.name for level in accelerator.memory_hierarchy.mem_level_list] == mem_names
