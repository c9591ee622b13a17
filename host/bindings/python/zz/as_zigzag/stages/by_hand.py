"""Stages that scripts make one by one, to convert or cost a mapping, besides naming them in a list for MainStage."""

from zz.as_zigzag import by_hand
from zz.as_zigzag.page import PAGE
from zz.as_zigzag.stages.stage import Stage
from zz.as_zigzag.values.accelerators import ImcArray
from zz.as_zigzag.values.attributes import SpatialMapping
from zz.as_zigzag.values.evaluations import CostModelEvaluation, CostModelEvaluationForIMC
from zz.as_zigzag.values.mappings import SpatialMappingInternal


class _MadeByHand(Stage):
    def __init__(self, list_of_callables, *, accelerator, layer, **kwargs):
        self.list_of_callables = list_of_callables
        self.kwargs = kwargs
        self.accelerator = accelerator
        self.layer = layer


class SpatialMappingConversionStage(_MadeByHand):
    """SpatialMappingConversionStage: docs/stages/SpatialMappingConversionStage.md"""

    name_in_pipelines = "SpatialMappingConversionStage"

    def convert_user_spatial_mapping(self, user_spatial_mapping):
        """An unrolling by array dimension as one by memory level: with average factors, and with whole ones."""
        if not isinstance(user_spatial_mapping, SpatialMapping):
            raise TypeError(f"user_spatial_mapping is a SpatialMapping, not {user_spatial_mapping!r} ({PAGE})")
        average, whole = by_hand.converted(self.accelerator, self.layer, user_spatial_mapping.data)
        return (SpatialMappingInternal(average, self.layer, number=float), SpatialMappingInternal(whole, self.layer, number=int))

    def run(self):
        average, whole = self.convert_user_spatial_mapping(self.layer.spatial_mapping)
        below = self.list_of_callables[0](self.list_of_callables[1:], accelerator=self.accelerator, layer=self.layer,
                                          spatial_mapping=average, spatial_mapping_int=whole, **self.kwargs)
        yield from below.run()


class CostModelStage(_MadeByHand):
    """CostModelStage: docs/stages/CostModelStage.md"""

    name_in_pipelines = "CostModelStage"

    def __init__(self, list_of_callables, *, spatial_mapping, spatial_mapping_int, temporal_mapping,
                 access_same_data_considered_as_no_access=True, **kwargs):
        super().__init__(list_of_callables, **kwargs)
        self.mapping = {"spatial_mapping": spatial_mapping, "spatial_mapping_int": spatial_mapping_int,
                        "temporal_mapping": temporal_mapping,
                        "access_same_data_considered_as_no_access": access_same_data_considered_as_no_access}

    def run(self):
        in_memory = isinstance(self.accelerator.operational_array, ImcArray)
        kind = CostModelEvaluationForIMC if in_memory else CostModelEvaluation
        yield kind(accelerator=self.accelerator, layer=self.layer, **self.mapping), None

    def is_leaf(self):
        return True
