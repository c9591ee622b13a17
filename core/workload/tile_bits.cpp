#include "core/workload/tile_bits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

/// The operand has the loop as a dimension: no window slides over it.
bool is_plain(const Layer& layer, int operand, int loop) {
  const auto& dimensions = layer.operands[static_cast<std::size_t>(operand)].dimensions;
  const std::string& name = layer.loops[static_cast<std::size_t>(loop)].name;
  return std::find(dimensions.begin(), dimensions.end(), name) != dimensions.end() &&
         layer.relevancy(operand, loop) != Relevancy::partially_relevant;
}

std::vector<int> plain_loops(const Layer& layer, int operand) {
  std::vector<int> loops;
  for (const std::string& name : layer.operands[static_cast<std::size_t>(operand)].dimensions)
    if (const int loop = layer.loop_index(name); loop >= 0 && is_plain(layer, operand, loop))
      loops.push_back(loop);
  return loops;
}

/// block_loop(), of blocks that can be counted.
int counted_loop(const Layer& layer, int operand, const BlockScale& scale) {
  const int loop = block_loop(layer, operand, scale);
  if (loop >= 0 && is_plain(layer, operand, loop)) return loop;
  std::vector<std::string> names;
  for (const int loop : plain_loops(layer, operand))
    names.push_back(layer.loops[static_cast<std::size_t>(loop)].name);
  const std::string& name = layer.operands[static_cast<std::size_t>(operand)].name;
  if (names.empty())
    throw InputError(
        fmt::format("layer '{}': numbers of {} are in blocks, which need a loop that {} has as a "
                    "dimension: it has none",
                    layer.name, name, name));
  throw InputError(
      fmt::format("layer '{}': blocks of {} are along {}, which is no dimension of it that is a loop; {}",
                  layer.name, name, scale.along, suggestion(scale.along, names)));
}

/// The bounds of searches rest on results that are nowhere wider than the sums that become them.
void check_sums(const Layer& layer) {
  const LayerOperand& sums = layer.operands.front();
  const bool same =
      sums.precision == layer.final_output_precision && sums.scale == layer.final_output_scale;
  const std::int64_t widest = layer.final_output_precision + layer.final_output_scale.bits;
  if (same || widest <= sums.precision) return;
  throw InputError(
      fmt::format("layer '{}': an element of its results has up to {} bits with the scale of its block, "
                  "and a partial sum "
                  "{}; give O at least as many",
                  layer.name, widest, sums.precision));
}

}  // namespace

TileBits::TileBits(const Layer& layer, int operand, bool finished) {
  const LayerOperand& tensor = layer.operands[static_cast<std::size_t>(operand)];
  data_ = static_cast<double>(finished ? layer.final_output_precision : tensor.precision);
  const BlockScale& scale = finished ? layer.final_output_scale : tensor.scale;
  if (!scale.any()) return;
  if (finished && operand == 0) check_sums(layer);
  scale_ = static_cast<double>(scale.bits);
  every_ = static_cast<double>(scale.every);
  loop_ = counted_loop(layer, operand, scale);
}

namespace {

/// Bits of a run of zeros, as in Eyeriss.
constexpr int run_bits = 5;

double bits_of_numbers_up_to(double largest) { return std::ceil(snapped(std::log2(largest + 1))); }

}  // namespace

TileBits::TileBits(const Layer& layer, int operand, bool finished, StoredFormat format, double quantile)
    : TileBits(layer, operand, finished) {
  const std::string& name = layer.operands[static_cast<std::size_t>(operand)].name;
  const auto zeros = std::find_if(layer.sparsity.begin(), layer.sparsity.end(),
                                  [&](const OperandSparsity& one) { return one.operand == name; });
  if (format == StoredFormat::none || zeros == layer.sparsity.end() || (operand == 0 && !finished)) return;
  const ZeroLaw law(*zeros);
  if (!law.any_zeros()) return;
  format_ = format;
  law_ = law;
  quantile_ = quantile;
  if (law.pattern.of > 0) pattern_loop_ = layer.loop_index(zeros->along);
  width_ = nonzero_ = data_;
  if (format == StoredFormat::bitmask) {
    data_ = law.density * nonzero_ + 1;
    return;
  }
  axis_ = scale_axis(layer, operand);
  if (axis_ < 0)
    throw InputError(
        fmt::format("layer '{}': {} is stored in rows along a loop that is a dimension of it, but has "
                    "none; a bitmask needs none",
                    layer.name, name));
  longest_row_ = static_cast<double>(layer.loops[static_cast<std::size_t>(axis_)].size);
  if (format == StoredFormat::coordinates) {
    nonzero_ += bits_of_numbers_up_to(longest_row_ - 1);
    data_ = law.density * nonzero_;
    row_ = bits_of_numbers_up_to(longest_row_);
    return;
  }
  nonzero_ += run_bits;
  row_ = entry_ = nonzero_;
  data_ = 0;
  const double length = std::ldexp(1, run_bits);
  if (law.pattern.of > 0) {
    // No run is too long for one entry.
    if (static_cast<double>(2 * (law.pattern.of - law.pattern.kept)) >= length)
      throw InputError(
          fmt::format("layer '{}': {} of {} has runs of zeros that are longer than {}, which are not "
                      "counted; bitmask and coordinates are",
                      layer.name, zeros->pattern, name, length - 1));
    entries_in_the_long_run_ = law.density;
  } else {
    entries_in_the_long_run_ =
        law.density > 0 ? law.density / -std::expm1(length * std::log1p(-law.density)) : 1 / length;
  }
}

double TileBits::entries(double extent) const {
  if (entry_ == 0) return 0;
  if (law_.pattern.of > 0) return law_.density * extent;
  const double whole = snapped(extent), low = std::floor(whole);
  const double fewer = expected_run_entries(law_.density, low, run_bits);
  return whole == low
             ? fewer
             : fewer + (expected_run_entries(law_.density, low + 1, run_bits) - fewer) * (whole - low);
}

double TileBits::room_in_format(double elements, double rows, double rows_of_pattern) const {
  const double nonzeros = nonzeros_at(law_, elements, rows_of_pattern, quantile_);
  if (format_ == StoredFormat::bitmask) return nonzeros * nonzero_ + elements;
  if (format_ == StoredFormat::coordinates) return nonzeros * nonzero_ + rows * row_;
  return entry_ * most_run_entries(nonzeros, elements, run_bits) + rows * row_;
}

double tensor_bits(const Layer& layer, int operand, bool finished, const Rules& rules) {
  return TileBits(layer, operand, finished)
      .of_tile(static_cast<double>(layer.operand_elements(operand, rules)), [&](int loop) {
        return static_cast<double>(layer.loops[static_cast<std::size_t>(loop)].size);
      });
}

bool has_blocks(const Layer& layer) {
  return layer.final_output_scale.any() ||
         std::any_of(layer.operands.begin(), layer.operands.end(),
                     [](const LayerOperand& operand) { return operand.scale.any(); });
}

int block_loop(const Layer& layer, int operand, const BlockScale& scale) {
  if (!scale.any()) return -1;
  return scale.along.empty() ? scale_axis(layer, operand) : layer.loop_index(scale.along);
}

void name_block_loops(Layer& layer) {
  const auto name = [&](int operand, BlockScale& scale) {
    if (const int loop = block_loop(layer, operand, scale); loop >= 0)
      scale.along = layer.loops[static_cast<std::size_t>(loop)].name;
  };
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand)
    name(operand, layer.operands[static_cast<std::size_t>(operand)].scale);
  if (!layer.operands.empty()) name(0, layer.final_output_scale);
}

int scale_axis(const Layer& layer, int operand) {
  int axis = -1;
  const auto added_up = [&](int loop) {
    if (operand == 0 || layer.relevancy(0, loop) == Relevancy::relevant) return false;
    for (int input = 1; input < static_cast<int>(layer.operands.size()); ++input)
      if (!is_plain(layer, input, loop)) return false;
    return true;
  };
  const std::vector<int> loops = plain_loops(layer, operand);
  for (const int loop : loops)
    if (added_up(loop) && (axis < 0 || layer.loops[static_cast<std::size_t>(loop)].size >
                                           layer.loops[static_cast<std::size_t>(axis)].size))
      axis = loop;
  return axis >= 0 || loops.empty() ? axis : loops.back();
}

}  // namespace zz::core
