#include "core/workload/layer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/workload/tile_bits.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

template <class Range, class Predicate>
int index_where(const Range& range, Predicate predicate) {
  const auto found = std::find_if(range.begin(), range.end(), predicate);
  return found == range.end() ? -1 : static_cast<int>(found - range.begin());
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& other) { return other == name; });
}

// All fields are named, so that one that is added later must be looked at here before this compiles.

bool same_operand(const LayerOperand& a, const LayerOperand& b) {
  const auto& [name_a, dimensions_a, precision_a, constant_a, sources_a, offchip_a, scale_a] = a;
  const auto& [name_b, dimensions_b, precision_b, constant_b, sources_b, offchip_b, scale_b] = b;
  return name_a == name_b && dimensions_a == dimensions_b && precision_a == precision_b &&
         constant_a == constant_b && scale_a == scale_b;
}

}  // namespace

int Layer::loop_index(const std::string& dimension) const {
  return index_where(loops, [&](const LoopDimension& loop) { return loop.name == dimension; });
}

int Layer::sequential_loop() const {
  return index_where(loops, [](const LoopDimension& loop) { return loop.sequential && loop.size > 1; });
}

bool Layer::may_be_cut(int loop) const {
  const int steps = sequential_loop();
  if (steps < 0) return true;
  for (int operand = 0; operand < static_cast<int>(operands.size()); ++operand)
    if (relevancy(operand, steps) == Relevancy::relevant && relevancy(operand, loop) != Relevancy::relevant)
      return false;
  return loop != steps;
}

std::int64_t Layer::loop_size(const std::string& dimension) const {
  const int index = loop_index(dimension);
  return index < 0 ? 1 : loops[index].size;
}

int Layer::operand_index(const std::string& operand) const {
  return index_where(operands, [&](const LayerOperand& candidate) { return candidate.name == operand; });
}

int Layer::relation_of_loop(const std::string& dimension) const {
  return index_where(relations, [&](const DimensionRelation& relation) {
    return relation.output_loop == dimension || relation.filter_loop == dimension;
  });
}

bool Layer::has_relations(int operand) const {
  return std::any_of(relations.begin(), relations.end(), [&](const DimensionRelation& relation) {
    return contains(operands[operand].dimensions, relation.data);
  });
}

Relevancy Layer::relevancy(int operand, int loop) const {
  const std::string& dimension = loops[loop].name;
  const bool in_brackets = contains(operands[operand].dimensions, dimension);
  if (has_relations(operand)) {
    if (relation_of_loop(dimension) >= 0) return Relevancy::partially_relevant;
    if (in_brackets) return Relevancy::relevant;
  } else if (in_brackets && loops[loop].size != 1) {
    return Relevancy::relevant;
  }
  return loops[loop].size == 1 ? Relevancy::none : Relevancy::irrelevant;
}

std::int64_t Layer::mac_count() const {
  return std::accumulate(
      loops.begin(), loops.end(), std::int64_t{1},
      [](std::int64_t product, const LoopDimension& loop) { return product * loop.size; });
}

std::int64_t Layer::operand_elements(int operand, const Rules& rules) const {
  return core::operand_elements(*this, operand, relevancies(*this, operand), rules);
}

std::int64_t Layer::operand_bits(int operand, const Rules& rules) const {
  if (operands[operand].scale.any())
    return static_cast<std::int64_t>(std::ceil(tensor_bits(*this, operand, false, rules)));
  return operand_elements(operand, rules) * operands[operand].precision;
}

const std::string& Layer::memory_operand(int operand) const {
  static const std::string unassigned;
  const int index = index_where(mapping.memory_operands, [&](const OperandAssignment& one) {
    return one.layer_operand == operands[operand].name;
  });
  return index < 0 ? unassigned : mapping.memory_operands[index].memory_operand;
}

int Layer::operand_assigned_to(const std::string& memory_operand) const {
  const int index = index_where(mapping.memory_operands, [&](const OperandAssignment& one) {
    return one.memory_operand == memory_operand;
  });
  return index < 0 ? -1 : operand_index(mapping.memory_operands[index].layer_operand);
}

std::vector<Relevancy> relevancies(const Layer& layer, int operand) {
  std::vector<Relevancy> all;
  all.reserve(layer.loops.size());
  for (const LoopDimension& loop : layer.loops)
    all.push_back(loop.size == 1 ? Relevancy::none : Relevancy::irrelevant);
  const bool related = layer.has_relations(operand);
  for (const std::string& name : layer.operands[operand].dimensions) {
    const int loop = layer.loop_index(name);
    if (loop >= 0 && (related || layer.loops[loop].size != 1)) all[loop] = Relevancy::relevant;
  }
  if (!related) return all;
  for (const DimensionRelation& relation : layer.relations) {
    for (const std::string* name : {&relation.output_loop, &relation.filter_loop}) {
      const int loop = layer.loop_index(*name);
      if (loop >= 0) all[loop] = Relevancy::partially_relevant;
    }
  }
  return all;
}

std::int64_t operand_elements(const Layer& layer, int operand, const std::vector<Relevancy>& relevancy,
                              const Rules& rules) {
  std::int64_t elements = 1;
  for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
    if (relevancy[loop] == Relevancy::relevant) elements *= layer.loops[loop].size;
  }
  if (!layer.has_relations(operand)) return elements;
  for (const Window& window : windows_of(layer, rules))
    elements *= window.count([&](int loop) { return layer.loops[loop].size; });
  return elements;
}

bool same_work(const Layer& a, const Layer& b) {
  const auto& [id_a, name_a, type_a, equation_a, loops_a, relations_a, operands_a, source_order_a,
               final_precision_a, final_scale_a, assumed_a, assumed_scales_a, sparsity_a, vector_work_a,
               mapping_a] = a;
  const auto& [id_b, name_b, type_b, equation_b, loops_b, relations_b, operands_b, source_order_b,
               final_precision_b, final_scale_b, assumed_b, assumed_scales_b, sparsity_b, vector_work_b,
               mapping_b] = b;
  return loops_a == loops_b && type_a == type_b && equation_a == equation_b && relations_a == relations_b &&
         std::equal(operands_a.begin(), operands_a.end(), operands_b.begin(), operands_b.end(),
                    same_operand) &&
         source_order_a == source_order_b && final_precision_a == final_precision_b &&
         final_scale_a == final_scale_b && assumed_a == assumed_b && assumed_scales_a == assumed_scales_b &&
         sparsity_a == sparsity_b && vector_work_a == vector_work_b && mapping_a == mapping_b;
}

Layer without_identity(Layer layer) {
  layer.id = 0;
  layer.name.clear();
  layer.source_order.clear();
  layer.mapping.name.clear();
  layer.mapping.core_allocation.clear();
  for (LayerOperand& operand : layer.operands) operand.sources.clear();
  return layer;
}

namespace {

bool walks_first_relation(const Layer& layer, int operand) {
  if (layer.relations.empty()) return false;
  const auto& dimensions = layer.operands[operand].dimensions;
  return std::find(dimensions.begin(), dimensions.end(), layer.relations.front().data) != dimensions.end();
}

}  // namespace

OperandRoles operand_roles(const Layer& layer) {
  std::vector<int> constant;
  std::vector<int> variable;
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand)
    (layer.operands[operand].constant ? constant : variable).push_back(operand);

  if (constant.empty()) {
    if (variable.empty()) return {};
    return variable.size() == 1 ? OperandRoles{variable[0], -1} : OperandRoles{variable[1], variable[0]};
  }
  if (!variable.empty()) return {variable.front(), constant.front()};
  if (constant.size() == 1) return {-1, constant.front()};
  const bool second = walks_first_relation(layer, constant[1]);
  return second ? OperandRoles{constant[1], constant[0]} : OperandRoles{constant[0], constant[1]};
}

bool has_constant_input(const Layer& layer) {
  return std::any_of(layer.operands.begin(), layer.operands.end(),
                     [](const LayerOperand& operand) { return operand.constant; });
}

}  // namespace zz::core
