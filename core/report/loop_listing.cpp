#include "core/report/loop_listing.hpp"

#include <algorithm>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "core/report/loop_nest.hpp"
#include "core/text/text_buffer.hpp"

namespace zz::core {
namespace {

constexpr std::size_t indent_step = 2;
constexpr std::size_t column_gap = 5;
/// Of "for  in [0, ):" and a bound of two digits.
constexpr std::size_t words_of_a_loop = 14;

/// A table of one wide column and one for each operand. Cells that are too long push the others out.
class Listing {
 public:
  Listing(std::size_t loop_width, std::size_t memory_width, std::size_t operands)
      : loop_width_(loop_width), memory_width_(memory_width), operands_(operands) {}

  void row(std::string_view loop, const std::vector<std::string_view>& memories) {
    cell(loop, loop_width_);
    for (std::size_t operand = 0; operand < operands_; ++operand)
      cell(operand < memories.size() ? memories[operand] : std::string_view(), memory_width_);
    text_.append('\n');
  }
  void rule(char line) {
    text_.append(loop_width_ + operands_ * memory_width_, line);
    text_.append('\n');
  }
  void header(std::string_view title, const std::vector<std::string_view>& operands) {
    rule('=');
    row(title, operands);
    rule('=');
  }
  void line(std::string_view text) {
    text_.append(text);
    text_.append('\n');
  }
  std::string text() && { return std::move(text_).text(); }

 private:
  static constexpr std::size_t usual_size = 1600;

  void cell(std::string_view text, std::size_t width) {
    const bool one_column_each =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!one_column_each) {
      text_.append(fmt::format("{:<{}}", text, width));
      return;
    }
    text_.append(text);
    if (text.size() < width) text_.append(width - text.size(), ' ');
  }

  std::size_t loop_width_, memory_width_, operands_;
  TextBuffer text_{usual_size};
};

std::size_t loop_width(const LoopNest& nest) {
  std::size_t longest = 0;
  for (const TemporalLoop& loop : nest.temporal) longest = std::max(longest, loop.dimension.size());
  return longest + words_of_a_loop + indent_step * (nest.temporal.size() + nest.spatial.size()) +
         column_gap;
}

std::size_t memory_width(const LoopNest& nest) {
  std::size_t longest = 0;
  for (const NestOperand& operand : nest.operands)
    for (const std::string_view memory : operand.memory) longest = std::max(longest, memory.size());
  return longest + column_gap;
}

}  // namespace

std::string loop_listing(const Evaluation& evaluation) {
  if (!evaluation.layer) return "";
  const LoopNest nest = loop_nest(evaluation);
  std::vector<std::string_view> operands;
  for (const MemoryOperandLink& link : evaluation.layer->mapping.links)
    operands.push_back(link.layer_operand);

  Listing listing(loop_width(nest), memory_width(nest), operands.size());
  listing.line("Loop ordering for " + evaluation.layer->name);
  listing.header("Temporal Loops", operands);
  std::string indent;
  std::vector<std::string_view> memories;
  for (std::size_t loop = 0; loop < nest.temporal.size(); ++loop) {
    memories.clear();
    for (const NestOperand& operand : nest.operands) memories.push_back(operand.memory[loop]);
    listing.row(fmt::format(FMT_COMPILE("{}for {} in [0, {}):"), indent, nest.temporal[loop].dimension,
                            nest.temporal[loop].size),
                memories);
    listing.rule('-');
    indent.append(indent_step, ' ');
  }
  listing.header("Spatial Loops", {});
  for (const UnrolledLoop& loop : nest.spatial) {
    listing.row(fmt::format(FMT_COMPILE("{}parfor {} in [0, {}):"), indent, loop.dimension, loop.factor),
                {});
    listing.rule('-');
  }
  listing.line("");
  return std::move(listing).text();
}

}  // namespace zz::core
