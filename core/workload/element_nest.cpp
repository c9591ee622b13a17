#include "core/workload/element_nest.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "core/base/text.hpp"

namespace zz::core {
namespace {

constexpr std::size_t most_axes = 4;

std::string bracketed(const std::vector<std::string>& dimensions) {
  std::string text;
  for (const std::string& dimension : dimensions) text += "[" + lower_case(dimension) + "]";
  return text;
}

}  // namespace

std::vector<LoopDimension> ElementNest::loops() const {
  std::vector<LoopDimension> found;
  for (std::size_t i = 0; i < names.size(); ++i) found.push_back({names[i], lengths[i]});
  if (found.size() >= 2) std::swap(found[found.size() - 2], found[found.size() - 1]);
  return found;
}

ElementNest element_nest(std::vector<std::int64_t> shape) {
  static const std::array<std::vector<std::string>, most_axes + 1> names = {
      std::vector<std::string>{"OX"}, {"OX"}, {"OY", "OX"}, {"B", "OY", "OX"}, {"B", "K", "OY", "OX"}};
  while (shape.size() > most_axes) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  ElementNest nest{names[shape.size()], std::move(shape)};
  if (nest.lengths.empty()) nest.lengths = {1};
  return nest;
}

void set_element_work(Layer& layer, const ElementOperand& output, const ElementOperand& input,
                      const ElementOperand& weight) {
  layer.vector_work = true;
  layer.equation = fmt::format("O{} = I{} * W{}", bracketed(output.dimensions), bracketed(input.dimensions),
                               bracketed(weight.dimensions));
  layer.operands = {{"O", output.dimensions, output.bits, false, {}},
                    {"I", input.dimensions, input.bits, false, {}},
                    {"W", weight.dimensions, weight.bits, false, {}}};
  layer.final_output_precision = output.bits;
}

}  // namespace zz::core
