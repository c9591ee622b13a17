#include "core/search/fused/group_savings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"

namespace zz::core {
namespace {

/// pJ of each operand at all its memories.
std::vector<double> energies_of(const MappingProblem& problem, const CompactMapping& mapping) {
  const Evaluation evaluation = model_of(problem).evaluate(
      std::make_shared<const TemporalMapping>(readable(mapping, *problem.layer, *problem.fractional)));
  std::vector<double> energies;
  for (const OperandCost& operand : evaluation.operands) {
    energies.push_back(0);
    for (const LevelCost& level : operand.levels) energies.back() += level.energy;
  }
  return energies;
}

/// Whose tensor the operand of a layer is.
std::string tensor_name(const FusedNetwork& network, int layer, std::size_t operand) {
  const int tensor = network.tensor_at(layer, static_cast<int>(operand));
  const auto name = [&](int index) { return network.layers[index].layer->name; };
  if (tensor >= 0) return name(network.tensors[tensor].producer);
  const Layer& own = *network.layers[layer].layer;
  return fmt::format("{}.{}", name(layer), own.operands[operand].name);
}

}  // namespace

std::vector<TensorSaving> savings_of(const FusedNetwork& network, const FusedMapping& mapping,
                                     const FusedGroup& group) {
  std::map<std::string, double> by_tensor;
  for (int layer = group.first; layer <= group.last; ++layer) {
    const NetworkLayer& own = network.layers[layer];
    const FusedLayer& member = mapping.layers[layer];
    const std::vector<double> alone = energies_of(own.by_itself->problem, own.by_itself->mapping);
    const std::vector<double> fused = energies_of(member.problem, member.mapping);
    for (std::size_t operand = 0; operand < fused.size(); ++operand)
      by_tensor[tensor_name(network, layer, operand)] += alone[operand] - fused[operand];
  }
  std::vector<TensorSaving> savings;
  double largest = 0;
  for (const auto& [tensor, saved] : by_tensor) {
    savings.push_back({tensor, saved});
    largest = std::max(largest, std::abs(saved));
  }
  std::erase_if(savings, [&](const TensorSaving& one) {
    return std::abs(one.saved) <= rounding_tolerance * largest;
  });
  std::stable_sort(savings.begin(), savings.end(), [](const TensorSaving& a, const TensorSaving& b) {
    return std::abs(a.saved) > std::abs(b.saved);
  });
  return savings;
}

}  // namespace zz::core
