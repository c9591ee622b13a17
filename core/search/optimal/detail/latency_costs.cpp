#include "core/search/optimal/detail/latency_costs.hpp"

#include <algorithm>
#include <cmath>

namespace zz::core {
LatencyCosts::LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LabelCosts* energy,
                           StallsKnown known)
    : problem_(problem),
      loads_(loads),
      once_(problem, loads),
      buffers_(problem, loads),
      first_component_(energy ? 1 : 0) {
  choose_components(known);
  costs_.compared = static_cast<int>(first_component_ + components_.size());
  add_sums();
  const std::size_t width = first_component_ + components_.size();
  costs_.components = static_cast<int>(width);
  costs_.constant.assign(width, 0);
  if (energy) {
    energy_constant_ = energy->constant[0];
    energy_residencies_ = energy->residencies;
  }
  const std::size_t size = problem.space.lattice().size() * width;
  LabelCosts::Boundaries tables;
  LabelCosts::Boundaries least_tables;
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const int levels = problem.tables.operands[operand].levels;
    tables[operand].assign(levels, std::vector<double>(size));
    if (stalls_known_from_above_) least_tables[operand].resize(levels);
    costs_.residencies[operand].assign(levels, std::vector<double>(width));
    least_[operand].assign(levels, std::vector<double>(width));
    for (int boundary = 0; boundary < levels; ++boundary) {
      std::vector<double>& table = tables[operand][boundary];
      tabulate(operand, boundary, energy, table);
      if (!stalls_known_from_above_) {
        note_least(operand, boundary, table);
        continue;
      }
      std::vector<double>& least = least_tables[operand][boundary] = table;
      for (const TransferLoad& load : loads.loads) {
        if (load.operand != operand || load.boundary != boundary) continue;
        for (std::size_t multiset = 0; multiset < problem.space.lattice().size(); ++multiset) {
          for (std::size_t i = 0; i < components_.size(); ++i)
            least[multiset * width + first_component_ + i] += most_penalty(components_[i], load, multiset);
        }
      }
      note_least(operand, boundary, least);
    }
  }
  costs_.boundaries = std::make_shared<const LabelCosts::Boundaries>(std::move(tables));
  least_costs_ = costs_;
  if (stalls_known_from_above_)
    least_costs_.boundaries = std::make_shared<const LabelCosts::Boundaries>(std::move(least_tables));
}

/// The component counts waiting for transfers over the boundary.
bool LatencyCosts::adds_loading(const Component& component, int operand, int boundary) const {
  if (boundary == 0) return false;
  const Sharing sharing = once_.sharing(operand, boundary);
  if (component.kind == Kind::loading) return component.operand == operand && component.sharing == sharing;
  const int input = component.path == LoadingPath::first ? 1 : 2;
  return component.kind == Kind::port_and_loading && sharing != Sharing::forgotten &&
         (operand == 0 || operand == input);
}

/// Fills the costs of one boundary.
void LatencyCosts::tabulate(int operand, int boundary, const LabelCosts* energy,
                            std::vector<double>& table) const {
  const std::size_t multisets = problem_.space.lattice().size();
  const std::size_t width = first_component_ + components_.size();
  std::vector<const TransferLoad*> crossing;
  for (const TransferLoad& load : loads_.loads)
    if (load.operand == operand && load.boundary == boundary) crossing.push_back(&load);
  for (std::size_t multiset = 0; multiset < multisets; ++multiset) {
    double* const costs = &table[multiset * width];
    double waiting = 0;  // cycles of the slower side
    for (const TransferLoad* load : crossing)
      if (OneTimeLoads::waits_for(*load)) waiting = std::max(waiting, load->cycles[multiset]);
    if (energy) costs[0] = (*energy->boundaries)[operand][boundary][multiset];
    double* const own = costs + first_component_;
    // Sums come behind the components of ports that they count.
    for (std::size_t i = 0; i < components_.size(); ++i) {
      const Component& component = components_[i];
      if (component.kind == Kind::port_and_loading) {
        own[i] = own[component.of_port];
      } else {
        for (const TransferLoad* load : crossing) own[i] += own_cost(component, *load, multiset);
      }
      if (adds_loading(component, operand, boundary)) own[i] += waiting;
    }
  }
}

/// `table`: the least costs of the boundary.
void LatencyCosts::note_least(int operand, int boundary, const std::vector<double>& table) {
  const TemporalSpace& space = problem_.space;
  const std::size_t width = first_component_ + components_.size();
  // Boundary 0 need not be closed before the end, where it costs nothing.
  std::vector<double> least(width, boundary == 0 ? 0 : infinite);
  for (std::size_t multiset = 0; multiset < space.lattice().size(); ++multiset) {
    const bool closes = boundary == 0 ? space.all_irrelevant(operand, multiset)
                                      : problem_.fit.fits(operand, boundary - 1, multiset, false) &&
                                            space.changes_above(operand, multiset);
    if (!closes) continue;
    for (std::size_t i = 0; i < width; ++i) least[i] = std::min(least[i], table[multiset * width + i]);
  }
  for (std::size_t i = 0; i < width; ++i)
    least_[operand][boundary][i] = (boundary > 0 ? least_[operand][boundary - 1][i] : 0) + least[i];
}

void LatencyCosts::choose_components(StallsKnown known) {
  // Leaving a component out only loosens the bound. Ports of outer memories, which come last, are mostly
  // the narrow ones.
  const int ports = static_cast<int>(problem_.tables.ports.size());
  const std::size_t full = problem_.space.lattice().full();
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    const int levels = problem_.tables.operands[operand].levels;
    for (const Sharing sharing : {Sharing::individual, Sharing::half_shared, Sharing::shared}) {
      bool any = false;
      for (int boundary = 1; boundary < levels; ++boundary)
        any = any || once_.sharing(operand, boundary) == sharing;
      if (any) components_.push_back({Kind::loading, -1, operand, sharing});
    }
  }
  bandwidth_of_port_.assign(ports, -1);
  first_bandwidth_ = components_.size();
  std::vector<std::pair<double, int>> busiest;
  for (int port = 0; port < ports; ++port) {
    double cycles = 0;
    bool repeats = false;
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port || load.partial_sums_back) continue;
      for (std::size_t multiset = 0; multiset < full; ++multiset)
        repeats = repeats || (closable(load, multiset) && load.bandwidth[multiset] > 0);
      if (load.boundary > 0 && problem_.fit.fits(load.operand, load.boundary - 1, full, false))
        cycles += load.cycles[full];
    }
    if (repeats && cycles >= 1e-3 * loads_.computation) busiest.emplace_back(-cycles, port);
  }
  std::sort(busiest.begin(), busiest.end());
  for (const auto& [cycles, port] : busiest) {
    if (components_.size() - first_bandwidth_ >= 6) break;
    bandwidth_of_port_[port] = static_cast<int>(components_.size() - first_bandwidth_);
    components_.push_back({Kind::bandwidth, port});
  }
  std::vector<int> stalling, loaded;
  for (int port = ports; port-- > 0;) {
    bool stalls = false;
    double most_load = 0;
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port) continue;
      double most = 0;
      for (std::size_t multiset = 0; multiset <= full; ++multiset) {
        if (!closable(load, multiset)) continue;
        most = std::max(most, own_cost({Kind::load, port}, load, multiset));
        stalls = stalls || own_cost({Kind::stalls, port}, load, multiset) > 0;
        if (load.cycles[multiset] > 1 && buffers_.may_be_single(load.operand, load.boundary, multiset))
          stalls = runs_matter_ = true;
      }
      most_load += most;
    }
    if (stalls) stalling.push_back(port);
    if (most_load > loads_.computation && problem_.tables.ports[port].services.size() > 1)
      loaded.push_back(port);
    if (most_load > loads_.longest_windows && problem_.tables.ports[port].services.size() > 1 &&
        components_.size() < max_components - 6)
      components_.push_back({Kind::load, port});
  }
  for (const int port : stalling)
    if (components_.size() < max_components) components_.push_back({Kind::stalls, port});
  if (known == StallsKnown::from_above) bound_stalls_from_above(loaded);
}

void LatencyCosts::add_sums() {
  constexpr std::size_t most_in_all = 56;
  const std::size_t count = components_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (components_[i].kind != Kind::stalls && components_[i].kind != Kind::load) continue;
    for (const LoadingPath path : {LoadingPath::first, LoadingPath::second}) {
      if (path == LoadingPath::second && problem_.space.operands() < 3) continue;
      if (components_.size() < most_in_all)
        components_.push_back(
            {Kind::port_and_loading, -1, -1, Sharing::individual, static_cast<int>(i), path});
    }
  }
}

bool LatencyCosts::closable(const TransferLoad& load, std::size_t multiset) const {
  if (!problem_.space.changes_above(load.operand, multiset)) return false;
  return load.boundary == 0 ? problem_.space.all_irrelevant(load.operand, multiset)
                            : problem_.fit.fits(load.operand, load.boundary - 1, multiset, false);
}

double LatencyCosts::own_cost(const Component& component, const TransferLoad& load,
                              std::size_t multiset) const {
  if (!component.counts_port(load.port) || load.cycles[multiset] == 0) return 0;
  const double cycles = load.cycles[multiset];
  const double repeats = loads_.count(load, multiset) - 1;
  switch (component.kind) {
    case Kind::stalls:
      return std::max(0.0, cycles - loads_.period(load, multiset)) * repeats;
    case Kind::load:
      return cycles * repeats;
    case Kind::minus_lacking:
      return -std::max(0.0, cycles - loads_.period(load, multiset)) * repeats;
    case Kind::minus_load:
      return -cycles * repeats;
    case Kind::open_windows:
      return 1;
    case Kind::bandwidth:
      // Bits per cycle that the transfer needs of the port while the units compute.
      return !load.partial_sums_back && repeats > 0 ? load.bandwidth[multiset] : 0;
    case Kind::minus_crowded:
    case Kind::loading:
    case Kind::port_and_loading:
      break;
  }
  return 0;
}

LabelCosts LatencyCosts::at_residency(LabelCosts costs, const FinalResidency& residency) const {
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (std::size_t closed = 0; closed < costs.residencies[operand].size(); ++closed) {
      auto& ends = costs.residencies[operand][closed];
      std::fill(ends.begin(), ends.end(), static_cast<int>(closed) == residency[operand] ? 0 : infinite);
      if (first_component_ == 1 && ends[0] == 0) ends[0] = energy_residencies_[operand][closed][0];
    }
  }
  if (first_component_ == 1) costs.constant[0] = energy_constant_;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (components_[i].kind == Kind::open_windows)
      costs.constant[first_component_ + i] = always_open(components_[i].port, residency) ? 1 : 0;
  }
  return costs;
}

std::vector<double> LatencyCosts::least_sums(const FinalResidency& residency) const {
  std::vector<double> sums(first_component_ + components_.size());
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += least_[operand][residency[operand]][i];
    if (first_component_ == 1) sums[0] += energy_residencies_[operand][residency[operand]][0];
  }
  if (first_component_ == 1) sums[0] += energy_constant_;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (components_[i].kind == Kind::open_windows && always_open(components_[i].port, residency))
      sums[first_component_ + i] += 1;
  }
  return sums;
}

ResidencyLoading LatencyCosts::loading(const FinalResidency& residency) const {
  return {problem_, loads_, once_, residency, bandwidth_of_port_};
}

double LatencyCosts::least_stalls(const double* sums) const {
  double stalls = 0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const double sum = sums[first_component_ + i];
    if (components_[i].kind == Kind::stalls) stalls = std::max(stalls, sum);
    if (components_[i].kind == Kind::load) stalls = std::max(stalls, sum - loads_.longest_windows);
  }
  return stalls;
}

double LatencyCosts::latency(const ResidencyLoading& loading, const double* sums, const FillClasses& fill,
                             const StallRange& given, const HidingAtPorts& hiding) const {
  constexpr double rounding = 1e-3;  // cycles
  const StallRange range = {given.least, std::min(given.most, most_stalls(sums) + rounding)};
  if (range.most < range.least) return infinite;
  const double* const own = sums + first_component_;
  RepeatedLoading repeated;
  const double stalls = std::max(range.least, least_stalls(sums));
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& component = components_[i];
    if (component.kind != Kind::loading) continue;
    (component.sharing == Sharing::individual    ? repeated.individual
     : component.sharing == Sharing::half_shared ? repeated.half_shared
                                                 : repeated.shared)[component.operand] = own[i];
  }
  double least = loading.least(repeated, own + first_bandwidth_, fill, stalls, range.most, hiding);
  // Stalls of a port plus loading may be longer than the least of each. If all of the difference were
  // stalls, the most loading could be hidden.
  std::array<double, 2> longer = {stalls, stalls};
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& component = components_[i];
    if (component.kind != Kind::port_and_loading) continue;
    const int input = component.path == LoadingPath::first ? 1 : 2;
    double waiting = repeated.individual[0];
    waiting += repeated.individual[input] + repeated.half_shared[input] + repeated.shared[input];
    const bool load = components_[component.of_port].kind == Kind::load;
    longer[input - 1] = std::max(longer[input - 1], own[i] - (load ? loads_.longest_windows : 0) - waiting);
  }
  for (const int input : {1, 2}) {
    if (!(longer[input - 1] > stalls)) continue;
    least = std::max(least, loading.least(repeated, own + first_bandwidth_, fill, longer[input - 1],
                                          std::max(range.most, longer[input - 1]), hiding,
                                          input == 1 ? LoadingPath::first : LoadingPath::second));
  }
  return loads_.computation + least;
}

std::vector<LatencyComponent> LatencyCosts::latency_components(const ResidencyLoading& loading,
                                                               const StallRange& stalls,
                                                               const HidingAtPorts& hiding) const {
  std::vector<LatencyComponent> found;
  if (!(stalls.most < infinite)) return found;
  // One-time loading with as much of it hidden as possible. Components with a path count repeated loading.
  const std::vector<double> required(components_.size());
  const auto once = [&](LoadingPath path) {
    return loading.least({}, required.data(), {}, stalls.most, stalls.most, hiding, path) - stalls.most;
  };
  const std::array<double, 3> least = {once(LoadingPath::both), once(LoadingPath::first),
                                       once(LoadingPath::second)};
  const std::size_t first_together = static_cast<std::size_t>(costs_.compared) - first_component_;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const Component& component = components_[i];
    const bool together = component.kind == Kind::port_and_loading;
    const Kind kind = together ? components_[component.of_port].kind : component.kind;
    if (kind != Kind::stalls && kind != Kind::load) continue;
    // Stalls plus loading say more than stalls alone.
    if (!together && first_together < components_.size()) continue;
    const double offset = loads_.computation - (kind == Kind::load ? loads_.longest_windows : 0);
    const LoadingPath path = together ? component.path : LoadingPath::both;
    found.push_back({first_component_ + i, offset + least[static_cast<int>(path)], path});
  }
  return found;
}

// Stalls from above. A port stalls for what its transfers lack one by one, or, where that is more, for all
// their cycles less those in some window (core/cost). One transfer that may take its whole
// period makes windows of all cycles of the computation. If there is none, all transfers are cut short, and
// their cycles exceed both figures.

void LatencyCosts::bound_stalls_from_above(const std::vector<int>& loaded) {
  constexpr std::size_t most_loaded = 6;
  constexpr std::size_t most_crowded = 5;
  std::vector<int> crowded;
  for (const TransferLoad& load : loads_.loads) {
    bool may_lack = false;
    for (std::size_t multiset = 0; multiset < problem_.space.lattice().size() && !may_lack; ++multiset)
      may_lack = closable(load, multiset) && buffers_.may_be_single(load.operand, load.boundary, multiset);
    // Shorter windows may leave a port less time, even where each is long enough by itself.
    runs_matter_ = runs_matter_ || may_lack;
    // A transfer alone on its port has its own window.
    if (may_lack && problem_.tables.ports[load.port].services.size() > 1 &&
        std::find(crowded.begin(), crowded.end(), load.port) == crowded.end())
      crowded.push_back(load.port);
  }
  if (loaded.size() > most_loaded || crowded.size() > most_crowded) return;
  stalls_known_from_above_ = true;
  components_.push_back({Kind::minus_lacking});
  for (const int port : loaded) components_.push_back({Kind::minus_load, port});
  for (const int port : crowded) {
    components_.push_back({Kind::open_windows, port});
    components_.push_back({Kind::minus_crowded, port});
  }
}

/// Some transfer of the port may take its whole period in every mapping with this residency: one to the
/// units, which ask for one portion after the other, or one that is made once into a second buffer.
bool LatencyCosts::always_open(int port, const FinalResidency& residency) const {
  const std::size_t full = problem_.space.lattice().full();
  return std::any_of(loads_.loads.begin(), loads_.loads.end(), [&](const TransferLoad& load) {
    if (load.port != port || load.partial_sums_back) return false;
    return load.boundary == 0 || (once_.is_once(residency, load) &&
                                  buffers_.surely_double(load.operand, load.boundary - 1, full));
  });
}

/// What a missing second buffer adds to own_cost() at most, of components that it lowers.
double LatencyCosts::most_penalty(const Component& component, const TransferLoad& load,
                                  std::size_t multiset) const {
  if (!component.counts_port(load.port) || !buffers_.may_be_single(load.operand, load.boundary, multiset))
    return 0;
  const double most = load.cycles[multiset] * (loads_.count(load, multiset) - 1);
  if (component.kind == Kind::minus_lacking || component.kind == Kind::minus_crowded)
    return -most - own_cost(component, load, multiset);
  return component.kind == Kind::open_windows ? -own_cost(component, load, multiset) : 0;
}

double LatencyCosts::most_stalls(const double* sums) const {
  if (!stalls_known_from_above_) return infinite;
  double stalls = 0;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const double most = -sums[first_component_ + i];
    if (components_[i].kind == Kind::minus_lacking) stalls = std::max(stalls, most);
    if (components_[i].kind == Kind::minus_load) stalls = std::max(stalls, most - loads_.computation);
    // Components of one port are neighbours.
    if (components_[i].kind == Kind::minus_crowded && sums[first_component_ + i - 1] < 0.5)
      stalls = std::max(stalls, most);
  }
  return stalls;
}

bool LatencyCosts::add(int operand, int boundary, std::size_t multiset, std::int64_t run,
                       double* paid) const {
  bool added = false;
  if (buffers_.surely_double(operand, boundary - 1, multiset)) return false;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand != operand || load.boundary != boundary || load.cycles[multiset] == 0) continue;
    const double with = std::max(0.0, load.cycles[multiset] - loads_.period(load, multiset));
    const double without = std::max(0.0, load.cycles[multiset] - loads_.period(load, multiset, run));
    const double repeats = loads_.count(load, multiset) - 1;
    const double more = (without - with) * repeats;
    for (std::size_t i = 0; i < components_.size(); ++i) {
      const Component& component = components_[i];
      const Component& counted =
          component.kind == Kind::port_and_loading ? components_[component.of_port] : component;
      if (!counted.counts_port(load.port)) continue;
      double change = 0;
      if (counted.kind == Kind::stalls) change = more;
      if (counted.kind == Kind::minus_lacking) change = -more;
      if (counted.kind == Kind::minus_crowded) change = -load.cycles[multiset] * repeats;
      if (counted.kind == Kind::open_windows) change = -1;
      paid[first_component_ + i] += change;
      added = added || change != 0;
    }
  }
  return added;
}

}  // namespace zz::core
