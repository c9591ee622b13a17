// How long mappings stall at most, by the sums of LatencyCosts. A port's stalls are what its transfers lack
// one by one, or, where more, all their cycles less those in some window (core/cost/port_stalls.hpp). One
// transfer that may take its whole period makes windows of all cycles of the computation. Without any, all
// transfers are cut short, and their cycles are no less than either figure.

#include <algorithm>
#include <limits>

#include "core/search/optimal/latency_costs.hpp"

namespace zz::core {

void LatencyCosts::bound_stalls_from_above(const std::vector<int>& loaded) {
  constexpr std::size_t most_loaded = 6;
  constexpr std::size_t most_crowded = 5;
  std::vector<int> crowded;
  for (const TransferLoad& load : loads_.loads) {
    bool may_lack = false;
    for (std::size_t vector = 0; vector < problem_.space.lattice().size() && !may_lack; ++vector)
      may_lack = closable(load, vector) && may_lack_second_buffer(load.operand, load.link, vector);
    // Windows that are cut short may leave a port less time, also where each is long enough by itself.
    runs_matter_ = runs_matter_ || may_lack;
    // A transfer alone on its port has its own window.
    if (may_lack && problem_.tables.ports[load.port].services.size() > 1 &&
        std::find(crowded.begin(), crowded.end(), load.port) == crowded.end())
      crowded.push_back(load.port);
  }
  if (loaded.size() > most_loaded || crowded.size() > most_crowded) return;
  stalls_known_from_above_ = true;
  families_.push_back({Kind::stalling});
  for (const int port : loaded) families_.push_back({Kind::unloading, port});
  for (const int port : crowded) {
    families_.push_back({Kind::open, port});
    families_.push_back({Kind::crowding, port});
  }
}

/// The units ask for one portion after the other, and tensors that are moved once may take all the time.
bool LatencyCosts::always_open(int port, const Ending& ending) const {
  const std::size_t full = problem_.space.lattice().full();
  return std::any_of(loads_.loads.begin(), loads_.loads.end(), [&](const TransferLoad& load) {
    if (load.port != port || load.partial_sums_back) return false;
    return load.link == 0 ||
           (once_.is_once(ending, load) && surely_double(load.operand, load.link - 1, full));
  });
}

/// What is missing in own_cost() to the least that any second buffer and any loops below lead to.
double LatencyCosts::least_cost(const Family& family, const TransferLoad& load, std::size_t vector) const {
  if (!family.is_of(load.port) || !may_lack_second_buffer(load.operand, load.link, vector)) return 0;
  const double most = load.cycles[vector] * (loads_.count(load, vector) - 1);
  if (family.kind == Kind::stalling || family.kind == Kind::crowding)
    return -most - own_cost(family, load, vector);
  return family.kind == Kind::open ? -own_cost(family, load, vector) : 0;
}

double LatencyCosts::most_stalls(const double* sums) const {
  if (!stalls_known_from_above_) return std::numeric_limits<double>::infinity();
  double stalls = 0;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const double most = -sums[first_family_ + i];
    if (families_[i].kind == Kind::stalling) stalls = std::max(stalls, most);
    if (families_[i].kind == Kind::unloading) stalls = std::max(stalls, most - loads_.computation);
    // Families of one port are neighbours.
    if (families_[i].kind == Kind::crowding && sums[first_family_ + i - 1] < 0.5)
      stalls = std::max(stalls, most);
  }
  return stalls;
}

}  // namespace zz::core
