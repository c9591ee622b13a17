#pragma once
#include "core/cost/evaluation.hpp"
#include "core/locality/data_levels.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/mapping/loop_order_batch.hpp"
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
const Type* type_of<PassThroughNode>();
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
const Type* type_of<OperationalArray>();
template <>
const Type* type_of<Accelerator>();
// spatial_unrolling_type.cpp
template <>
const Type* type_of<SpatialLoop>();
template <>
const Type* type_of<ArrayUnrolling>();
template <>
const Type* type_of<SpatialUnrolling>();
// layer_mapping_type.cpp
template <>
const Type* type_of<MemoryOperandLink>();
template <>
const Type* type_of<UnrollingHint>();
template <>
const Type* type_of<OrderingEntry>();
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
// loop_orders_type.cpp
template <>
const Type* type_of<LoopOrderBatch>();
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
// evaluation_type.cpp
template <>
const Type* type_of<LevelCost>();
template <>
const Type* type_of<OperandCost>();
template <>
const Type* type_of<Evaluation>();

}  // namespace zz::core
