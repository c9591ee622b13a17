"""As ZigZag's own tests ask: by file, with what the file has in place of its path, and of arrays that compute in memory."""

from zigzag.api import get_hardware_performance_zigzag, get_hardware_performance_zigzag_imc
from zigzag.utils import open_yaml

WORKLOAD, CHIP, MAPPING = (f"zigzag/inputs/{name}.yaml" for name in ("workload/network", "hardware/chip", "mapping/chip"))

by_file = get_hardware_performance_zigzag(WORKLOAD, CHIP, MAPPING)
by_data = get_hardware_performance_zigzag(open_yaml(WORKLOAD), CHIP, MAPPING)
assert by_file[:2] == by_data[:2], (by_file[:2], by_data[:2])
for opt, figure in (("energy", 0), ("latency", 1)):
    best = get_hardware_performance_zigzag(WORKLOAD, CHIP, MAPPING, opt=opt)
    assert best[figure] <= by_file[figure], opt

energy, latency, clock, area, results = get_hardware_performance_zigzag_imc(
    WORKLOAD, "zigzag/inputs/hardware/imc.yaml", "zigzag/inputs/mapping/imc.yaml", opt="EDP")
assert energy > 0 and latency > 0 and clock > 0 and area > 0
(total, layers), = results
assert total.energy_total == sum(cme.energy_total for cme, _ in layers) == energy
