"""What a layer costs, and sums of that: pJ and cycles."""

from functools import cached_property
from math import ceil

from zz import _zz
from zz.as_zigzag import by_hand, compat
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.values.accelerators import Accelerator
from zz.as_zigzag.values.data_movement import AccessEnergy, DataDirection, DataMoveAttr, FourWayDataMoving, MemoryAccesses
from zz.as_zigzag.values.evaluation_json import complete, simple
from zz.as_zigzag.values.layers import LayerNode
from zz.as_zigzag.values.mapping_figures import Mapping, Unrolled
from zz.as_zigzag.values.mappings import SpatialMappingInternal, TemporalMapping
from zz.as_zigzag.values.names import Constants, LayerOperand
from zz.as_zigzag.values.transfers import Transfers
from zz.as_zigzag.values.view import Figure, View
from zz.as_zigzag.values.whole import counted_with, whole

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
    data_onloading_cycle = Figure(as_int=True)
    data_offloading_cycle = Figure(as_int=True)
    systolic_drain_cycle = Figure(as_int=True)
    ideal_cycle = Figure(as_int=True)
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
    def _costs(self):
        """{memory: what a read and a write of it cost}."""
        memories = self.accelerator.memory_hierarchy.mem_level_list if self.accelerator else ()
        return {memory.name: (memory.read_energy, memory.write_energy) for memory in memories}

    def _costs_of(self, level):
        return self._costs.get(level.memory, (0.5, 0.5))

    @cached_property
    def mem_energy_breakdown(self):
        """{LayerOperand: [pJ of each memory level]}."""
        return self._by_level(lambda level: counted_with(level.energy, *self._costs_of(level)))

    def _by_direction(self, level):
        read, write = self._costs_of(level)
        return AccessEnergy({name: counted_with(energy, read if name.startswith("rd") else write)
                             for name, energy in level.energy_by_direction.items()})

    @cached_property
    def mem_energy_breakdown_further(self):
        """The same by direction."""
        return self._by_level(self._by_direction)

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
        if value is not None:
            super().__init__(value)
        else:
            self._value = None
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
    """One layer with one mapping on an accelerator: of a run, or made by hand from its parts."""

    def __init__(self, value=None, *, accelerator=None, layer=None, spatial_mapping=None, spatial_mapping_int=None,
                 temporal_mapping=None, access_same_data_considered_as_no_access=True, cycles_per_op=1.0):
        if value is None:
            parts = {"accelerator": (accelerator, Accelerator), "layer": (layer, LayerNode),
                     "spatial_mapping": (spatial_mapping, SpatialMappingInternal),
                     "spatial_mapping_int": (spatial_mapping_int, SpatialMappingInternal),
                     "temporal_mapping": (temporal_mapping, TemporalMapping)}
            for name, (part, kind) in parts.items():
                if not isinstance(part, kind):
                    raise TypeError(f"{type(self).__name__}(...): {name}={part!r}: expected an object of {kind.__name__} ({PAGE})")
            if cycles_per_op != 1 and not self.is_imc:
                raise ValueError(f"{type(self).__name__}(...): zz knows no cycles_per_op other than 1, not {cycles_per_op} ({PAGE})")
            value = by_hand.cost(*(part for part, _ in parts.values()), access_same_data_considered_as_no_access)
            self.access_same_data_considered_as_no_access = access_same_data_considered_as_no_access
        super().__init__(value)

    is_imc = False
    cycles_per_op = 1.0
    access_same_data_considered_as_no_access = True

    @cached_property
    def layer(self):
        return LayerNode(self._value.layer)

    @cached_property
    def _transfers(self):
        return Transfers(self)

    @cached_property
    def _unrolled(self):
        return Unrolled(self._transfers.told, "fractional")

    @cached_property
    def _unrolled_int(self):
        return Unrolled(self._transfers.told, "integral")

    @cached_property
    def spatial_mapping(self):
        """On average over the rounds: 7 columns on 4 units are 3.5."""
        return SpatialMappingInternal(self._value.spatial_mapping, number=float, cme=self)

    @cached_property
    def spatial_mapping_int(self):
        return SpatialMappingInternal(self._value.spatial_mapping_int, number=int, cme=self)

    @cached_property
    def spatial_mapping_dict_int(self):
        return self.spatial_mapping_int.mapping_dict_origin

    @cached_property
    def temporal_mapping(self):
        return TemporalMapping(self._value.temporal_mapping, self.layer)

    @cached_property
    def mapping(self):
        """What energy follows from."""
        return Mapping(self, self.spatial_mapping, self._unrolled)

    @cached_property
    def mapping_int(self):
        """What latency follows from."""
        return Mapping(self, self.spatial_mapping_int, self._unrolled_int)

    @property
    def cumulative_layer_ids(self):
        return []

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

    def _share(self, figure):
        return {operand: [memory[figure] / size for memory, size in
                          zip(memories, self.mem_size_dict[self.memory_operand_links.layer_to_mem_op(operand)])]
                for operand, memories in self._transfers.memories.items()}

    def _sharers(self):
        """For each memory that operands share: [(operand, its level)]."""
        links = self.memory_operand_links
        for shared in self.mem_sharing_tuple:
            yield [(links.mem_to_layer_op(operand), level) for operand, level in shared if links.contains_mem_op(operand)]

    @cached_property
    def mem_utili_individual(self):
        """{LayerOperand: [share of each memory that it takes alone]}."""
        return self._share("held_bits")

    @cached_property
    def effective_mem_utili_individual(self):
        """The same without what the outermost relevant loops replace."""
        return self._share("kept_bits")

    @cached_property
    def _double_buffering(self):
        """(flags, effective shares of all operands together): each second buffer takes room from those after it."""
        alone = self.effective_mem_utili_individual
        together = {operand: list(shares) for operand, shares in alone.items()}
        groups = {}
        for sharers in self._sharers():
            total = sum(alone[operand][level] for operand, level in sharers)
            for operand, level in sharers:
                together[operand][level] = total
                groups[operand, level] = sharers
        flags = {}
        for operand, memories in self._transfers.memories.items():
            flags[operand] = [False]
            for level, memory in enumerate(memories):
                roomy = together[operand][level] <= 0.5
                fits = alone[operand][level] <= 1 - together[operand][level]
                granted = memory.get("second_buffer", roomy or fits)  # of the topmost memory zz needs none
                flags[operand].append(granted)
                for sharer, at in groups.get((operand, level), ()) if granted and not roomy else ():
                    together[sharer][at] += alone[operand][level]
        return flags, together

    @property
    def double_buffer_true(self):
        """{LayerOperand: [whether each architecture level has room for the next portion]}."""
        return self._double_buffering[0]

    @property
    def effective_mem_utili_shared(self):
        """Second buffers included."""
        return self._double_buffering[1]

    @cached_property
    def allowed_mem_update_cycle(self):
        """{LayerOperand: [cycles of a period in which data may move, by direction]}."""
        return self._transfers.by_direction("window")

    @cached_property
    def real_data_trans_cycle(self):
        """{LayerOperand: [cycles that a portion takes, by direction]}."""
        return self._transfers.by_direction("cycles")

    @property
    def port_activity_collect(self):
        return self._transfers.port_activity_collect

    @property
    def mem_updating_window_union_collect(self):
        return self._transfers.mem_updating_window_union_collect

    @cached_property
    def stall_slack_comb(self):
        """Cycles of computation in which the units wait."""
        return whole(self.latency_total0 - self.ideal_temporal_cycle)

    @cached_property
    def stall_slack_comb_collect(self):
        """For each memory {name of the port: cycles for which it falls behind, negative where it has time left}."""
        collected = {level.name: {} for level in self.mem_level_list}
        for memory, port, cycles in _zz.port_stalls(self._value, compat.setting()):
            collected[memory][port] = cycles
        return list(collected.values())

    @property
    def data_loading_per_mem_inst(self):
        return self._transfers.loading.per_mem_inst

    @property
    def data_offloading_per_mem_inst(self):
        return []

    @property
    def data_loading_cc_per_op(self):
        return self._transfers.loading.cc_per_op

    @property
    def data_offloading_cc_per_op(self):
        return self._transfers.loading.off_cc_per_op

    @property
    def loading_cycles_during_computation(self):
        """{MemoryPort: {MemoryOperand: cycles of loading that computation hides}}."""
        return self._transfers.loading.cycles_during_computation

    @property
    def loading_bw_during_computation(self):
        return self._transfers.loading.bw_during_computation

    @property
    def total_loading_cycles_during_computation(self):
        return self._transfers.loading.total_cycles_during_computation

    @property
    def total_loading_bw_during_computation(self):
        return self._transfers.loading.total_bw_during_computation

    @property
    def loading_offloading_cycles_borrowed_from_computation(self):
        return max(self.total_loading_cycles_during_computation.values(), default=0)

    @property
    def loading_offloading_bandwidth_borrowed_from_computation(self):
        return max(self.total_loading_bw_during_computation.values(), default=0)

    @property
    def data_loading_cc_pair_combined_per_op(self):
        return {operand: [cycles for cycles, *_ in pairs] for operand, pairs in self._transfers.loading.pairs.items()}

    @property
    def data_loading_individual_part(self):
        return {operand: self._transfers.loading.individual(operand) for operand in self.layer.input_operands}

    @property
    def data_loading_half_shared_part(self):
        return {operand: self._transfers.loading.half_shared(operand) for operand in self.layer.input_operands}

    @property
    def data_loading_shared_part(self):
        return {operand: self._transfers.loading.shared(operand) for operand in self.layer.input_operands}

    @property
    def data_offloading_cc_pair_combined(self):
        return self._transfers.loading.off_pairs

    def get_inst_bandwidth(self, memory_level, memory_operand, scaling=1):
        """bit/cycle that an operand needs of a memory while the units compute, by direction. Stream asks for it."""
        if memory_level not in self.mem_level_list:
            raise ValueError(f"{memory_level} is no memory of {self.accelerator}")
        level = self.accelerator.memory_hierarchy.get_memory_levels(memory_operand).index(memory_level)
        operand = self.memory_operand_links.mem_to_layer_op(memory_operand)
        needed = self.mapping_int.unit_mem_data_movement[operand][level].get_attribute(DataMoveAttr.REQ_MEM_BW_INST)
        bandwidth = FourWayDataMoving({direction: ceil(needed.get(direction) * scaling / self.cycles_per_op)
                                       for direction in DataDirection})
        direction = (DataDirection.WR_IN_BY_HIGH if Constants.OUTPUT_MEM_OP in memory_level.operands
                     else DataDirection.RD_OUT_TO_LOW)
        for port in memory_level.ports:
            if any(served[0] == memory_operand for served in port.served_op_lv_dir):
                borrowed = self.loading_bw_during_computation.get(port, {}).get(memory_operand, 0)
                bandwidth.set(direction, bandwidth.get(direction) + ceil(borrowed * scaling))
        return bandwidth

    def get_total_inst_bandwidth(self, memory_level, scaling=1):
        """The same of all operands."""
        total = FourWayDataMoving()
        for operand in memory_level.operands:
            total += self.get_inst_bandwidth(memory_level, operand, scaling)
        return total

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
