#include "core/search/optimal/detail/lagrangian_bound.hpp"

#include <algorithm>

namespace zz::core {

double least_above(std::span<const LagrangianLine> lines, const Goal& goal, double energy, double latency) {
  energy = std::max(energy, goal.least_energy);
  latency = std::max(latency, goal.least_latency);
  const bool possible = energy < infinite && latency < infinite &&
                        std::all_of(lines.begin(), lines.end(),
                                    [](const LagrangianLine& line) { return line.least < infinite; });
  if (!possible) return infinite;
  // Walks the boundary of the region from the least energy on, from corner to corner.
  const auto highest_at = [&](double at) {
    const LagrangianLine* highest = nullptr;
    double most = latency;
    for (const LagrangianLine& line : lines) {
      const double there = line.latency_at(at);
      // The flatter of two lines that meet here is higher beyond.
      if (there > most || (highest && there == most && line.multiplier > highest->multiplier)) {
        most = there;
        highest = &line;
      }
    }
    return highest;
  };
  double least = infinite;
  for (const LagrangianLine* line = highest_at(energy);;) {
    least = std::min(least, goal.of(energy, line ? std::max(latency, line->latency_at(energy)) : latency));
    if (!line) return least;
    // The next corner is where a flatter line, or the least latency, is reached.
    double next = line->least - line->multiplier * (latency - line->offset);
    const LagrangianLine* flatter = nullptr;
    for (const LagrangianLine& other : lines) {
      if (!(other.multiplier > line->multiplier)) continue;
      // Both lines have the same latency there.
      const double meeting = (other.multiplier * line->least - line->multiplier * other.least +
                              line->multiplier * other.multiplier * (line->offset - other.offset)) /
                             (other.multiplier - line->multiplier);
      if (meeting < next || (meeting == next && flatter && other.multiplier > flatter->multiplier)) {
        next = meeting;
        flatter = &other;
      }
    }
    // With a limit of the latency, or the energy, the goal may be least where the line meets it.
    if (line->latency_at(energy) > goal.most_latency) {
      const double reached = line->least - line->multiplier * (goal.most_latency - line->offset);
      if (reached <= next) least = std::min(least, goal.of(std::max(energy, reached), goal.most_latency));
    }
    if (next > goal.most_energy) {
      return std::min(least,
                      goal.of(goal.most_energy, std::max(latency, line->latency_at(goal.most_energy))));
    }
    energy = std::max(energy, next);
    line = flatter;
  }
}

std::vector<WeightedSum> LagrangianBound::sums(const std::vector<LatencyComponent>& components,
                                               bool with_energy, const std::vector<double>& multipliers) {
  std::vector<WeightedSum> sums;
  if (with_energy) sums.push_back({1, 0, 0});
  for (const LatencyComponent& latency : components) {
    sums.push_back({0, latency.component, 1});
    for (const double multiplier : multipliers) sums.push_back({1, latency.component, multiplier});
  }
  return sums;
}

std::vector<WeightedSum> LagrangianBound::mixtures(const std::vector<LatencyComponent>& components,
                                                   const std::vector<double>& least) {
  constexpr std::size_t most_mixed = 3;
  std::vector<WeightedSum> sums;
  for (const LoadingPath path : {LoadingPath::both, LoadingPath::first, LoadingPath::second}) {
    std::vector<LatencyComponent> longest;
    for (const LatencyComponent& latency : components)
      if (latency.path == path) longest.push_back(latency);
    std::stable_sort(longest.begin(), longest.end(), [&](const auto& a, const auto& b) {
      return a.offset + least[a.component] > b.offset + least[b.component];
    });
    longest.resize(std::min(longest.size(), most_mixed));
    for (std::size_t i = 0; i < longest.size(); ++i) {
      for (std::size_t j = i + 1; j < longest.size(); ++j) {
        for (const double share : {0.25, 0.5, 0.75})
          sums.push_back({0, longest[i].component, share, longest[j].component, 1 - share});
      }
    }
  }
  return sums;
}

LagrangianBound::LagrangianBound(const std::vector<WeightedSum>& sums,
                                 const std::vector<LatencyComponent>& latencies)
    : sums_(sums), offsets_(sums.size(), 0) {
  const auto offset_of = [&](std::size_t component) {
    for (const LatencyComponent& latency : latencies)
      if (latency.component == component) return latency.offset;
    return 0.0;
  };
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].weight > 0) offsets_[i] = offset_of(sums[i].component);
    if (sums[i].other_weight > 0)
      offsets_[i] = sums[i].other_weight * (offset_of(sums[i].other) - offsets_[i]);
  }
}

void LagrangianBound::raise(double* components, const double* joint) const {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const WeightedSum& sum = sums_[i];
    if (sum.energy_weight > 0 && sum.weight > 0) continue;
    double& component = components[sum.weight > 0 ? sum.component : 0];
    component = std::max(component, sum.other_weight > 0 ? joint[i] + offsets_[i] : joint[i]);
  }
}

double LagrangianBound::least(const Goal& goal, double energy, double latency, const double* joint) const {
  std::array<LagrangianLine, max_sums> lines;
  std::size_t count = 0;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (sums_[i].energy_weight == 0 || sums_[i].weight == 0) continue;
    const LagrangianLine line = {sums_[i].weight, offsets_[i], joint[i]};
    if (line.latency_at(energy) > latency) lines[count++] = line;
  }
  return count > 0 ? least_above({lines.data(), count}, goal, energy, latency) : goal.of(energy, latency);
}

}  // namespace zz::core
