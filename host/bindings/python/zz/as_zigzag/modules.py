"""Which names the modules of ZigZag and Stream have here: {module: [(where they are, *names)]}.

"A as B" is A under another name."""

_VALUES = "zz.as_zigzag.values"
_PICTURES = "zz.as_zigzag.pictures"
_STREAM = "zz.as_zigzag.stream"
_STAGES = "zz.as_zigzag.stages"
_FACTORIES = "zz.as_zigzag.factories"
_CACTI = "zz.as_zigzag.cacti"

_REDUCERS = ("MinimalEnergyStage", "MinimalLatencyStage", "MinimalEDPStage", "SumStage")

MODULES = {
    "zigzag": [("zz.as_zigzag.version", "__version__")],
    "zigzag.api": [("zz.as_zigzag.api", "get_hardware_performance_zigzag", "get_hardware_performance_zigzag_imc")],
    "zigzag.utils": [("zz.as_zigzag.utilities", "open_yaml", "pickle_deepcopy", "pickle_load", "pickle_save"),
                     (f"{_VALUES}.representation", "json_repr_handler")],
    "zigzag.datatypes": [(f"{_VALUES}.names", "Constants", "LayerDim", "LayerOperand", "MemoryOperand", "OADimension")],

    "zigzag.inputs": [],
    "zigzag.inputs.hardware": [],
    "zigzag.inputs.mapping": [],
    "zigzag.inputs.workload": [],

    "zigzag.cacti": [],
    "zigzag.cacti.cacti_parser": [(_CACTI, "CactiParser")],

    "zigzag.cost_model": [],
    "zigzag.cost_model.port_activity": [(f"{_VALUES}.transfers", "PortActivity", "PortBeginOrEndActivity")],
    "zigzag.cost_model.cost_model": [(f"{_VALUES}.evaluations", "CostModelEvaluation", "CostModelEvaluationABC",
                                      "CumulativeCME")],
    "zigzag.cost_model.cost_model_imc": [(f"{_VALUES}.evaluations", "CostModelEvaluationForIMC")],

    "zigzag.hardware": [],
    "zigzag.hardware.architecture": [],
    "zigzag.hardware.architecture.accelerator": [(f"{_VALUES}.accelerators", "Accelerator")],
    "zigzag.hardware.architecture.get_cacti_cost": [(_CACTI, "get_cacti_cost", "get_w_cost_per_weight_from_cacti")],
    "zigzag.hardware.architecture.imc_array": [(f"{_VALUES}.accelerators", "ImcArray")],
    "zigzag.hardware.architecture.memory_hierarchy": [(f"{_VALUES}.memories", "MemoryHierarchy")],
    "zigzag.hardware.architecture.memory_instance": [(f"{_VALUES}.memories", "MemoryInstance")],
    "zigzag.hardware.architecture.memory_level": [(f"{_VALUES}.memories", "MemoryLevel", "ServedMemDimensions")],
    "zigzag.hardware.architecture.memory_port": [(f"{_VALUES}.memories", "MemoryPort", "PortAllocation"),
                                                 (f"{_VALUES}.data_movement", "DataDirection", "MemoryPortType")],
    "zigzag.hardware.architecture.operational_array": [(f"{_VALUES}.accelerators", "OperationalArray",
                                                        "OperationalArrayABC", "OperationalArray as MultiplierArray")],
    "zigzag.hardware.architecture.operational_unit": [(f"{_VALUES}.accelerators", "OperationalUnit",
                                                       "OperationalUnit as Multiplier")],

    "zigzag.mapping": [],
    "zigzag.mapping.utils": [(f"{_PICTURES}.loop_nest", "get_memory_names", "get_spatial_loops", "get_temporal_loops")],
    "zigzag.mapping.data_movement": [(f"{_VALUES}.data_movement", "AccessEnergy", "DataDirection", "DataMoveAttr",
                                      "DataMovePattern", "FourWayDataMoving", "MemoryAccesses")],
    "zigzag.mapping.mapping": [(f"{_VALUES}.mapping_figures", "Mapping")],
    "zigzag.mapping.spatial_mapping": [(f"{_VALUES}.attributes", "MappingSingleOADim", "SpatialMapping",
                                        "SpatialMappingHint")],
    "zigzag.mapping.spatial_mapping_internal": [(f"{_VALUES}.mappings", "SpatialMappingInternal")],
    "zigzag.mapping.temporal_mapping": [(f"{_VALUES}.mappings", "TemporalMapping"),
                                        (f"{_VALUES}.temporal_mapping_type", "TemporalMappingType")],

    "zigzag.opt": [],
    "zigzag.opt.loma": [],
    "zigzag.opt.loma.engine": [("zz.errors", "NoResult as NoValidLoopOrderingFoundException")],
    "zigzag.opt.loma.memory_allocator": [("zz.errors", "NoResult as MemoryHierarchyTooSmallException",
                                          "NoResult as MemoryTooSmallException")],

    "zigzag.parser": [],
    "zigzag.parser.arguments": [("zz.as_zigzag.arguments", "get_arg_parser")],
    "zigzag.parser.accelerator_factory": [(_FACTORIES, "AcceleratorFactory")],
    "zigzag.parser.accelerator_validator": [(_FACTORIES, "AcceleratorValidator")],
    "zigzag.parser.mapping_validator": [(_FACTORIES, "MappingValidator")],
    "zigzag.parser.workload_factory": [(_FACTORIES, "LayerNodeFactory", "WorkloadFactory")],
    "zigzag.parser.workload_validator": [(_FACTORIES, "WorkloadValidator")],
    "zigzag.parser.onnx": [],
    "zigzag.parser.onnx.onnx_model_parser": [(_FACTORIES, "ONNXModelParser")],
    "zigzag.parser.onnx.utils": [(_FACTORIES, "parse_onnx_model_from_path")],

    "zigzag.workload": [],
    "zigzag.workload.dnn_workload": [(f"{_VALUES}.layers", "Workload as DNNWorkload")],
    "zigzag.workload.onnx_workload": [(f"{_VALUES}.layers", "Workload as ONNXWorkload")],
    "zigzag.workload.workload_abc": [(f"{_VALUES}.layers", "Workload as WorkloadABC",
                                      "Workload as WorkloadNoDummyABC")],
    "zigzag.workload.layer_attribute": [(f"{_VALUES}.attributes", "LayerAttribute")],
    "zigzag.workload.layer_attributes": [(f"{_VALUES}.attributes", "LayerDimRelation", "LayerDimSizes", "LayerEquation",
                                          "LayerOperandPrecision", "LayerPadding", "LayerTemporalOrdering",
                                          "MemoryOperandLinks")],
    "zigzag.workload.layer_node": [(f"{_VALUES}.layers", "LayerNode", "LayerNodeAttributes", "LoopRelevancyInfo",
                                     "MappingAttributes")],
    "zigzag.workload.layer_node_abc": [(f"{_VALUES}.layers", "LayerNodeABC")],
    "zigzag.workload.dummy_node": [(f"{_VALUES}.layers", "DummyNode")],

    "zigzag.stages": [],
    "zigzag.stages.main": [(f"{_STAGES}.main", "MainStage")],
    "zigzag.stages.stage": [(f"{_STAGES}.stage", "Stage")],
    "zigzag.stages.hardware_opt_stages": [(f"{_STAGES}.built_in", "HardwareOptimizerStage")],
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

    "zigzag.visualization": [(f"{_PICTURES}.bars", "bar_plot_cost_model_evaluations_breakdown"),
                             (f"{_PICTURES}.hierarchy", "visualize_memory_hierarchy_graph"),
                             (f"{_PICTURES}.loop_nest", "print_mapping")],
    "zigzag.visualization.graph": [],
    "zigzag.visualization.graph.memory_hierarchy": [(f"{_PICTURES}.hierarchy", "visualize_memory_hierarchy_graph")],
    "zigzag.visualization.results": [],
    "zigzag.visualization.results.plot_cme": [(f"{_PICTURES}.bars", "bar_plot_cost_model_evaluations_breakdown",
                                               "bar_plot_cost_model_evaluations_total")],
    "zigzag.visualization.results.print_mapping": [(f"{_PICTURES}.loop_nest", "print_mapping")],

    "zigzag.stages.MainStage": [(f"{_STAGES}.main", "MainStage")],  # of the ZigZag that Stream 0.0.8 is built on

    "stream": [],
    "stream.api": [(f"{_STREAM}.api", "configure_logging", "get_hardware_performance_stream", "optimize_allocation_ga"),
                   (f"{_STREAM}.optimisation", "hardware_cost_report", "optimize_allocation_co",
                    "optimize_allocation_co_generic", "optimize_allocation_co_with_mapping", "optimize_mapping")],
    "stream.opt": [],
    "stream.opt.solver": [(f"{_STREAM}.optimisation", "ConstraintSelection")],
    "stream.stages.context": [(f"{_STREAM}.optimisation", "StageContext")],
    "stream.utils": [(f"{_STREAM}.cost_table", "CostModelEvaluationLUT")],
    "stream.cost_model": [],
    "stream.cost_model.cost_model": [(f"{_STREAM}.schedules", "StreamCostModelEvaluation")],
    "stream.visualization": [],
    "stream.visualization.memory_usage": [(f"{_STREAM}.pictures", "plot_memory_usage")],
    "stream.visualization.perfetto": [(f"{_STREAM}.pictures", "convert_scme_to_perfetto_json")],
    "stream.visualization.schedule": [(f"{_STREAM}.pictures", "plot_timeline_brokenaxes", "visualize_timeline_plotly")],

    "stream.classes": [],
    "stream.classes.cost_model": [],
    "stream.classes.cost_model.cost_model": [(f"{_STREAM}.schedules", "StreamCostModelEvaluation")],
    "stream.classes.stages": [],
    **{f"stream.classes.stages.{name}": [(f"{_STAGES}.built_in", name)] for name in (
        "AcceleratorParserStage", "DetermineHintLoopsStage", "DetermineLayerStacksStage", "DetermineSchedulingOrderStage",
        "GenerateCNWorkloadHybridStage", "InterCoreMappingStage", "IntraCoreMappingStage", "LayerSplittingStage")},
    "stream.classes.stages.ModelParserStage": [(f"{_STAGES}.built_in", "UserDefinedModelParserStage",
                                                "StreamONNXModelParserStage as ONNXModelParserStage")],

    "stream.stages": [],
    "stream.stages.stage": [(f"{_STAGES}.main", "MainStage"), (f"{_STAGES}.stage", "Stage")],
    "stream.stages.set_fixed_allocation_performance": [(f"{_STAGES}.built_in", "SetFixedAllocationPerformanceStage")],
    "stream.stages.parsing": [],
    "stream.stages.parsing.accelerator_parser": [(f"{_STAGES}.built_in", "AcceleratorParserStage")],
    "stream.stages.parsing.onnx_model_parser": [(f"{_STAGES}.built_in",
                                                 "StreamONNXModelParserStage as ONNXModelParserStage")],
    "stream.stages.parsing.user_defined_model_parser": [(f"{_STAGES}.built_in", "UserDefinedModelParserStage")],
    "stream.stages.generation": [],
    "stream.stages.generation.layer_stacks_generation": [(f"{_STAGES}.built_in",
                                                          "DetermineLayerStacksStage as LayerStacksGenerationStage")],
    "stream.stages.generation.tiling_generation": [(f"{_STAGES}.built_in",
                                                    "DetermineHintLoopsStage as TilingGenerationStage")],
    "stream.stages.generation.tiled_workload_generation": [(
        f"{_STAGES}.built_in", "GenerateCNWorkloadHybridStage as TiledWorkloadGenerationStage")],
    "stream.stages.generation.scheduling_order_generation": [(
        f"{_STAGES}.built_in", "DetermineSchedulingOrderStage as SchedulingOrderGenerationStage")],
    "stream.stages.estimation": [],
    "stream.stages.estimation.zigzag_core_mapping_estimation": [(
        f"{_STAGES}.built_in", "IntraCoreMappingStage as ZigZagCoreMappingEstimationStage")],
    "stream.stages.allocation": [],
    "stream.stages.allocation.genetic_algorithm_allocation": [(
        f"{_STAGES}.built_in", "InterCoreMappingStage as GeneticAlgorithmAllocationStage")],
}
