#include "core/search/optimal/latency_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

LatencyCosts::LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LinkCosts* energy,
                           StallsKnown known)
    : problem_(problem), loads_(loads), once_(problem, loads), first_family_(energy ? 1 : 0) {
  find_stores();
  choose_families(known);
  costs_.compared = static_cast<int>(first_family_ + families_.size());
  add_sums_of_families();
  const std::size_t vectors = problem.space.lattice().size();
  const std::size_t width = first_family_ + families_.size();
  costs_.families = static_cast<int>(width);
  costs_.constant.assign(width, 0);
  if (energy) {
    energy_constant_ = energy->constant[0];
    energy_endings_ = energy->endings;
  }
  LinkCosts::Links links;
  LinkCosts::Links least_links;
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const int levels = problem.tables.operands[operand].levels;
    links[operand].assign(levels, std::vector<double>(vectors * width));
    if (stalls_known_from_above_) least_links[operand].resize(levels);
    costs_.endings[operand].assign(levels, std::vector<double>(width));
    least_[operand].assign(levels, std::vector<double>(width));
    for (int link = 0; link < levels; ++link) {
      auto& table = links[operand][link];
      std::vector<const TransferLoad*> crossing;
      for (const TransferLoad& load : loads.loads)
        if (load.operand == operand && load.link == link) crossing.push_back(&load);
      // What adds to a family here: transfers of its port, the cycles that are waited for, or both.
      std::vector<std::pair<std::size_t, const TransferLoad*>> of_port;
      std::vector<std::size_t> of_waiting;
      std::vector<std::pair<std::size_t, std::size_t>> together;  // and the sum of a port in it
      const Sharing sharing = once_.sharing(operand, link);
      for (std::size_t i = 0; i < families_.size(); ++i) {
        const Family& family = families_[i];
        for (const TransferLoad* load : crossing)
          if (family.is_of(load->port)) of_port.emplace_back(first_family_ + i, load);
        bool counts = operand == 0 || operand == (family.path == LoadingPath::first ? 1 : 2);
        counts = counts && family.kind == Kind::together && sharing != Sharing::forgotten;
        counts = counts ||
                 (family.kind == Kind::waiting && family.operand == operand && family.sharing == sharing);
        if (counts && link > 0) of_waiting.push_back(first_family_ + i);
        if (family.kind == Kind::together)
          together.emplace_back(first_family_ + i,
                                first_family_ + static_cast<std::size_t>(family.of_port));
      }
      for (std::size_t vector = 0; vector < vectors; ++vector) {
        double* const costs = &table[vector * width];
        if (energy) costs[0] = (*energy->links)[operand][link][vector];
        for (const auto& [sum, load] : of_port)
          costs[sum] += own_cost(families_[sum - first_family_], *load, vector);
        for (const auto& [sum, port] : together) costs[sum] = costs[port];
        double waiting = 0;  // cycles of the slower side
        for (const TransferLoad* load : crossing)
          if (OneTimeLoads::waits_for(*load)) waiting = std::max(waiting, load->cycles[vector]);
        for (const std::size_t sum : of_waiting) costs[sum] += waiting;
      }
      auto& lowest = stalls_known_from_above_ ? least_links[operand][link] : table;
      if (stalls_known_from_above_) {
        lowest = table;
        for (std::size_t vector = 0; vector < vectors; ++vector) {
          for (const TransferLoad& load : loads.loads) {
            if (load.operand != operand || load.link != link) continue;
            for (std::size_t i = 0; i < families_.size(); ++i)
              lowest[vector * width + first_family_ + i] += least_cost(families_[i], load, vector);
          }
        }
      }
      if (link == 0) {
        // Closed or not, it costs no less than nothing, but for what is negative.
        for (std::size_t vector = 0; vector < vectors; ++vector) {
          if (!problem.space.all_irrelevant(operand, vector)) continue;
          for (std::size_t i = 0; i < width; ++i)
            least_[operand][0][i] = std::min(least_[operand][0][i], lowest[vector * width + i]);
        }
        continue;
      }
      std::vector<double> least(width, infinity);
      for (std::size_t vector = 0; vector < vectors; ++vector) {
        if (!problem.fit.fits(operand, link - 1, vector, false) ||
            !problem.space.changes_above(operand, vector))
          continue;
        for (std::size_t i = 0; i < width; ++i) least[i] = std::min(least[i], lowest[vector * width + i]);
      }
      for (std::size_t i = 0; i < width; ++i)
        least_[operand][link][i] = least_[operand][link - 1][i] + least[i];
    }
  }
  costs_.links = std::make_shared<const LinkCosts::Links>(std::move(links));
  least_costs_ = costs_;
  if (stalls_known_from_above_)
    least_costs_.links = std::make_shared<const LinkCosts::Links>(std::move(least_links));
}

void LatencyCosts::choose_families(StallsKnown known) {
  // Leaving a family out loosens the bound and nothing else. The ports of outer memories, which come last,
  // are mostly the narrow ones.
  const int ports = static_cast<int>(problem_.tables.ports.size());
  const std::size_t full = problem_.space.lattice().full();
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    const int levels = problem_.tables.operands[operand].levels;
    for (const Sharing sharing : {Sharing::individual, Sharing::half_shared, Sharing::shared}) {
      bool any = false;
      for (int link = 1; link < levels; ++link) any = any || once_.sharing(operand, link) == sharing;
      if (any) families_.push_back({Kind::waiting, -1, operand, sharing});
    }
  }
  required_of_port_.assign(ports, -1);
  first_required_ = families_.size();
  std::vector<std::pair<double, int>> busiest;
  for (int port = 0; port < ports; ++port) {
    double cycles = 0;
    bool repeats = false;
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port || load.partial_sums_back) continue;
      for (std::size_t vector = 0; vector < full; ++vector)
        repeats = repeats || (closable(load, vector) && load.bandwidth[vector] > 0);
      if (load.link > 0 && problem_.fit.fits(load.operand, load.link - 1, full, false))
        cycles += load.cycles[full];
    }
    if (repeats && cycles >= 1e-3 * loads_.computation) busiest.emplace_back(-cycles, port);
  }
  std::sort(busiest.begin(), busiest.end());
  for (const auto& [cycles, port] : busiest) {
    if (families_.size() - first_required_ >= 6) break;
    required_of_port_[port] = static_cast<int>(families_.size() - first_required_);
    families_.push_back({Kind::required, port});
  }
  std::vector<int> stalling, loaded;
  for (int port = ports; port-- > 0;) {
    bool stalls = false;
    double most_load = 0;
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port) continue;
      double most = 0;
      for (std::size_t vector = 0; vector <= full; ++vector) {
        if (!closable(load, vector)) continue;
        most = std::max(most, own_cost({Kind::load, port}, load, vector));
        stalls = stalls || own_cost({Kind::stalls, port}, load, vector) > 0;
        if (load.cycles[vector] > 1 && may_lack_second_buffer(load.operand, load.link, vector))
          stalls = runs_matter_ = true;
      }
      most_load += most;
    }
    if (stalls) stalling.push_back(port);
    if (most_load > loads_.computation && problem_.tables.ports[port].services.size() > 1)
      loaded.push_back(port);
    if (most_load > loads_.longest_windows && problem_.tables.ports[port].services.size() > 1 &&
        families_.size() < most_families - 6)
      families_.push_back({Kind::load, port});
  }
  for (const int port : stalling)
    if (families_.size() < most_families) families_.push_back({Kind::stalls, port});
  if (known == StallsKnown::from_above) bound_stalls_from_above(loaded);
}

void LatencyCosts::add_sums_of_families() {
  constexpr std::size_t most_in_all = 56;
  const std::size_t count = families_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (families_[i].kind != Kind::stalls && families_[i].kind != Kind::load) continue;
    for (const LoadingPath path : {LoadingPath::first, LoadingPath::second}) {
      if (path == LoadingPath::second && problem_.space.operands() < 3) continue;
      if (families_.size() < most_in_all)
        families_.push_back({Kind::together, -1, -1, Sharing::individual, static_cast<int>(i), path});
    }
  }
}

bool LatencyCosts::closable(const TransferLoad& load, std::size_t vector) const {
  if (!problem_.space.changes_above(load.operand, vector)) return false;
  return load.link == 0 ? problem_.space.all_irrelevant(load.operand, vector)
                        : problem_.fit.fits(load.operand, load.link - 1, vector, false);
}

double LatencyCosts::own_cost(const Family& family, const TransferLoad& load, std::size_t vector) const {
  if (!family.is_of(load.port) || load.cycles[vector] == 0) return 0;
  const double cycles = load.cycles[vector];
  const double repeats = loads_.count(load, vector) - 1;
  switch (family.kind) {
    case Kind::stalls:
      return std::max(0.0, cycles - loads_.period(load, vector)) * repeats;
    case Kind::load:
      return cycles * repeats;
    case Kind::stalling:
      return -std::max(0.0, cycles - loads_.period(load, vector)) * repeats;
    case Kind::unloading:
      return -cycles * repeats;
    case Kind::open:
      return 1;
    case Kind::required:
      // Bits per cycle that the transfer needs of the port while the units compute.
      return !load.partial_sums_back && repeats > 0 ? load.bandwidth[vector] : 0;
    case Kind::crowding:
    case Kind::waiting:
    case Kind::together:
      break;
  }
  return 0;
}

LinkCosts LatencyCosts::with_ending(LinkCosts costs, const Ending& ending) const {
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (std::size_t closed = 0; closed < costs.endings[operand].size(); ++closed) {
      auto& ends = costs.endings[operand][closed];
      std::fill(ends.begin(), ends.end(), static_cast<int>(closed) == ending[operand] ? 0 : infinity);
      if (first_family_ == 1 && ends[0] == 0) ends[0] = energy_endings_[operand][closed][0];
    }
  }
  if (first_family_ == 1) costs.constant[0] = energy_constant_;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    if (families_[i].kind == Kind::open)
      costs.constant[first_family_ + i] = always_open(families_[i].port, ending) ? 1 : 0;
  }
  return costs;
}

std::vector<double> LatencyCosts::least_sums(const Ending& ending) const {
  std::vector<double> sums(first_family_ + families_.size());
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += least_[operand][ending[operand]][i];
    if (first_family_ == 1) sums[0] += energy_endings_[operand][ending[operand]][0];
  }
  if (first_family_ == 1) sums[0] += energy_constant_;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    if (families_[i].kind == Kind::open && always_open(families_[i].port, ending))
      sums[first_family_ + i] += 1;
  }
  return sums;
}

LoadingAtEnding LatencyCosts::loading(const Ending& ending) const {
  return {problem_, loads_, once_, ending, required_of_port_};
}

double LatencyCosts::least_stalls(const double* sums) const {
  double stalls = 0;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const double sum = sums[first_family_ + i];
    if (families_[i].kind == Kind::stalls) stalls = std::max(stalls, sum);
    if (families_[i].kind == Kind::load) stalls = std::max(stalls, sum - loads_.longest_windows);
  }
  return stalls;
}

double LatencyCosts::latency(const LoadingAtEnding& loading, const double* sums, const FirstClasses& first,
                             const StallRange& given, const HidingAtPorts& hiding) const {
  constexpr double rounding = 1e-3;  // cycles
  const StallRange range = {given.least, std::min(given.most, most_stalls(sums) + rounding)};
  if (range.most < range.least) return infinity;
  const double* const own = sums + first_family_;
  RepeatedLoading repeated;
  const double stalls = std::max(range.least, least_stalls(sums));
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = families_[i];
    switch (family.kind) {
      case Kind::waiting:
        (family.sharing == Sharing::individual    ? repeated.individual
         : family.sharing == Sharing::half_shared ? repeated.half_shared
                                                  : repeated.shared)[family.operand] = own[i];
        break;
      case Kind::stalls:
      case Kind::load:
      case Kind::required:
      case Kind::together:
      case Kind::stalling:
      case Kind::unloading:
      case Kind::open:
      case Kind::crowding:
        break;
    }
  }
  double least = loading.least(repeated, own + first_required_, first, stalls, range.most, hiding);
  // Stalls of a port and loading together may be longer than the least of each. Were all that is missing
  // stalls, the most could be hidden.
  std::array<double, 2> longer = {stalls, stalls};
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = families_[i];
    if (family.kind != Kind::together) continue;
    const int input = family.path == LoadingPath::first ? 1 : 2;
    double waiting = repeated.individual[0];
    waiting += repeated.individual[input] + repeated.half_shared[input] + repeated.shared[input];
    const bool load = families_[family.of_port].kind == Kind::load;
    longer[input - 1] = std::max(longer[input - 1], own[i] - (load ? loads_.longest_windows : 0) - waiting);
  }
  for (const int input : {1, 2}) {
    if (!(longer[input - 1] > stalls)) continue;
    least = std::max(least, loading.least(repeated, own + first_required_, first, longer[input - 1],
                                          std::max(range.most, longer[input - 1]), hiding,
                                          input == 1 ? LoadingPath::first : LoadingPath::second));
  }
  return loads_.computation + least;
}

std::vector<LatencyOfFamily> LatencyCosts::latency_of_families(const LoadingAtEnding& loading,
                                                               const StallRange& stalls,
                                                               const HidingAtPorts& hiding) const {
  std::vector<LatencyOfFamily> found;
  if (!(stalls.most < infinity)) return found;
  // What is loaded once while as much as possible hides; what is loaded repeatedly comes with the sums of
  // the families that count it.
  const std::vector<double> required(families_.size());
  const auto once = [&](LoadingPath path) {
    return loading.least({}, required.data(), {}, stalls.most, stalls.most, hiding, path) - stalls.most;
  };
  const std::array<double, 3> least = {once(LoadingPath::both), once(LoadingPath::first),
                                       once(LoadingPath::second)};
  const std::size_t first_together = static_cast<std::size_t>(costs_.compared) - first_family_;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = families_[i];
    const bool together = family.kind == Kind::together;
    const Kind kind = together ? families_[family.of_port].kind : family.kind;
    if (kind != Kind::stalls && kind != Kind::load) continue;
    // Stalls by themselves say less than with what is loaded.
    if (!together && first_together < families_.size()) continue;
    const double start = loads_.computation - (kind == Kind::load ? loads_.longest_windows : 0);
    const LoadingPath path = together ? family.path : LoadingPath::both;
    found.push_back({first_family_ + i, start + least[static_cast<int>(path)], path});
  }
  return found;
}

}  // namespace zz::core
