#include "core/hardware/layer_numbers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hardware/layer_sparsity.hpp"
#include "core/workload/layer_precision.hpp"

namespace zz::core {

std::string leave_out_scales_on(Layer& layer, const OperationalArray& array, const std::string& no_scales) {
  if (no_scales.empty() && !array.imc) {
    const bool taken = array.converts || leave_out_scales(layer, array.operand_precision).empty();
    return taken ? ""
                 : "the units take other numbers; `converts: true` in the operational_array counts them";
  }
  std::vector<OperandPrecision> bare;
  for (const std::string& operand : layer.assumed_scales) bare.push_back({operand, 0});
  if (leave_out_scales(layer, bare).empty()) return "";
  return no_scales.empty() ? "an array that computes in memory keeps none" : no_scales;
}

NumbersOfUnits adopt_numbers(Layer& layer, const Accelerator& accelerator, const OperationalArray& units,
                             const std::string& no_scales) {
  NumbersOfUnits numbers;
  adopt_sparsity(layer, accelerator);
  numbers.adopted = adopt_precision(layer, units.operand_precision);
  numbers.why_without_scales = leave_out_scales_on(layer, units, no_scales);
  return numbers;
}

void IgnoredScales::add(const std::string& layer, const std::string& why) {
  if (why.empty()) return;
  auto own = std::find_if(layers_of_.begin(), layers_of_.end(),
                          [&](const auto& reason) { return reason.first == why; });
  if (own == layers_of_.end()) own = layers_of_.insert(own, {why, {}});
  std::vector<std::string>& layers = own->second;
  if (std::find(layers.begin(), layers.end(), layer) == layers.end()) layers.push_back(layer);
}

std::vector<std::string> IgnoredScales::sentences() const {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> told;
  for (const auto& [why, layers] : layers_of_) {
    const std::size_t named = std::min(most_named, layers.size());
    const std::string names = fmt::format(
        " ({}{})", fmt::join(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(named), ", "),
        layers.size() > named ? ", ..." : "");
    told.push_back(fmt::format(
        "the scales of the blocks of {} layer{}{}, which the network's file has, do not count: {}",
        layers.size(), layers.size() == 1 ? "" : "s", layers_of_.size() > 1 ? names : "", why));
  }
  return told;
}

}  // namespace zz::core
