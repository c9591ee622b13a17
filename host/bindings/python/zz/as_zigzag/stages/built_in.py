"""ZigZag's and Stream's own stages: each is a stage of zz under the same name."""

from zz.as_zigzag.factories import AcceleratorFactory
from zz.as_zigzag.stages.by_hand import CostModelStage, SpatialMappingConversionStage  # noqa: F401
from zz.as_zigzag.stages.stage import Stage

_NAMES = (
    "WorkloadParserStage", "ONNXModelParserStage", "AcceleratorParserStage", "WorkloadStage",
    "SearchInterLayerDataLocalityStage", "ExploitInterLayerDataLocalityStage",
    "SpatialMappingGeneratorStage", "TemporalMappingGeneratorStage", "SalsaStage", "MinimalEnergyStage", "MinimalLatencyStage", "MinimalEDPStage", "SumStage", "SimpleSaveStage",
    "CompleteSaveStage", "PickleSaveStage", "VisualizationStage", "PlotTemporalMappingsStage", "RemoveExtraInfoStage",
    "CacheBeforeYieldStage", "HardwareOptimizerStage",
    "StreamONNXModelParserStage", "UserDefinedModelParserStage", "LayerSplittingStage", "DetermineLayerStacksStage",
    "DetermineHintLoopsStage", "GenerateCNWorkloadHybridStage", "IntraCoreMappingStage", "DetermineSchedulingOrderStage",
    "InterCoreMappingStage")

for _name in _NAMES:
    globals()[_name] = type(_name, (Stage,), {"__doc__": f"{_name}: docs/stages/{_name}.md", "__module__": __name__,
                                              "name_in_pipelines": _name})


class SetFixedAllocationPerformanceStage(Stage):
    """Done by InterCoreMappingStage itself."""

    name_in_pipelines = ""


def _parse_accelerator(accelerator_yaml_path):
    """The accelerator of a file, or of what such a file has."""
    return AcceleratorFactory(accelerator_yaml_path).create()


AcceleratorParserStage.parse_accelerator = staticmethod(_parse_accelerator)  # noqa: F821
