#include "core/output/loop_nest.hpp"

#include <algorithm>
#include <memory>

#include "core/hardware/memory_hierarchy.hpp"
#include "core/text/number_text.hpp"

namespace zz::core {
namespace {

template <class Operand>
const Operand* find(const std::vector<Operand>& operands, const std::string& name) {
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [&](const Operand& operand) { return operand.operand == name; });
  return found == operands.end() ? nullptr : &*found;
}

std::vector<UnrolledLoop> spatial_loops(const Evaluation& evaluation) {
  std::vector<UnrolledLoop> loops;
  if (!evaluation.spatial_mapping_int || evaluation.layer->operands.empty()) return loops;
  const auto* output =
      find(evaluation.spatial_mapping_int->operands, evaluation.layer->operands.front().name);
  if (output == nullptr) return loops;
  for (const auto& level : output->levels) loops.insert(loops.end(), level.begin(), level.end());
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// Names of the memories of an operand, the innermost first.
std::vector<std::string_view> memory_names(const Accelerator& accelerator, const MemoryHierarchy& hierarchy,
                                           const std::string& memory_operand) {
  std::vector<std::string_view> names;
  const int operand = hierarchy.operand_index(memory_operand);
  if (operand < 0) return names;
  names.reserve(hierarchy.levels[operand].size());
  for (const int memory : hierarchy.levels[operand]) names.push_back(accelerator.memories[memory].name);
  return names;
}

NestOperand places(const TemporalMapping& mapping, const MemoryOperandLink& link,
                   const std::vector<std::string_view>& names) {
  const int loops = static_cast<int>(mapping.loops.size());
  const auto* operand = find(mapping.operands, link.layer_operand);
  NestOperand nest{link.layer_operand, {}, {}};
  nest.level.reserve(mapping.loops.size());
  nest.memory.reserve(mapping.loops.size());
  for (int loop = loops - 1; loop >= 0; --loop) {
    int level = -1;
    if (operand != nullptr) {
      const auto& cuts = operand->stationary;
      level = static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), loop) - cuts.begin());
    }
    const bool known = level >= 0 && level < static_cast<int>(names.size());
    nest.level.push_back(known ? level : -1);
    nest.memory.push_back(known ? names[level] : std::string_view());
  }
  return nest;
}

void append_range(std::string_view word, std::string_view dimension, std::string_view size,
                  TextBuffer& out) {
  constexpr std::string_view range = " in [0, ";
  char* end = out.room(word.size() + dimension.size() + range.size() + size.size() + 1);
  end = TextBuffer::put(end, word);
  end = TextBuffer::put(end, dimension);
  end = TextBuffer::put(end, range);
  end = TextBuffer::put(end, size);
  *end++ = ')';
  out.end_at(end);
}

}  // namespace

LoopNest loop_nest(const Evaluation& evaluation) {
  LoopNest nest;
  if (!evaluation.layer) return nest;
  nest.spatial = spatial_loops(evaluation);
  if (!evaluation.temporal_mapping) return nest;
  const auto& loops = evaluation.temporal_mapping->loops;
  nest.temporal.assign(loops.rbegin(), loops.rend());
  const Accelerator* const accelerator = evaluation.accelerator.get();
  nest.operands.reserve(evaluation.layer->mapping.links.size());
  for (const MemoryOperandLink& link : evaluation.layer->mapping.links) {
    std::vector<std::string_view> names;
    if (accelerator) names = memory_names(*accelerator, accelerator->hierarchy(), link.memory_operand);
    nest.operands.push_back(places(*evaluation.temporal_mapping, link, names));
  }
  return nest;
}

void append_text(const TemporalLoop& loop, TextBuffer& out) {
  char size[longest_number];
  append_range("for ", loop.dimension, {size, put_integer(size, loop.size)}, out);
}

void append_text(const UnrolledLoop& loop, TextBuffer& out) {
  char factor[longest_number];
  append_range("parfor ", loop.dimension, {factor, put_factor(factor, loop.factor)}, out);
}

}  // namespace zz::core
