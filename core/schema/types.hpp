#pragma once
#include "core/cost/evaluation.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/search/locality/data_levels.hpp"
#include "core/value/type.hpp"
#include "core/workload/workload.hpp"

/// Every C++ type that has a table of fields; each table is in the file named in the comment above it.
namespace zz::core {

// layer_type.cpp
template <>
const Type* type_of<LoopDimension>();
template <>
const Type* type_of<DimensionRelation>();
template <>
const Type* type_of<LayerOperand>();
template <>
const Type* type_of<Layer>();
// workload_type.cpp
template <>
const Type* type_of<ShapeChange>();
template <>
const Type* type_of<PassThroughNode>();
template <>
const Type* type_of<UncostedNode>();
template <>
const Type* type_of<Workload>();
// memory_type.cpp
template <>
const Type* type_of<PortAllocation>();
template <>
const Type* type_of<Port>();
template <>
const Type* type_of<Memory>();
// accelerator_type.cpp
template <>
const Type* type_of<ArrayDimension>();
template <>
const Type* type_of<ImcProperties>();
template <>
const Type* type_of<ArrayFold>();
template <>
const Type* type_of<ArrayInstruction>();
template <>
const Type* type_of<FirstTouch>();
template <>
const Type* type_of<Request>();
template <>
const Type* type_of<PortRequests>();
template <>
const Type* type_of<OperandFormat>();
template <>
const Type* type_of<OperandOnZero>();
template <>
const Type* type_of<OperationalArray>();
template <>
const Type* type_of<Accelerator>();
// multi_core_accelerator_type.cpp
template <>
const Type* type_of<Link>();
template <>
const Type* type_of<Connection>();
template <>
const Type* type_of<TopMemory>();
template <>
const Type* type_of<MultiCoreAccelerator>();
// spatial_unrolling_type.cpp
template <>
const Type* type_of<SpatialLoop>();
template <>
const Type* type_of<ArrayUnrolling>();
template <>
const Type* type_of<SpatialUnrolling>();
// layer_mapping_type.cpp
template <>
const Type* type_of<OperandAssignment>();
template <>
const Type* type_of<BlockScale>();
template <>
const Type* type_of<OperandPrecision>();
template <>
const Type* type_of<OperandSparsity>();
template <>
const Type* type_of<OperandLayout>();
template <>
const Type* type_of<UnrollingHint>();
template <>
const Type* type_of<OrderingEntry>();
template <>
const Type* type_of<MemoryCut>();
template <>
const Type* type_of<OperandCuts>();
template <>
const Type* type_of<LayerMapping>();
template <>
const Type* type_of<MappingFile>();
// spatial_mapping_type.cpp
template <>
const Type* type_of<UnrolledLoop>();
template <>
const Type* type_of<OperandSpatialMapping>();
template <>
const Type* type_of<SpatialMapping>();
// temporal_mapping_type.cpp
template <>
const Type* type_of<TemporalLoop>();
template <>
const Type* type_of<OperandTemporalMapping>();
template <>
const Type* type_of<TemporalMapping>();
template <>
const Type* type_of<MemberOperand>();
template <>
const Type* type_of<GroupMember>();
template <>
const Type* type_of<CostModelOptions>();
// data_levels_type.cpp
template <>
const Type* type_of<LayerDataLevels>();
template <>
const Type* type_of<DataLevels>();
// imc_figures_type.cpp
template <>
const Type* type_of<ImcEnergy>();
template <>
const Type* type_of<ImcParts>();
template <>
const Type* type_of<ImcFigures>();
// computation_node_graph_type.cpp
template <>
const Type* type_of<NodeLoop>();
template <>
const Type* type_of<SmallerPiece>();
template <>
const Type* type_of<CutLayer>();
template <>
const Type* type_of<PieceTensor>();
template <>
const Type* type_of<ComputationNode>();
template <>
const Type* type_of<Dependency>();
template <>
const Type* type_of<ComputationNodeGraph>();
// schedule_type.cpp
template <>
const Type* type_of<ScheduledNode>();
template <>
const Type* type_of<Transfer>();
template <>
const Type* type_of<StreamBlock>();
template <>
const Type* type_of<Removal>();
template <>
const Type* type_of<Exchange>();
template <>
const Type* type_of<MemoryTrace>();
template <>
const Type* type_of<Schedule>();
// core_costs_type.cpp
template <>
const Type* type_of<CoreCost>();
template <>
const Type* type_of<ExchangingCost>();
template <>
const Type* type_of<CoreCosts::OfShape>();
template <>
const Type* type_of<CoreCosts::OfLayer>();
template <>
const Type* type_of<CoreCosts>();
// evaluation_type.cpp
template <>
const Type* type_of<LevelCost>();
template <>
const Type* type_of<OperandCost>();
template <>
const Type* type_of<LatencyPart>();
template <>
const Type* type_of<EnergyPart>();
template <>
const Type* type_of<PortUseFigures>();
template <>
const Type* type_of<PortFigures>();
template <>
const Type* type_of<Evaluation>();

}  // namespace zz::core
