#include "core/workload/layer.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/text/same_name.hpp"
#include "core/workload/relevancies.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

template <class Range, class Predicate>
int index_where(const Range& range, Predicate predicate) {
  const auto found = std::find_if(range.begin(), range.end(), predicate);
  return found == range.end() ? -1 : static_cast<int>(found - range.begin());
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& other) { return same_name(other, name); });
}

}  // namespace

int Layer::loop_index(const std::string& dimension) const {
  return index_where(loops, [&](const LoopDimension& loop) { return same_name(loop.name, dimension); });
}

std::int64_t Layer::loop_size(const std::string& dimension) const {
  const int index = loop_index(dimension);
  return index < 0 ? 1 : loops[index].size;
}

int Layer::operand_index(const std::string& operand) const {
  return index_where(operands,
                     [&](const LayerOperand& candidate) { return same_name(candidate.name, operand); });
}

int Layer::relation_of_loop(const std::string& dimension) const {
  return index_where(relations, [&](const DimensionRelation& relation) {
    return same_name(relation.output_loop, dimension) || same_name(relation.filter_loop, dimension);
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

std::int64_t Layer::operand_elements(int operand) const {
  return core::operand_elements(*this, operand, relevancies(*this, operand));
}

std::int64_t Layer::operand_bits(int operand) const {
  return operand_elements(operand) * operands[operand].precision;
}

const std::string& Layer::memory_operand(int operand) const {
  static const std::string unlinked;
  const int index = index_where(mapping.links, [&](const MemoryOperandLink& link) {
    return same_name(link.layer_operand, operands[operand].name);
  });
  return index < 0 ? unlinked : mapping.links[index].memory_operand;
}

int Layer::operand_linked_to(const std::string& memory_operand) const {
  const int index = index_where(mapping.links, [&](const MemoryOperandLink& link) {
    return same_name(link.memory_operand, memory_operand);
  });
  return index < 0 ? -1 : operand_index(mapping.links[index].layer_operand);
}

std::int64_t distinct_positions(std::int64_t stride, std::int64_t count_a, std::int64_t dilation,
                                std::int64_t count_b, bool exact) {
  constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();
  return WindowPositions(stride, dilation, unbounded, exact).count(count_a, count_b);
}

}  // namespace zz::core
