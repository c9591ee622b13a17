"""What save stages write of an evaluation."""

from zz.as_zigzag.values.representation import json_repr_handler


def simple(cme):
    figures = {"energy": cme.energy_total, "latency": cme.latency_total2}
    if getattr(cme, "is_imc", False):
        figures.update({"tclk (ns)": cme.tclk, "area": cme.area_total})
    return figures


def _energy(cme):
    figures = {"energy_total": cme.energy_total, "operational_energy": cme.mac_energy}
    if getattr(cme, "is_imc", False):
        figures["operational_energy_breakdown"] = cme.mac_energy_breakdown
    return {**figures, "memory_energy": cme.mem_energy, "memory_energy_breakdown_per_level": cme.mem_energy_breakdown,
            "memory_energy_breakdown_per_level_per_operand": cme.mem_energy_breakdown_further}


def _latency(cme):
    figures = {"data_onloading": cme.latency_total1 - cme.latency_total0, "computation": cme.latency_total0,
               "data_offloading": cme.latency_total2 - cme.latency_total1}
    if getattr(cme, "is_imc", False):
        figures["computation_breakdown"] = {"mac_computation": cme.ideal_temporal_cycle,
                                            "memory_stalling": cme.stall_slack_comb}
    return figures


def _circuit(cme):
    """Clock and area; the keys are ZigZag's, a colon in one of them included."""
    return {"clock": {"tclk (ns)": cme.tclk, "tclk_breakdown (ns)": cme.tclk_breakdown},
            "area (mm^2)": {"total_area": cme.area_total,
                            "total_area_breakdown:": {"imc_area": cme.imc_area, "mem_area": cme.mem_area},
                            "total_area_breakdown_further": {"imc_area_breakdown": cme.imc_area_breakdown,
                                                             "mem_area_breakdown": cme.mem_area_breakdown}}}


def complete(cme):
    of_layer = hasattr(cme, "layer")
    outputs = {"memory": {"utilization": cme.mem_utili_shared if of_layer else None,
                          "word_accesses": cme.memory_word_access},
               "energy": _energy(cme), "latency": _latency(cme)}
    if getattr(cme, "is_imc", False):
        outputs.update(_circuit(cme))
    outputs["spatial"] = {"mac_utilization": {"ideal": cme.mac_spatial_utilization, "stalls": cme.mac_utilization0,
                                              "stalls_onloading": cme.mac_utilization1,
                                              "stalls_onloading_offloading": cme.mac_utilization2}}
    inputs = {"accelerator": cme.accelerator, "layer": cme.layer if of_layer else cme.layer_ids,
              "spatial_mapping": cme.spatial_mapping_int if of_layer else None,
              "temporal_mapping": cme.temporal_mapping if of_layer else None}
    return json_repr_handler({"outputs": outputs, "inputs": inputs})
