"""An accelerator: an array below a hierarchy of memories."""

from functools import cached_property

from zz import _zz
from zz.as_zigzag import compat
from zz.as_zigzag.values.data_movement import DataDirection
from zz.as_zigzag.values.layers import user_spatial_mapping
from zz.as_zigzag.values.memories import MemoryHierarchy
from zz.as_zigzag.values.names import OADimension
from zz.as_zigzag.values.representation import json_repr_handler
from zz.as_zigzag.values.view import Figure, View


class OperationalUnit(View):
    """One unit: pJ an operation, and its area."""

    energy_cost = Figure("unit_energy", as_int=True)
    area = Figure("unit_area", as_int=True)

    def __jsonrepr__(self):
        return {"energy_cost": self.energy_cost, "area": self.area}


class OperationalArrayABC(View):
    """What ordinary arrays and those that compute in memory have in common."""

    @cached_property
    def dimension_sizes(self):
        return {OADimension(dimension.name): dimension.size for dimension in self._value.dimensions}

    total_unit_count = Figure("unit_count")


class OperationalArray(OperationalArrayABC):
    @cached_property
    def unit(self):
        return OperationalUnit(self._value)

    @property
    def multiplier(self):
        return self.unit

    @cached_property
    def total_area(self):
        return self.unit.area * self.total_unit_count

    @cached_property
    def systolic_dimensions(self):
        return {OADimension(name) for name in self._value.systolic_dimensions}

    def __jsonrepr__(self):
        return json_repr_handler({"operational_unit": self.unit, "dimensions": self.dimension_sizes})


class ImcArray(OperationalArrayABC):
    """An array that computes in its memory: mm2, ns and pJ."""

    activation_precision = Figure("imc.activation_precision")
    weight_precision = Figure("imc.weight_precision")
    bit_serial_precision = Figure("imc.bit_serial_precision")
    adc_resolution = Figure("imc.adc_resolution")

    def __init__(self, value, accelerator):
        super().__init__(value)
        self._accelerator = accelerator

    @cached_property
    def is_aimc(self):
        return self._value.imc.imc_properties_type == "analog"

    @cached_property
    def _circuit(self):
        return _zz.imc_figures(self._accelerator, compat.setting())

    @property
    def area_breakdown(self):
        return self._circuit["area"]

    @property
    def area(self):
        return sum(self.area_breakdown.values())

    @property
    def tclk_breakdown(self):
        return self._circuit["clock"]

    @property
    def tclk(self):
        return sum(self.tclk_breakdown.values())

    @property
    def tops_peak(self):
        return self._circuit["tera_per_second"]

    @property
    def topsw_peak(self):
        return self._circuit["tera_per_watt"]

    @property
    def topsmm2_peak(self):
        return self._circuit["tera_per_area"]

    def get_peak_energy_single_cycle(self):
        """pJ of a cycle in which every cell works, by component."""
        return self._circuit["energy"]

    def get_macro_level_peak_performance(self):
        """1e12 operations a second; a second and watt; a second and mm2."""
        return self.tops_peak, self.topsw_peak, self.topsmm2_peak

    def __jsonrepr__(self):
        return json_repr_handler({"dimensions": self.dimension_sizes, "is_aimc": self.is_aimc})


class Accelerator(View):
    """A core; `cores` has it alone, as ZigZag 2 had a list."""

    id = 0
    name = Figure()

    @cached_property
    def operational_array(self):
        array = self._value.operational_array
        return OperationalArray(array) if array.imc is None else ImcArray(array, self._value)

    @cached_property
    def memory_hierarchy(self):
        return MemoryHierarchy(self._value.memories, self.operational_array)

    @cached_property
    def dataflows(self):
        return user_spatial_mapping(self._value.dataflows) if len(self._value.dataflows.dimensions) else None

    @property
    def cores(self):
        return [self]

    @cached_property
    def mem_hierarchy_dict(self):
        return {operand: self.memory_hierarchy.get_memory_levels(operand)
                for operand in self.memory_hierarchy.nb_levels}

    @cached_property
    def mem_size_dict(self):
        return {operand: [level.memory_instance.size for level in levels]
                for operand, levels in self.mem_hierarchy_dict.items()}

    def _bandwidths(self, name, direction):
        return {operand: [getattr(level, name)(operand, direction) for level in levels]
                for operand, levels in self.mem_hierarchy_dict.items()}

    @cached_property
    def mem_r_bw_dict(self):
        """{MemoryOperand: [bit/cycle of each memory towards the units]}; ZigZag 3 leaves these four empty."""
        return self._bandwidths("get_max_bandwidth", DataDirection.RD_OUT_TO_LOW)

    @cached_property
    def mem_w_bw_dict(self):
        return self._bandwidths("get_max_bandwidth", DataDirection.WR_IN_BY_HIGH)

    @cached_property
    def mem_r_bw_min_dict(self):
        return self._bandwidths("get_min_bandwidth", DataDirection.RD_OUT_TO_LOW)

    @cached_property
    def mem_w_bw_min_dict(self):
        return self._bandwidths("get_min_bandwidth", DataDirection.WR_IN_BY_HIGH)

    def get_memory_bw_dict(self):
        return self.mem_r_bw_dict, self.mem_w_bw_dict

    def get_memory_bw_min_dict(self):
        return self.mem_r_bw_min_dict, self.mem_w_bw_min_dict

    def has_same_performance(self, other):
        return self.operational_array == other.operational_array and self.memory_hierarchy.has_same_performance(
            other.memory_hierarchy)

    @cached_property
    def mem_sharing_list(self):
        shared = []
        for levels in self.mem_hierarchy_dict.values():
            for level in levels:
                if len(level.mem_level_of_operands) > 1 and level.mem_level_of_operands not in shared:
                    shared.append(level.mem_level_of_operands)
        return shared

    def get_memory_level(self, mem_op, mem_lv):
        return self.memory_hierarchy.get_memory_levels(mem_op)[mem_lv]

    def get_top_memory_instance(self, mem_op):
        return self.memory_hierarchy.get_operand_top_level(mem_op).memory_instance

    def __str__(self):
        return f"Core({self.id})"

    __repr__ = __str__

    def __jsonrepr__(self):
        return json_repr_handler({"id": self.id, "name": self.name, "operational_array": self.operational_array,
                                  "memory_hierarchy": self.memory_hierarchy})
