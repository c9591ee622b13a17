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

int loop_of(const Layer& layer, int operand, const std::string& along) {
  if (along.empty()) {
    if (const int axis = scale_axis(layer, operand); axis >= 0) return axis;
  } else if (const int loop = layer.loop_index(along); loop >= 0 && is_plain(layer, operand, loop)) {
    return loop;
  }
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
                  layer.name, name, along, suggestion(along, names)));
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
  loop_ = loop_of(layer, operand, scale.along);
}

double tensor_bits(const Layer& layer, int operand, bool finished, const Rules& rules) {
  return TileBits(layer, operand, finished)
      .of_tile(static_cast<double>(layer.operand_elements(operand, rules)), [&](int loop) {
        return static_cast<double>(layer.loops[static_cast<std::size_t>(loop)].size);
      });
}

void refuse_beside(const Layer& layer, const char* what) {
  const auto refuse = [&](const std::string& operand, const BlockScale& scale) {
    if (scale.any())
      throw InputError(
          fmt::format("layer '{}': numbers of {} are in blocks of {} with a scale of {} bits, which {} "
                      "cannot count; give it a type "
                      "without blocks",
                      layer.name, operand, scale.every, scale.bits, what));
  };
  for (const LayerOperand& operand : layer.operands) refuse(operand.name, operand.scale);
  refuse("O_final", layer.final_output_scale);
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
