#include "core/output/loop_nest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <utility>

#include "core/cost/rounding.hpp"
#include "core/hardware/memory_hierarchy.hpp"

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

NestOperand memories_of(const TemporalMapping& mapping, const std::string& name,
                        const std::vector<std::string_view>& names) {
  const int loops = static_cast<int>(mapping.loops.size());
  const auto* operand = find(mapping.operands, name);
  NestOperand nest{name, {}, {}};
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

/// LoopNest::last_tile: the outermost loop of a dimension ends with its rounds.
std::vector<std::int64_t> last_tiles(const Evaluation& evaluation) {
  const std::vector<TemporalLoop>& loops = evaluation.temporal_mapping->loops;
  std::vector<std::int64_t> last(loops.size(), 0);
  if (!evaluation.spatial_mapping || evaluation.spatial_mapping->operands.empty()) return last;
  // ZigZag and Stream count whole tiles.
  if (evaluation.cost_model && gives_original_figures(evaluation.cost_model->rules)) return last;
  for (const LoopDimension& dimension : evaluation.layer->loops) {
    double units = 1;
    for (const auto& level : evaluation.spatial_mapping->operands.front().levels)
      for (const UnrolledLoop& loop : level)
        if (loop.dimension == dimension.name) units *= loop.factor;
    const auto rounds = static_cast<std::int64_t>(rounds_of(static_cast<double>(dimension.size), units));
    std::int64_t tile = 1;
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
      if (loops[loop].dimension != dimension.name) continue;
      if (tile < rounds && tile * loops[loop].size > rounds)
        last[loops.size() - 1 - loop] = rounds - (loops[loop].size - 1) * tile;
      tile *= loops[loop].size;
    }
  }
  return last;
}

constexpr std::size_t indent_step = 2;
constexpr std::size_t column_gap = 5;

/// A table of one wide column for the loops and one column for each operand. Cells that are too long push
/// the others out.
class Listing {
 public:
  Listing(const LoopNest& nest, std::vector<std::string_view> operands) : operands_(std::move(operands)) {
    constexpr std::size_t words_of_a_loop = 14;  // of "for  in [0, ):" and a bound of two digits
    std::size_t longest_dimension = 0, longest_memory = 0;
    for (const TemporalLoop& loop : nest.temporal)
      longest_dimension = std::max(longest_dimension, loop.dimension.size());
    for (const NestOperand& operand : nest.operands)
      for (const std::string_view memory : operand.memory)
        longest_memory = std::max(longest_memory, memory.size());
    loop_width_ = longest_dimension + words_of_a_loop +
                  indent_step * (nest.temporal.size() + nest.spatial.size()) + column_gap;
    memory_width_ = longest_memory + column_gap;
  }

  void line(std::string_view text) { text_.append(text).append(1, '\n'); }
  void header(std::string_view title, bool with_operands) {
    rule('=');
    row(title, with_operands ? operands_ : std::vector<std::string_view>());
    rule('=');
  }
  void add(std::size_t indent, const std::string& loop, const std::vector<std::string_view>& memories) {
    row(std::string(indent, ' ') + loop + ":", memories);
    rule('-');
  }
  std::string text() && { return std::move(text_); }

 private:
  void row(std::string_view first, const std::vector<std::string_view>& memories) {
    const auto cell = [this](std::string_view text, std::size_t width) {
      fmt::format_to(std::back_inserter(text_), "{:<{}}", text, width);
    };
    cell(first, loop_width_);
    for (std::size_t i = 0; i < operands_.size(); ++i)
      cell(i < memories.size() ? memories[i] : std::string_view(), memory_width_);
    text_ += '\n';
  }
  void rule(char line) {
    text_.append(loop_width_ + operands_.size() * memory_width_, line).append(1, '\n');
  }

  std::vector<std::string_view> operands_;
  std::size_t loop_width_ = 0, memory_width_ = 0;
  std::string text_;
};

}  // namespace

LoopNest loop_nest(const Evaluation& evaluation) {
  LoopNest nest;
  if (!evaluation.layer) return nest;
  nest.spatial = spatial_loops(evaluation);
  if (!evaluation.temporal_mapping) return nest;
  const auto& loops = evaluation.temporal_mapping->loops;
  nest.temporal.assign(loops.rbegin(), loops.rend());
  nest.last_tile = last_tiles(evaluation);
  const Accelerator* const accelerator = evaluation.accelerator.get();
  nest.operands.reserve(evaluation.layer->mapping.memory_operands.size());
  for (const OperandAssignment& one : evaluation.layer->mapping.memory_operands) {
    std::vector<std::string_view> names;
    if (accelerator) names = memory_names(*accelerator, accelerator->hierarchy(), one.memory_operand);
    nest.operands.push_back(memories_of(*evaluation.temporal_mapping, one.layer_operand, names));
  }
  return nest;
}

std::string loop_text(const LoopNest& nest, std::size_t loop) {
  const TemporalLoop& one = nest.temporal[loop];
  const std::string text = fmt::format("for {} in [0, {})", one.dimension, one.size);
  return nest.last_tile[loop] == 0 ? text : text + fmt::format(", the last of {}", nest.last_tile[loop]);
}

std::string loop_text(const UnrolledLoop& loop) {
  return fmt::format("parfor {} in [0, {})", loop.dimension, loop.factor);
}

std::string loop_listing(const Evaluation& evaluation) {
  if (!evaluation.layer) return "";
  const LoopNest nest = loop_nest(evaluation);
  std::vector<std::string_view> operands;
  for (const OperandAssignment& one : evaluation.layer->mapping.memory_operands)
    operands.push_back(one.layer_operand);

  Listing listing(nest, std::move(operands));
  listing.line("Loop ordering for " + evaluation.layer->name);
  listing.header("Temporal Loops", true);
  std::size_t indent = 0;
  for (std::size_t loop = 0; loop < nest.temporal.size(); ++loop) {
    std::vector<std::string_view> memories;
    for (const NestOperand& operand : nest.operands) memories.push_back(operand.memory[loop]);
    listing.add(indent, loop_text(nest, loop), memories);
    indent += indent_step;
  }
  listing.header("Spatial Loops", false);
  for (const UnrolledLoop& loop : nest.spatial) listing.add(indent, loop_text(loop), {});
  listing.line("");
  return std::move(listing).text();
}

}  // namespace zz::core
