#include "core/cost/deviation_tally.hpp"

#include <cmath>
#include <fmt/format.h>

namespace zz::core {
namespace {

/// Names break ties, so that the order of threads does not.
void keep_larger(double& largest, std::string& of, double one, const std::string& layer) {
  if (std::abs(one) < std::abs(largest) || (std::abs(one) == std::abs(largest) && of <= layer)) return;
  largest = one;
  of = layer;
}

}  // namespace

void DeviationTally::add(const std::vector<std::shared_ptr<const LayerDeviations>>& layers) {
  for (const auto& of_layer : layers) {
    if (!added_.insert(of_layer).second) continue;
    const std::string& layer = of_layer->layer;
    for (const Deviation& deviation : of_layer->found) {
      Change& change = changes_[deviation.rule];
      change.what = deviation.what;
      change.layers.insert(layer);
      if (deviation.energy != 0) keep_larger(change.energy, change.of_energy, deviation.energy, layer);
      if (deviation.latency != 0) keep_larger(change.latency, change.of_latency, deviation.latency, layer);
    }
  }
}

std::vector<std::string> DeviationTally::sentences() const {
  std::vector<std::string> sentences;
  for (const auto& [rule, change] : changes_) {
    std::string most;
    const auto add = [&](const char* figure, double largest, const std::string& layer) {
      if (layer.empty()) return;
      most += fmt::format("{} {} by up to {:+.3g} % ({})", most.empty() ? "" : " and", figure,
                          100 * largest, layer);
    };
    add("latency", change.latency, change.of_latency);
    add("energy", change.energy, change.of_energy);
    sentences.push_back(
        fmt::format("{}: in mappings of {} layer{} this changes{}; 'compat: zigzag-3.9' gives ZigZag's "
                    "figures (docs/deviations.md, {})",
                    change.what, change.layers.size(), change.layers.size() == 1 ? "" : "s", most, rule));
  }
  return sentences;
}

}  // namespace zz::core
