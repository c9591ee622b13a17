"""Which names the modules of ZigZag and Stream have here: {module: [(where they are, *names)]}."""

_VALUES = "zz.as_zigzag.values"
_STAGES = "zz.as_zigzag.stages"

_REDUCERS = ("MinimalEnergyStage", "MinimalLatencyStage", "MinimalEDPStage", "SumStage")

MODULES = {
    "zigzag": [("zz.as_zigzag.version", "__version__")],
    "zigzag.api": [("zz.as_zigzag.api", "get_hardware_performance_zigzag", "get_hardware_performance_zigzag_imc")],
    "zigzag.utils": [("zz.as_zigzag.utilities", "open_yaml", "pickle_deepcopy", "pickle_load", "pickle_save"),
                     (f"{_VALUES}.representation", "json_repr_handler")],
    "zigzag.datatypes": [(f"{_VALUES}.names", "Constants", "LayerDim", "LayerOperand", "MemoryOperand", "OADimension")],

    "zigzag.cost_model": [],
    "zigzag.cost_model.cost_model": [(f"{_VALUES}.evaluations", "CostModelEvaluation", "CostModelEvaluationABC",
                                      "CumulativeCME")],
    "zigzag.cost_model.cost_model_imc": [(f"{_VALUES}.evaluations", "CostModelEvaluationForIMC")],

    "zigzag.hardware": [],
    "zigzag.hardware.architecture": [],
    "zigzag.hardware.architecture.accelerator": [(f"{_VALUES}.accelerators", "Accelerator")],
    "zigzag.hardware.architecture.imc_array": [(f"{_VALUES}.accelerators", "ImcArray")],
    "zigzag.hardware.architecture.memory_hierarchy": [(f"{_VALUES}.memories", "MemoryHierarchy")],
    "zigzag.hardware.architecture.memory_instance": [(f"{_VALUES}.memories", "MemoryInstance")],
    "zigzag.hardware.architecture.memory_level": [(f"{_VALUES}.memories", "MemoryLevel")],
    "zigzag.hardware.architecture.memory_port": [(f"{_VALUES}.memories", "MemoryPort"),
                                                 (f"{_VALUES}.data_movement", "DataDirection", "MemoryPortType")],
    "zigzag.hardware.architecture.operational_array": [(f"{_VALUES}.accelerators", "OperationalArray",
                                                        "OperationalArrayABC")],
    "zigzag.hardware.architecture.operational_unit": [(f"{_VALUES}.accelerators", "OperationalUnit")],

    "zigzag.mapping": [],
    "zigzag.mapping.data_movement": [(f"{_VALUES}.data_movement", "AccessEnergy", "DataDirection", "FourWayDataMoving",
                                      "MemoryAccesses")],
    "zigzag.mapping.spatial_mapping": [(f"{_VALUES}.attributes", "MappingSingleOADim", "SpatialMapping",
                                        "SpatialMappingHint")],
    "zigzag.mapping.spatial_mapping_internal": [(f"{_VALUES}.mappings", "SpatialMappingInternal")],
    "zigzag.mapping.temporal_mapping": [(f"{_VALUES}.mappings", "TemporalMapping"),
                                        (f"{_VALUES}.temporal_mapping_type", "TemporalMappingType")],

    "zigzag.workload": [],
    "zigzag.workload.layer_attributes": [(f"{_VALUES}.attributes", "LayerDimRelation", "LayerDimSizes", "LayerEquation",
                                          "LayerOperandPrecision", "LayerPadding", "LayerTemporalOrdering",
                                          "MemoryOperandLinks")],
    "zigzag.workload.layer_node": [(f"{_VALUES}.layers", "LayerNode")],
    "zigzag.workload.layer_node_abc": [(f"{_VALUES}.layers", "LayerNodeABC")],
    "zigzag.workload.dummy_node": [(f"{_VALUES}.layers", "DummyNode")],

    "zigzag.stages": [],
    "zigzag.stages.main": [(f"{_STAGES}.main", "MainStage")],
    "zigzag.stages.stage": [(f"{_STAGES}.stage", "Stage")],
    "zigzag.stages.workload_iterator": [(f"{_STAGES}.built_in", "WorkloadStage")],
    "zigzag.stages.exploit_data_locality_stages": [(f"{_STAGES}.built_in", "ExploitInterLayerDataLocalityStage",
                                                    "SearchInterLayerDataLocalityStage")],
    "zigzag.stages.run_opt_stages": [(f"{_STAGES}.built_in", "CacheBeforeYieldStage", "RemoveExtraInfoStage")],
    "zigzag.stages.evaluation": [],
    "zigzag.stages.evaluation.cost_model_evaluation": [(f"{_STAGES}.built_in", "CostModelStage")],
    "zigzag.stages.mapping": [],
    "zigzag.stages.mapping.salsa": [(f"{_STAGES}.built_in", "SalsaStage")],
    "zigzag.stages.mapping.spatial_mapping_conversion": [(f"{_STAGES}.built_in", "SpatialMappingConversionStage")],
    "zigzag.stages.mapping.spatial_mapping_generation": [(f"{_STAGES}.built_in", "SpatialMappingGeneratorStage")],
    "zigzag.stages.mapping.temporal_mapping_generator_stage": [(f"{_STAGES}.built_in", "TemporalMappingGeneratorStage")],
    "zigzag.stages.parser": [],
    "zigzag.stages.parser.accelerator_parser": [(f"{_STAGES}.built_in", "AcceleratorParserStage")],
    "zigzag.stages.parser.onnx_model_parser": [(f"{_STAGES}.built_in", "ONNXModelParserStage")],
    "zigzag.stages.parser.workload_parser": [(f"{_STAGES}.built_in", "WorkloadParserStage")],
    "zigzag.stages.results": [],
    "zigzag.stages.results.reduce_stages": [(f"{_STAGES}.built_in", *_REDUCERS)],
    "zigzag.stages.results.save": [(f"{_STAGES}.built_in", "CompleteSaveStage", "PickleSaveStage", "SimpleSaveStage")],
    "zigzag.stages.results.visualization": [(f"{_STAGES}.built_in", "VisualizationStage")],
    "zigzag.stages.results.plot_temporal_mapping": [(f"{_STAGES}.built_in", "PlotTemporalMappingsStage")],
}
