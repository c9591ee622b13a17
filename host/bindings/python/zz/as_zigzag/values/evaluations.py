"""What a layer costs, and sums of that: pJ and cycles."""

from functools import cached_property

from zz import _zz
from zz.as_zigzag import compat
from zz.as_zigzag.values.accelerators import Accelerator
from zz.as_zigzag.values.data_movement import AccessEnergy, MemoryAccesses
from zz.as_zigzag.values.evaluation_json import complete, simple
from zz.as_zigzag.values.layers import LayerNode
from zz.as_zigzag.values.mappings import SpatialMappingInternal, TemporalMapping
from zz.as_zigzag.values.names import LayerOperand
from zz.as_zigzag.values.view import Figure, View

FIGURES = ("mac_energy", "mem_energy", "energy_total", "data_onloading_cycle", "data_offloading_cycle", "ideal_cycle",
           "ideal_temporal_cycle", "latency_total0", "latency_total1", "latency_total2", "systolic_drain_cycle")
_BY_LEVEL = ("mem_energy_breakdown", "mem_energy_breakdown_further", "memory_word_access")


def _added(ours, theirs):
    """Levels that both have are added; further ones are kept, as are operands that one has alone."""
    total = {}
    for operand in [*ours, *(operand for operand in theirs if operand not in ours)]:
        first, second = ours.get(operand, []), theirs.get(operand, [])
        both = min(len(first), len(second))
        total[operand] = [one + other for one, other in zip(first, second)] + first[both:] + second[both:]
    return total


def _common(first, second):
    """The accelerator of a sum: that of both, or the one whose name the other's begins with."""
    if first is None or second is None:
        return first or second
    if first.name.startswith(second.name):
        return second
    if second.name.startswith(first.name):
        return first
    raise ValueError(f"the sum of results on '{first.name}' and on '{second.name}' has no accelerator")


class CostModelEvaluationABC(View):
    """What layers and sums have in common."""

    mac_energy = Figure()
    mem_energy = Figure()
    energy_total = Figure()
    data_onloading_cycle = Figure()
    data_offloading_cycle = Figure()
    systolic_drain_cycle = Figure()
    ideal_cycle = Figure()
    ideal_temporal_cycle = Figure()
    latency_total0 = Figure()
    latency_total1 = Figure()
    latency_total2 = Figure()

    @cached_property
    def accelerator(self):
        return None if self._value.accelerator is None else Accelerator(self._value.accelerator)

    @property
    def core(self):
        return self.accelerator

    def _by_level(self, part):
        return {LayerOperand(one.operand): [part(level) for level in one.levels] for one in self._value.operands}

    @cached_property
    def mem_energy_breakdown(self):
        """{LayerOperand: [pJ of each memory level]}."""
        return self._by_level(lambda level: level.energy)

    @cached_property
    def mem_energy_breakdown_further(self):
        """The same by direction."""
        return self._by_level(lambda level: AccessEnergy(dict(level.energy_by_direction.items())))

    @cached_property
    def memory_word_access(self):
        """{LayerOperand: [words of each memory level, by direction]}."""
        return self._by_level(lambda level: MemoryAccesses(dict(level.accesses.items())))

    @property
    def mac_spatial_utilization(self):
        return self.ideal_cycle / self.ideal_temporal_cycle

    @property
    def mac_utilization0(self):
        return self.ideal_cycle / self.latency_total0

    @property
    def mac_utilization1(self):
        return self.ideal_cycle / self.latency_total1

    @property
    def mac_utilization2(self):
        return self.ideal_cycle / self.latency_total2

    def _layer_ids(self):
        raise NotImplementedError

    def _summands(self):
        return [self]

    def __add__(self, other):
        if not isinstance(other, CostModelEvaluationABC):
            return NotImplemented
        total = CumulativeCME()
        total._parts = [*self._summands(), *other._summands()]
        for figure in FIGURES:
            setattr(total, figure, getattr(self, figure) + getattr(other, figure))
        for figure in _BY_LEVEL:
            setattr(total, figure, _added(getattr(self, figure), getattr(other, figure)))
        total.layer_ids = self._layer_ids() + other._layer_ids()
        total.accelerator = _common(self.accelerator, other.accelerator)
        return total

    def __radd__(self, other):
        """sum() begins with 0."""
        return self if other == 0 else NotImplemented

    def __mul__(self, number):
        scaled = type(self).__new__(type(self))
        scaled.__dict__.update(self.__dict__)
        for figure in FIGURES:
            setattr(scaled, figure, getattr(self, figure) * number)
        for figure in _BY_LEVEL:
            setattr(scaled, figure, {operand: [level * number for level in levels]
                                     for operand, levels in getattr(self, figure).items()})
        return scaled

    def __simplejsonrepr__(self):
        return simple(self)

    def __jsonrepr__(self):
        return complete(self)

    def __repr__(self):
        return str(self)


class CumulativeCME(CostModelEvaluationABC):
    """A sum over layers. Without a value, the sum of none."""

    def __init__(self, value=None):
        super().__init__(value)
        if value is None:
            self.__dict__.update({figure: 0.0 for figure in FIGURES})
            self.__dict__.update({figure: {} for figure in _BY_LEVEL})
            self.accelerator = None
            self.layer_ids = []
            self._parts = []

    @cached_property
    def layer_ids(self):
        return list(self._value.layer_ids)

    def _layer_ids(self):
        return self.layer_ids

    def _summands(self):
        return [self] if self._value is not None else self._parts

    def __str__(self):
        return "CumulativeCME"


class CostModelEvaluation(CostModelEvaluationABC):
    """One layer with one mapping on an accelerator."""

    is_imc = False
    cycles_per_op = 1.0

    @cached_property
    def layer(self):
        return LayerNode(self._value.layer)

    @cached_property
    def spatial_mapping(self):
        return SpatialMappingInternal(self._value.spatial_mapping)

    @cached_property
    def spatial_mapping_int(self):
        return SpatialMappingInternal(self._value.spatial_mapping_int)

    @cached_property
    def spatial_mapping_dict_int(self):
        return self.spatial_mapping_int.mapping_dict_origin

    @cached_property
    def temporal_mapping(self):
        return TemporalMapping(self._value.temporal_mapping)

    @property
    def memory_operand_links(self):
        return self.layer.memory_operand_links

    @property
    def mem_level_list(self):
        return self.accelerator.memory_hierarchy.mem_level_list

    @property
    def mem_hierarchy_dict(self):
        return self.accelerator.mem_hierarchy_dict

    @property
    def mem_size_dict(self):
        return self.accelerator.mem_size_dict

    @cached_property
    def mem_sharing_tuple(self):
        return tuple(tuple(shared.items()) for shared in self.accelerator.mem_sharing_list)

    @cached_property
    def active_mem_level(self):
        """{LayerOperand: memories that it uses}."""
        return {operand: len(levels) for operand, levels in self.mem_energy_breakdown.items()}

    @cached_property
    def mem_utili_shared(self):
        """{LayerOperand: [share of each memory that all operands take]}."""
        return self._by_level(lambda level: level.utilization)

    @cached_property
    def stall_slack_comb(self):
        """Cycles of computation in which the units wait."""
        return self.latency_total0 - self.ideal_temporal_cycle

    @cached_property
    def stall_slack_comb_collect(self):
        """For each memory {port: cycles for which it falls behind, negative where it has time left}."""
        ports = {(level.name, port.name): port for level in self.mem_level_list for port in level.ports}
        collected = {level.name: {} for level in self.mem_level_list}
        for memory, port, cycles in _zz.port_stalls(self._value, compat.setting()):
            collected[memory][ports[memory, port]] = cycles
        return list(collected.values())

    def _layer_ids(self):
        return [self.layer.id]

    def __str__(self):
        return f"CostModelEvaluation({self.layer}, {self.accelerator})"


class CostModelEvaluationForIMC(CostModelEvaluation):
    """The same on an array that computes in its memory: areas in mm2, clock in ns."""

    is_imc = True
    tclk = Figure()
    area_total = Figure()
    imc_area = Figure("imc.imc_area")
    mem_area = Figure("imc.mem_area")

    @property
    def operational_array(self):
        return self.accelerator.operational_array

    @cached_property
    def cycles_per_op(self):
        return self.operational_array.activation_precision / self.operational_array.bit_serial_precision

    def _parts(self, field):
        return {name: figure for name, figure in self._value.imc[field].items() if name != "total"}

    @cached_property
    def mac_energy_breakdown(self):
        return self._parts("mac_energy_breakdown")

    @cached_property
    def tclk_breakdown(self):
        return self._parts("tclk_breakdown")

    @cached_property
    def imc_area_breakdown(self):
        return self._parts("imc_area_breakdown")

    @cached_property
    def mem_area_breakdown(self):
        return dict(self._value.imc.mem_area_breakdown.items())


def evaluation_of(value):
    """The object of ZigZag for an evaluation of zz."""
    if value.layer is None:
        return CumulativeCME(value)
    return CostModelEvaluation(value) if value.imc is None else CostModelEvaluationForIMC(value)
