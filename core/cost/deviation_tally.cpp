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

std::string advice(std::string_view compat, std::string_view rule, bool refused) {
  const std::string_view original = original_of(compat);
  const std::string what =
      refused ? fmt::format("'zz-host compare' shows what {}'s figures are of what it can do", original)
              : fmt::format("'compat: {}' gives {}'s figures", compat, original);
  return fmt::format("{} (docs/deviations.md, {})", what, rule);
}

}  // namespace

double change(double now, double before) { return before == 0 ? 0 : now / before - 1; }

void DeviationTally::add(const std::vector<std::shared_ptr<const LayerDeviations>>& layers) {
  for (const auto& of_layer : layers) {
    if (!added_.insert(of_layer).second) continue;
    original_refuses_ = original_refuses_ || of_layer->original_refuses;
    const std::string& layer = of_layer->layer;
    for (const Deviation& deviation : of_layer->found) {
      Change& change = changes_[deviation.rule];
      change.member = deviation.member;
      change.what = deviation.what;
      change.of_schedule = of_layer->of_schedule;
      change.layers.insert(layer);
      if (deviation.energy != 0) keep_larger(change.energy, change.of_energy, deviation.energy, layer);
      if (deviation.latency != 0) keep_larger(change.latency, change.of_latency, deviation.latency, layer);
    }
  }
}

std::vector<std::string> DeviationTally::sentences(std::string_view compat, bool compat_is_refused) const {
  const Rules original = rules_of(compat);
  std::vector<std::string> sentences;
  for (const auto& [rule, change] : changes_) {
    if (!(original.*change.member)) continue;
    std::string most;
    const auto add = [&](const char* figure, double largest, const std::string& layer) {
      if (layer.empty()) return;
      most += fmt::format("{} {} by up to {:+.3g} % ({})", most.empty() ? "" : " and", figure,
                          100 * largest, layer);
    };
    add("latency", change.latency, change.of_latency);
    add("energy", change.energy, change.of_energy);
    sentences.push_back(fmt::format("{}: in {} {} {}{} this changes{}; {}", change.what,
                                    change.of_schedule ? "schedules of" : "mappings of",
                                    change.layers.size(), change.of_schedule ? "network" : "layer",
                                    change.layers.size() == 1 ? "" : "s", most,
                                    advice(compat, rule, compat_is_refused || original_refuses_)));
  }
  return sentences;
}

}  // namespace zz::core
