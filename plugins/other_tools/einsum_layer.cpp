#include "plugins/other_tools/einsum_layer.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/workload/layer_check.hpp"

namespace zz::plugins {
namespace {

class LayerOfEinsum {
 public:
  LayerOfEinsum(const Einsum& einsum, core::Diagnostics& diagnostics)
      : einsum_(einsum), diagnostics_(diagnostics) {}

  core::Layer build() {
    layer_.id = einsum_.id;
    layer_.name = einsum_.name;
    layer_.type = einsum_.type;
    layer_.loops = einsum_.loops;
    const std::size_t before = diagnostics_.all().size();
    add_operand("O", einsum_.output);
    add_operand("I", einsum_.input);
    add_operand("W", einsum_.weight);
    layer_.final_output_precision = einsum_.output.bits;
    layer_.source_order = {2, 1};
    layer_.mapping.name = einsum_.name;
    layer_.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
    layer_.equation = equation();
    if (diagnostics_.all().size() == before) check();
    return std::move(layer_);
  }

 private:
  void add_operand(const std::string& operand, const EinsumTensor& tensor) {
    core::LayerOperand made;
    made.name = operand;
    made.precision = tensor.sum_bits.value_or(tensor.bits);
    made.constant = tensor.constant;
    made.sources = tensor.sources;
    for (const auto& axis : tensor.axes) made.dimensions.push_back(dimension(tensor, axis));
    if (&tensor == &einsum_.weight)
      made.dimensions.insert(made.dimensions.end(), windows_of_one_.begin(), windows_of_one_.end());
    layer_.operands.push_back(std::move(made));
  }

  std::string dimension(const EinsumTensor& tensor, const std::vector<IndexTerm>& axis) {
    for (const IndexTerm& term : axis) {
      if (layer_.loop_index(term.loop) < 0) {
        refuse(tensor, fmt::format("is indexed by '{}', which is no loop", term.loop));
        return "";
      }
    }
    if (axis.size() == 1 && axis[0].factor == 1) return axis[0].loop;
    if (axis.size() == 1 && axis[0].factor > 1 && &tensor == &einsum_.input)
      return relation(tensor, axis[0], {1, window_of_one(axis[0].loop)});
    if (axis.size() != 2) {
      refuse(tensor, "has an axis that is neither a loop nor a sum of two loops");
      return "";
    }
    if (&tensor == &einsum_.output) {
      refuse(tensor, "is the result, and one of its axes is a sum of loops");
      return "";
    }
    return relation(tensor, axis[0], axis[1]);
  }

  /// Windows of one element that are a stride apart, as those of a convolution with filters of one element:
  /// the loop over them has one iteration, and weights an axis for it.
  std::string window_of_one(const std::string& loop) {
    const std::string made = "F" + loop;
    if (layer_.loop_index(made) >= 0)
      refuse(einsum_.input, fmt::format("needs the name '{}' for a loop, but another has it", made));
    else
      layer_.loops.push_back({made, 1});
    windows_of_one_.push_back(made);
    return made;
  }

  std::string relation(const EinsumTensor& tensor, IndexTerm of_output, IndexTerm of_filter) {
    const auto in_output = [&](const IndexTerm& term) {
      const auto& axes = einsum_.output.axes;
      return std::any_of(axes.begin(), axes.end(), [&](const std::vector<IndexTerm>& axis) {
        return axis.size() == 1 && axis[0].loop == term.loop;
      });
    };
    if (!in_output(of_output)) std::swap(of_output, of_filter);
    if (!in_output(of_output) || in_output(of_filter)) {
      refuse(tensor, fmt::format("has an axis with {} and {}, of which not exactly one is an axis of '{}'",
                                 of_output.loop, of_filter.loop, einsum_.output.name));
      return "";
    }
    core::DimensionRelation made;
    made.data = "I" + of_output.loop;
    made.stride = of_output.factor;
    made.output_loop = of_output.loop;
    made.dilation = of_filter.factor;
    made.filter_loop = of_filter.loop;
    made.size = made.stride * (layer_.loop_size(of_output.loop) - 1) +
                made.dilation * (layer_.loop_size(of_filter.loop) - 1) + 1;
    if (layer_.loop_index(made.data) >= 0)
      refuse(tensor, fmt::format("needs the name '{}' for an axis, but a loop has it", made.data));
    layer_.relations.push_back(made);
    return made.data;
  }

  std::string equation() const {
    const auto text = [&](int operand) {
      const core::LayerOperand& one = layer_.operands[static_cast<std::size_t>(operand)];
      std::string made = one.name;
      for (const std::string& dimension : one.dimensions) made += "[" + core::lower_case(dimension) + "]";
      return made;
    };
    return text(0) + " = " + text(1) + " * " + text(2);
  }

  void check() {
    std::vector<core::LayerProblem> problems = core::loop_problems(layer_);
    if (problems.empty()) problems = core::operand_problems(layer_);
    for (const core::LayerProblem& problem : problems)
      diagnostics_.error(einsum_.mark, fmt::format("the layer '{}' {}", einsum_.name, problem.what),
                         problem.hint);
  }

  void refuse(const EinsumTensor& tensor, const std::string& what) {
    diagnostics_.error(tensor.mark.file.empty() ? einsum_.mark : tensor.mark,
                       fmt::format("the tensor '{}' of '{}' {}", tensor.name, einsum_.name, what),
                       "an axis is one loop, or a sum of a loop of the result and one that is summed over");
  }

  const Einsum& einsum_;
  core::Diagnostics& diagnostics_;
  core::Layer layer_;
  std::vector<std::string> windows_of_one_;
};

}  // namespace

core::Layer layer_of(const Einsum& einsum, core::Diagnostics& diagnostics) {
  return LayerOfEinsum(einsum, diagnostics).build();
}

}  // namespace zz::plugins
