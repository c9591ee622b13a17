#include "core/optimum/energy_against_latency.hpp"

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
                                                        const std::vector<double>& prices) {
  std::vector<WeighedFamilies> sums = {{1, 0, 0}};
  for (const LatencyOfFamily& latency : families) {
    sums.push_back({0, latency.family, 1});
    for (const double price : prices) sums.push_back({1, latency.family, price});
  }
  return sums;
}

EnergyAgainstLatency::EnergyAgainstLatency(const std::vector<WeighedFamilies>& sums,
                                           const std::vector<LatencyOfFamily>& latencies)
    : sums_(sums), starts_(sums.size(), 0) {
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (const LatencyOfFamily& latency : latencies)
      if (sums[i].other > 0 && sums[i].family == latency.family) starts_[i] = latency.start;
}

void EnergyAgainstLatency::raise(double* families, const double* in_one_order) const {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const WeighedFamilies& sum = sums_[i];
    if (sum.first > 0 && sum.other > 0) continue;
    double& family = families[sum.other > 0 ? sum.family : 0];
    family = std::max(family, in_one_order[i]);
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
