"""What nodes of each layer cost on each core."""

import os
import pickle

from zz.as_zigzag.values.evaluations import evaluation_of


class CostModelEvaluationLUT:
    """The table that a call of Stream's API saved beside its result."""

    def __init__(self, cache_path=None, load=True):
        self.cache_path = cache_path
        self.lut = {}
        if load and cache_path and os.path.exists(cache_path):
            with open(cache_path, "rb") as file:
                self.lut = pickle.load(file).lut

    @classmethod
    def of(cls, scme):
        """{layer: {core id: evaluation}} of a schedule."""
        table = cls()
        layers = list(scme.workload.layers.values())
        for layer, costs in zip(layers, scme._value.costs.layers):
            table.lut[layer] = {cost.core: None if cost.evaluation is None else evaluation_of(cost.evaluation)
                                for cost in costs.on}
        return table

    def save(self):
        os.makedirs(os.path.dirname(self.cache_path) or ".", exist_ok=True)
        with open(self.cache_path, "wb") as file:
            pickle.dump(self, file, pickle.HIGHEST_PROTOCOL)

    def _layer(self, node):
        return getattr(node, "layer", node)

    def get_nodes(self):
        """One layer for all of its nodes, which cost the same."""
        return list(self.lut)

    def get_cores(self, node):
        return list(self.lut[self._layer(node)])

    def has_cme(self, node, core):
        return self.lut.get(self._layer(node), {}).get(getattr(core, "id", core)) is not None

    def get_cme(self, node, core):
        return self.lut[self._layer(node)][getattr(core, "id", core)]
