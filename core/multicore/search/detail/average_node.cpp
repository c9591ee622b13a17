#include "core/multicore/search/detail/average_node.hpp"

#include <algorithm>

namespace zz::core {
namespace {

constexpr double CoreCost::*figures[] = {&CoreCost::runtime, &CoreCost::onchip_energy,
                                         &CoreCost::offchip_energy, &CoreCost::stream_read_bits,
                                         &CoreCost::stream_write_bits};

/// Whether the core that is the cheapest for nodes of one shape is so for all others.
bool one_core_is_cheapest(const PricedCut& cut) {
  if (cut.costs->on.size() == 1) return true;
  for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape) {
    const std::vector<CoreCost>& on = cut.costs->of(static_cast<int>(shape));
    for (const CoreCost& cost : on)
      for (double CoreCost::*figure : figures)
        if (!cost.streamed.empty() || cost.*figure != on.front().*figure) return false;
  }
  return true;
}

/// What smaller nodes need of a largest one, at least: the least share of any figure on any core.
double least_share(const PricedCut& cut, std::size_t shape) {
  double share = 1;
  for (std::size_t i = 0; i < cut.costs->on.size(); ++i)
    for (double CoreCost::*figure : figures)
      if (const double largest = cut.costs->on[i].*figure; largest > 0)
        share = std::min(share, cut.costs->smaller[shape - 1].on[i].*figure / largest);
  return share;
}

}  // namespace

int all_nodes(const PricedCut& cut) {
  int nodes = 0;
  for (const NodesOfShape& shape : cut.shapes) nodes += shape.nodes;
  return nodes;
}

CoreCost average_node(const PricedCut& cut, std::size_t core) {
  CoreCost average = cut.costs->on[core];
  const bool exact = one_core_is_cheapest(cut);
  for (double CoreCost::*figure : figures) {
    double sum = cut.shapes.front().nodes * average.*figure;
    for (std::size_t shape = 1; shape < cut.shapes.size(); ++shape)
      sum += cut.shapes[shape].nodes * (exact ? cut.costs->smaller[shape - 1].on[core].*figure
                                              : least_share(cut, shape) * average.*figure);
    average.*figure = sum / all_nodes(cut);
  }
  return average;
}

}  // namespace zz::core
