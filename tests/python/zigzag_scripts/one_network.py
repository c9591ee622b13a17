"""One network, its layers, a pickle and sums: what most scripts do."""

import pickle
import sys

from zigzag.api import get_hardware_performance_zigzag
from zigzag.cost_model.cost_model import CostModelEvaluation, CumulativeCME
from zigzag.datatypes import LayerOperand
from zigzag.hardware.architecture.memory_port import DataDirection
from zigzag.utils import pickle_deepcopy, pickle_load, pickle_save

inputs, outputs = sys.argv[1:]
pickle_filename = f"{outputs}/cmes.pickle"
energy, latency, results = get_hardware_performance_zigzag(
    workload=f"{inputs}/workload.yaml",
    accelerator=f"{inputs}/accelerator.yaml",
    mapping=f"{inputs}/mapping.yaml",
    opt="energy",
    dump_folder=outputs,
    pickle_filename=pickle_filename,
)
total, per_layer = results[0]
assert isinstance(total, CumulativeCME)
cmes = [result[0] for result in per_layer]
assert all(isinstance(cme, CostModelEvaluation) for cme in cmes)

with open(pickle_filename, "rb") as file:
    loaded = pickle.load(file)
assert [cme.energy_total for cme in loaded] == [cme.energy_total for cme in cmes]

weights = LayerOperand("W")
for cme in loaded:
    breakdown = cme.mem_energy_breakdown
    assert abs(sum(sum(levels) for levels in breakdown.values()) - cme.mem_energy) < 1e-6 * cme.mem_energy
    assert breakdown[weights] == breakdown["W"]
    for level, energies in zip(breakdown[weights], cme.mem_energy_breakdown_further[weights]):
        assert abs(sum(energies.get(direction) for direction in DataDirection) - level) < 1e-6 * level + 1e-12
    names = [level.memory_instance.name for level in cme.mem_level_list]
    top = cme.accelerator.get_memory_level(cme.layer.memory_operand_links.layer_to_mem_op(weights), -1)
    print(cme.layer.id, cme.layer.name, cme.layer.type, cme.layer.total_mac_count, f"{cme.mac_energy:.6g}",
          names, top.name, dict(cme.layer.layer_dim_sizes.items()), cme.layer.spatial_mapping)

summed = loaded[0]
for cme in loaded[1:]:
    summed = summed + cme
assert summed.energy_total == total.energy_total and summed.latency_total2 == total.latency_total2
assert summed.mem_energy_breakdown == total.mem_energy_breakdown
assert summed.layer_ids == total.layer_ids
assert sum(loaded[1:], loaded[0]).mac_utilization2 == total.mac_utilization2
assert (loaded[0] * 2).energy_total == 2 * loaded[0].energy_total

copied = pickle_deepcopy(loaded[0])
copied.energy_total = 1
pickle_save(copied, f"{outputs}/copied.pickle")
assert pickle_load(f"{outputs}/copied.pickle").energy_total == 1 and loaded[0].energy_total != 1
print("total", energy, latency)
