#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/schema/types.hpp"

namespace zz::core {
namespace {

template <class... Types>
std::vector<const Type*> types_of() {
  return {type_of<Types>()...};
}

/// Types by the names that they had.
std::array<std::pair<std::string_view, const Type*>, 2> former_names() {
  return {{{"fused_place", type_of<GroupMember>()}, {"fused_data", type_of<MemberOperand>()}}};
}

}  // namespace

std::span<const Type* const> object_types() {
  static const std::vector<const Type*> types =
      types_of<Accelerator, OperationalArray, ArrayDimension, ArrayFold, ArrayInstruction, ImcProperties,
               Memory, OperandFormat, OperandOnZero, Port, FirstTouch, PortRequests, Request,
               PortAllocation, MultiCoreAccelerator, TopMemory, Link, Connection, Workload, PassThroughNode,
               UncostedNode, ShapeChange, Layer, LoopDimension, DimensionRelation, LayerOperand,
               MappingFile, LayerMapping, OperandAssignment, OperandPrecision, BlockScale, OperandSparsity,
               OperandLayout, UnrollingHint, OrderingEntry, MemoryCut, OperandCuts, SpatialUnrolling,
               ArrayUnrolling, SpatialLoop, SpatialMapping, OperandSpatialMapping, UnrolledLoop,
               TemporalMapping, OperandTemporalMapping, TemporalLoop, GroupMember, MemberOperand,
               DataLevels, LayerDataLevels, ComputationNodeGraph, CutLayer, SmallerPiece, NodeLoop,
               ComputationNode, PieceTensor, Dependency, Schedule, ScheduledNode, Transfer, StreamBlock,
               Removal, Exchange, MemoryTrace, CoreCosts, CoreCosts::OfLayer, CoreCosts::OfShape, CoreCost,
               ExchangingCost, Evaluation, CostModelOptions, OperandCost, LevelCost, LatencyPart,
               EnergyPart, PortFigures, PortUseFigures, ImcFigures, ImcEnergy, ImcParts>();
  return types;
}

const Type* find_object_type(std::string_view name) {
  for (const auto& [former, type] : former_names())
    if (former == name) return type;
  for (const Type* type : object_types())
    if (type->name == name) return type;
  return nullptr;
}

}  // namespace zz::core
