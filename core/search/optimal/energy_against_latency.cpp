#include "core/search/optimal/energy_against_latency.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

double least_above(std::span<const ExchangeLine> lines, const Goal& goal, double energy, double latency) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  energy = std::max(energy, goal.least_energy);
  latency = std::max(latency, goal.least_latency);
  const bool possible = energy < infinity && latency < infinity &&
                        std::all_of(lines.begin(), lines.end(),
                                    [](const ExchangeLine& line) { return line.least < infinity; });
  if (!possible) return infinity;
  // Along the boundary from the least energy on: which line is the highest, and up to where.
  const auto highest_at = [&](double at) {
    const ExchangeLine* highest = nullptr;
    double most = latency;
    for (const ExchangeLine& line : lines) {
      const double there = line.latency_at(at);
      // Of two that meet here, the one that falls less is higher beyond.
      if (there > most || (highest && there == most && line.price > highest->price)) {
        most = there;
        highest = &line;
      }
    }
    return highest;
  };
  double least = infinity;
  for (const ExchangeLine* line = highest_at(energy);;) {
    least = std::min(least, goal.of(energy, line ? std::max(latency, line->latency_at(energy)) : latency));
    if (!line) return least;
    // The next corner: where a flatter line, or the least latency, is reached.
    double next = line->least - line->price * (latency - line->start);
    const ExchangeLine* flatter = nullptr;
    for (const ExchangeLine& other : lines) {
      if (!(other.price > line->price)) continue;
      // latency_at is the same there.
      const double meeting = (other.price * line->least - line->price * other.least +
                              line->price * other.price * (line->start - other.start)) /
                             (other.price - line->price);
      if (meeting < next || (meeting == next && flatter && other.price > flatter->price)) {
        next = meeting;
        flatter = &other;
      }
    }
    // With a limit on the latency, or on the energy, the goal is least where the boundary meets it.
    if (line->latency_at(energy) > goal.most_latency) {
      const double reached = line->least - line->price * (goal.most_latency - line->start);
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

std::vector<WeighedFamilies> EnergyAgainstLatency::sums(const std::vector<LatencyOfFamily>& families,
                                                        bool with_energy,
                                                        const std::vector<double>& prices) {
  std::vector<WeighedFamilies> sums;
  if (with_energy) sums.push_back({1, 0, 0});
  for (const LatencyOfFamily& latency : families) {
    sums.push_back({0, latency.family, 1});
    for (const double price : prices) sums.push_back({1, latency.family, price});
  }
  return sums;
}

std::vector<WeighedFamilies> EnergyAgainstLatency::mixtures(const std::vector<LatencyOfFamily>& families,
                                                            const std::vector<double>& least) {
  constexpr std::size_t most_mixed = 3;
  std::vector<WeighedFamilies> sums;
  for (const LoadingPath path : {LoadingPath::both, LoadingPath::first, LoadingPath::second}) {
    std::vector<LatencyOfFamily> longest;
    for (const LatencyOfFamily& latency : families)
      if (latency.path == path) longest.push_back(latency);
    std::stable_sort(longest.begin(), longest.end(), [&](const auto& a, const auto& b) {
      return a.start + least[a.family] > b.start + least[b.family];
    });
    longest.resize(std::min(longest.size(), most_mixed));
    for (std::size_t i = 0; i < longest.size(); ++i) {
      for (std::size_t j = i + 1; j < longest.size(); ++j) {
        for (const double share : {0.25, 0.5, 0.75})
          sums.push_back({0, longest[i].family, share, longest[j].family, 1 - share});
      }
    }
  }
  return sums;
}

EnergyAgainstLatency::EnergyAgainstLatency(const std::vector<WeighedFamilies>& sums,
                                           const std::vector<LatencyOfFamily>& latencies)
    : sums_(sums), starts_(sums.size(), 0) {
  const auto start_of = [&](std::size_t family) {
    for (const LatencyOfFamily& latency : latencies)
      if (latency.family == family) return latency.start;
    return 0.0;
  };
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].other > 0) starts_[i] = start_of(sums[i].family);
    if (sums[i].third > 0) starts_[i] = sums[i].third * (start_of(sums[i].third_family) - starts_[i]);
  }
}

void EnergyAgainstLatency::raise(double* families, const double* in_one_order) const {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const WeighedFamilies& sum = sums_[i];
    if (sum.first > 0 && sum.other > 0) continue;
    double& family = families[sum.other > 0 ? sum.family : 0];
    family = std::max(family, sum.third > 0 ? in_one_order[i] + starts_[i] : in_one_order[i]);
  }
}

double EnergyAgainstLatency::least(const Goal& goal, double energy, double latency,
                                   const double* in_one_order) const {
  std::array<ExchangeLine, most_sums> lines;
  std::size_t count = 0;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (sums_[i].first == 0 || sums_[i].other == 0) continue;
    const ExchangeLine line = {sums_[i].other, starts_[i], in_one_order[i]};
    if (line.latency_at(energy) > latency) lines[count++] = line;
  }
  return count > 0 ? least_above({lines.data(), count}, goal, energy, latency) : goal.of(energy, latency);
}

}  // namespace zz::core
