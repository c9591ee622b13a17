#include "core/output/loop_listing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "core/output/loop_nest.hpp"
#include "core/text/plain_text.hpp"
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

  void row(std::string_view title, const std::vector<std::string_view>& memories) {
    const std::size_t begin = text_.size();
    text_.append(title);
    fill(begin, memories);
  }
  template <class Loop>
  void row(std::size_t indent, const Loop& loop, const std::vector<std::string_view>& memories) {
    const std::size_t begin = text_.size();
    text_.append(indent, ' ');
    append_text(loop, text_);
    text_.append(':');
    fill(begin, memories);
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

  /// Ends a row of which the first cell begins there.
  void fill(std::size_t begin, const std::vector<std::string_view>& memories) {
    pad(begin, loop_width_);
    for (std::size_t operand = 0; operand < operands_; ++operand) {
      begin = text_.size();
      if (operand < memories.size()) text_.append(memories[operand]);
      pad(begin, memory_width_);
    }
    text_.append('\n');
  }
  /// Ends a cell that begins there.
  void pad(std::size_t begin, std::size_t width) {
    const std::string_view text = text_.view().substr(begin);
    if (is_plain(text)) {
      if (text.size() < width) text_.append(width - text.size(), ' ');
      return;
    }
    const std::string padded = fmt::format("{:<{}}", text, width);
    text_.end_at(text.data());
    text_.append(padded);
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
  std::size_t indent = 0;
  std::vector<std::string_view> memories;
  for (std::size_t loop = 0; loop < nest.temporal.size(); ++loop) {
    memories.clear();
    for (const NestOperand& operand : nest.operands) memories.push_back(operand.memory[loop]);
    listing.row(indent, nest.temporal[loop], memories);
    listing.rule('-');
    indent += indent_step;
  }
  listing.header("Spatial Loops", {});
  for (const UnrolledLoop& loop : nest.spatial) {
    listing.row(indent, loop, {});
    listing.rule('-');
  }
  listing.line("");
  return std::move(listing).text();
}

}  // namespace zz::core
