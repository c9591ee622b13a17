#include "core/search/optimal/one_time_loads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace zz::core {

OneTimeLoads::OneTimeLoads(const SearchProblem& problem, const PortLoads& loads)
    : problem_(problem), loads_(loads) {
  const std::size_t full = problem.space.lattice().full();
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const int levels = problem.tables.operands[operand].levels;
    std::vector<int> shared_sides(levels, 0);
    for (const TransferLoad& load : loads.loads) {
      if (load.operand == operand && waits_for(load) && problem.tables.ports[load.port].serves_both_inputs)
        ++shared_sides[load.link];
    }
    sharing_[operand].assign(levels, Sharing::individual);
    bool last = true;
    for (int link = levels; operand > 0 && link-- > 1;) {
      if (shared_sides[link] == 2) sharing_[operand][link] = Sharing::shared;
      if (shared_sides[link] != 1) continue;
      const bool forgotten = problem.given.options.zigzag_compat && !last;
      sharing_[operand][link] = forgotten ? Sharing::forgotten : Sharing::half_shared;
      last = false;
    }
    classify(operand);
  }
  for (const TransferLoad& load : loads.loads) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t vector = 0; vector <= full; ++vector) {
      const bool closable = load.link == 0 ? problem.space.all_irrelevant(load.operand, vector)
                                           : problem.fit.fits(load.operand, load.link - 1, vector, false);
      if (!closable || !problem.space.changes_above(load.operand, vector)) continue;
      least = std::min(least, load.bandwidth[vector]);
      most = std::max(most, load.bandwidth[vector]);
    }
    most_bandwidth_.push_back(most);
    least_bandwidth_.push_back(std::isfinite(least) ? least : 0);
  }
}

void OneTimeLoads::classify(int operand) {
  constexpr std::size_t most_classes = 500;
  const std::size_t full = problem_.space.lattice().full();
  std::vector<double> widths;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand == operand && !load.partial_sums_back)
      widths.push_back(problem_.tables.ports[load.port].bandwidth_max);
  }
  std::map<std::vector<double>, std::uint16_t> classes;
  least_first_bits_[operand] = std::numeric_limits<double>::infinity();
  class_of_[operand].assign(full + 1, 0);
  bits_[operand].assign(1, 0);
  all_classified_[operand] = true;
  std::vector<double> cycles(widths.size());
  for (std::size_t vector = 0; vector <= full; ++vector) {
    if (!problem_.fit.fits(operand, 0, vector, false)) continue;
    const double bits = loads_.first_bits[operand][vector];
    least_first_bits_[operand] = std::min(least_first_bits_[operand], bits);
    most_first_bits_[operand] = std::max(most_first_bits_[operand], bits);
    for (std::size_t i = 0; i < widths.size(); ++i) cycles[i] = std::ceil(bits / widths[i]);
    const auto known = classes.find(cycles);
    if (known != classes.end()) {
      class_of_[operand][vector] = known->second;
    } else if (classes.size() < most_classes) {
      class_of_[operand][vector] = static_cast<std::uint16_t>(bits_[operand].size());
      classes.emplace(cycles, class_of_[operand][vector]);
      bits_[operand].push_back(bits);
    } else {
      all_classified_[operand] = false;
    }
  }
}

bool OneTimeLoads::is_once(const Ending& ending, const TransferLoad& load) const {
  if (load.partial_sums_back) return false;
  if (load.link > 0) return load.link > ending[load.operand];
  return load.every_cycle ? loads_.total == 1 : !problem_.space.changes_above(load.operand, 0);
}

}  // namespace zz::core
