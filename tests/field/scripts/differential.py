"""A differential test of a cost model: mappings made by hand, ZigZag's counts, energies and cycles beside the test's own."""

import json
import math

from zigzag.cost_model.cost_model import CostModelEvaluation
from zigzag.datatypes import LayerDim, LayerOperand
from zigzag.hardware.architecture.memory_port import DataDirection
from zigzag.mapping.data_movement import DataMoveAttr
from zigzag.mapping.temporal_mapping import TemporalMapping, TemporalMappingType
from zigzag.parser.accelerator_factory import AcceleratorFactory
from zigzag.parser.accelerator_validator import AcceleratorValidator
from zigzag.parser.mapping_validator import MappingValidator
from zigzag.parser.workload_factory import WorkloadFactory
from zigzag.parser.workload_validator import WorkloadValidator
from zigzag.stages.mapping.spatial_mapping_conversion import SpatialMappingConversionStage
from zigzag.utils import open_yaml

validator = AcceleratorValidator(open_yaml("inputs/hardware/chip.yaml"), "inputs/hardware/chip.yaml")
data = validator.normalized_data
assert validator.validate()
accelerator = AcceleratorFactory(data).create()
cases = []
for sizes in ({"M": 8, "N": 8, "K": 8}, {"M": 4, "N": 16, "K": 8}):
    validator = MappingValidator([{"name": "default", "spatial_mapping": {"D1": ["N, 2"], "D2": ["K, 2"]},
                                   "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}])
    mapping = validator.normalized_data
    assert validator.validate()
    validator = WorkloadValidator([{
        "id": 0, "operator_type": "Gemm", "equation": "O[m][n]+=I[m][k]*W[k][n]", "loop_dims": [*sizes],
        "loop_sizes": [*sizes.values()], "operand_precision": {"O": 32, "O_final": 8, "W": 8, "I": 8},
        "operand_source": {"I": 0, "W": 0}}])
    workload = validator.normalized_data
    assert validator.validate()
    layer = next(iter(WorkloadFactory(workload, mapping).create().topological_sort()))
    layer.spatial_mapping.initialize_oa_dims(accelerator.operational_array.dimension_sizes)
    average, whole = SpatialMappingConversionStage(
        [print], accelerator=accelerator, layer=layer).convert_user_spatial_mapping(layer.spatial_mapping)
    loops = [(LayerDim("K"), sizes["K"] // 2), (LayerDim("N"), sizes["N"] // 2), (LayerDim("M"), sizes["M"])]
    temporal = {}
    for name in "OWI":
        operand = LayerOperand(name)
        levels = accelerator.memory_hierarchy.get_memory_levels(layer.memory_operand_links.layer_to_mem_op(operand))
        temporal[operand] = [[] for _ in levels[:-1]] + [list(loops)]
    cme = CostModelEvaluation(accelerator=accelerator, layer=layer, spatial_mapping=average, spatial_mapping_int=whole,
                              temporal_mapping=TemporalMapping(temporal, layer, TemporalMappingType.UNEVEN))
    assert cme.ideal_temporal_cycle == math.prod(size for _, size in loops)
    assert abs(cme.mac_energy + cme.mem_energy - cme.energy_total) <= 1e-9 * cme.energy_total
    assert cme.latency_total2 == (cme.ideal_temporal_cycle + cme.stall_slack_comb + cme.data_onloading_cycle
                                  + cme.data_offloading_cycle)
    moved = {name: [{str(way): float(movement.get_attribute(DataMoveAttr.DATA_ELEM_MOVE_COUNT).get(way)) for way in DataDirection}
                    for movement in cme.mapping.unit_mem_data_movement[LayerOperand(name)]] for name in "OWI"}
    cases.append({"sizes": sizes, "moved": moved, "latency": cme.latency_total2,
                  "levels": {name: list(cme.mem_energy_breakdown[LayerOperand(name)]) for name in "OWI"}})
    # All loops lie above the top memory's, so that each product reads its two operands anew from there.
    top = moved["W"][-1]
    assert max(top.values()) == math.prod(sizes.values()), (sizes, top)
json.dumps(cases)
