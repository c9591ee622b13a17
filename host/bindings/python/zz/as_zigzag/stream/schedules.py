"""The result of a network on several cores: cycles and pJ."""

from functools import cached_property

from zz.as_zigzag.values.accelerators import Accelerator
from zz.as_zigzag.values.layers import LayerNode
from zz.as_zigzag.values.view import Figure, View

_TERMS = ("total_cn_onchip_energy", "total_cn_offchip_link_energy", "total_cn_offchip_memory_energy",
          "total_eviction_to_offchip_link_energy", "total_eviction_to_offchip_memory_energy",
          "total_sink_layer_output_offchip_link_energy", "total_sink_layer_output_offchip_memory_energy",
          "total_core_to_core_link_energy", "total_core_to_core_memory_energy")


class ComputationNode(View):
    """A piece of a layer, in time."""

    sub_id = Figure()
    start = Figure()
    end = Figure()
    core_allocation = Figure("core")
    chosen_core_allocation = Figure("core")

    def __init__(self, value, layer):
        super().__init__(value)
        self.layer = layer

    @property
    def id(self):
        """Of its layer."""
        return self.layer.id

    @property
    def name(self):
        return self.layer.name

    @property
    def type(self):
        return self.layer.type

    def get_start(self):
        return self.start

    def get_end(self):
        return self.end

    def get_runtime(self):
        return self.end - self.start

    def __str__(self):
        return f"ComputationNode{self.id}_{self.sub_id}"

    __repr__ = __str__


class ComputationNodeWorkload(View):
    """The nodes in the order in which they were placed."""

    @cached_property
    def layers(self):
        return {one.layer.id: LayerNode(one.layer) for one in self._value.graph.layers}

    @cached_property
    def node_list(self):
        return [ComputationNode(node, self.layers[node.layer]) for node in self._value.nodes]

    def __iter__(self):
        return iter(self.node_list)

    def __len__(self):
        return len(self.node_list)


class MultiCoreAccelerator(View):
    """The cores."""

    name = Figure()
    offchip_core_id = Figure("offchip_core")

    @cached_property
    def core_list(self):
        cores = []
        for number, value in enumerate(self._value.cores):
            core = Accelerator(value)
            core.id = number
            cores.append(core)
        return cores

    @property
    def cores(self):
        return self.core_list

    def get_core(self, core_id):
        return self.core_list[core_id]


class StreamCostModelEvaluation(View):
    """A schedule with its latency and energy."""

    latency = Figure()
    energy = Figure()

    def __init__(self, evaluation):
        super().__init__(evaluation["schedule"])
        self._evaluation = evaluation

    @cached_property
    def accelerator(self):
        return MultiCoreAccelerator(self._value.accelerator)

    @cached_property
    def workload(self):
        return ComputationNodeWorkload(self._value)

    def plot_schedule(self, *args, fig_path="outputs/schedule_plot.png", **kwargs):
        from zz.as_zigzag.stream.pictures import plot_timeline_brokenaxes
        kwargs.pop("plot_full_schedule", None)
        plot_timeline_brokenaxes(self, *args, fig_path=fig_path, **kwargs)

    def plot_memory_usage(self, *args, **kwargs):
        from zz.as_zigzag.stream.pictures import plot_memory_usage
        plot_memory_usage(self, *args, **kwargs)

    def __str__(self):
        return f"SCME(energy={self.energy:.2e}, latency={self.latency:.2e})"

    __repr__ = __str__


for _term in _TERMS:
    setattr(StreamCostModelEvaluation, _term, Figure(f"energy_terms.{_term}"))
