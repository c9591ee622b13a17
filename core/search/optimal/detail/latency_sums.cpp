#include "core/search/optimal/detail/latency_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

SecondBuffers::SecondBuffers(const SearchProblem& problem, const PortLoads& loads)
    : problem_(problem), loads_(loads) {
  const std::size_t full = problem_.space.lattice().full();
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    store_[operand].assign(problem_.tables.operands[operand].levels, -1);
    others_[operand].assign(problem_.tables.operands[operand].levels, 0);
  }
  for (const auto& group : problem_.tables.share_groups) {
    double held = 0;
    for (const OperandLevel& member : group) {
      double most = 0;
      for (std::size_t multiset = 0; multiset <= full; ++multiset) {
        for (const bool sums : {false, member.operand == 0}) {
          if (problem_.fit.fits(member.operand, member.level, multiset, sums))
            most = std::max(most, whole_share(member.operand, member.level, multiset, sums));
        }
      }
      held += most;
      for (const OperandLevel& other : group)
        if (&other != &member) others_[other.operand][other.level] += most;
    }
    if (held <= 0.5) continue;
    for (const OperandLevel& member : group)
      store_[member.operand][member.level] = static_cast<int>(stores_);
    ++stores_;
  }
}

double SecondBuffers::whole_share(int operand, int level, std::size_t multiset, bool sums) const {
  const bool of_sums = operand == 0 && problem_.fit.holds_sums(operand, level, sums);
  return (of_sums ? loads_.share_of_sums : loads_.share[operand])[level + 1][multiset];
}

bool SecondBuffers::surely_single(int operand, int level, std::size_t multiset, bool sums) const {
  return whole_share(operand, level, multiset, sums) > 0.5;
}

bool SecondBuffers::surely_double(int operand, int level, std::size_t multiset, bool sums) const {
  return whole_share(operand, level, multiset, sums) + others_[operand][level] < 0.5 * (1 - 1e-9);
}

bool SecondBuffers::may_be_single(int operand, int boundary, std::size_t multiset) const {
  if (boundary == 0) return false;
  for (const bool sums : {false, operand == 0}) {
    if (!surely_double(operand, boundary - 1, multiset, sums) &&
        (store_[operand][boundary - 1] >= 0 || surely_single(operand, boundary - 1, multiset, sums)))
      return true;
  }
  return false;
}

double SecondBuffers::share(int operand, int level, std::size_t multiset, bool sums,
                            std::int64_t replaced) const {
  const double size = problem_.tables.operands[operand].size[level];
  const double bits = whole_share(operand, level, multiset, sums) * size;
  // Rounding must not make the share larger than it is.
  constexpr double tolerance = 1e-6;
  return std::floor(std::max(0.0, bits / static_cast<double>(replaced) - tolerance)) / size;
}

LatencyTerms::LatencyTerms(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                           const SecondBuffers& buffers)
    : problem_(problem), loads_(loads), once_(once), buffers_(buffers) {
  choose_loading();
  choose_traffic();
  choose_ports();
  choose_waits();
  add_sums();
}

void LatencyTerms::choose_loading() {
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    const int levels = problem_.tables.operands[operand].levels;
    for (const Sharing sharing : {Sharing::individual, Sharing::half_shared, Sharing::shared}) {
      bool any = false;
      for (int boundary = 1; boundary < levels; ++boundary)
        any = any || once_.sharing(operand, boundary) == sharing;
      if (any) terms_.push_back({Kind::loading, -1, operand, sharing});
    }
  }
}

/// Traffic of the ports that must move most.
void LatencyTerms::choose_traffic() {
  if (problem_.given.options.rules.faster_than_ports || !problem_.given.refinements.traffic_sums) return;
  const std::size_t full = problem_.space.lattice().full();
  struct Busy {
    double least = 0, most = 0;  ///< cycles in any mapping
    int port;
  };
  std::vector<Busy> busiest;
  for (int port = static_cast<int>(problem_.tables.ports.size()); port-- > 0;) {
    Busy busy{.port = port};
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port) continue;
      // Over boundary 0 data always pass repeatedly.
      double least = load.boundary > 0 ? load.busy[full] : infinite;
      double most = load.busy[full];
      for (std::size_t multiset = 0; multiset < full; ++multiset) {
        if (!closable(load, multiset)) continue;
        const double cycles = cost({Kind::traffic, port}, load, multiset);
        least = std::min(least, cycles);
        most = std::max(most, cycles);
      }
      busy.least += least < infinite ? least : 0;
      busy.most += most;
    }
    if (busy.most > loads_.computation) busiest.push_back(busy);
  }
  std::stable_sort(busiest.begin(), busiest.end(),
                   [](const Busy& a, const Busy& b) { return a.least > b.least; });
  busiest.resize(std::min(busiest.size(), most_traffics));
  for (const Busy& busy : busiest) terms_.push_back({Kind::traffic, busy.port});
}

/// Load and stalls of ports. Ports of outer memories come first, because they are mostly the narrow ones.
void LatencyTerms::choose_ports() {
  const std::size_t full = problem_.space.lattice().full();
  std::vector<int> stalling;
  for (int port = static_cast<int>(problem_.tables.ports.size()); port-- > 0;) {
    bool stalls = false;
    double most_load = 0;
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port) continue;
      double most = 0;
      for (std::size_t multiset = 0; multiset <= full; ++multiset) {
        if (!closable(load, multiset)) continue;
        most = std::max(most, cost({Kind::load, port}, load, multiset));
        stalls = stalls || cost({Kind::stalls, port}, load, multiset) > 0;
        if (load.cycles[multiset] > 1 && buffers_.may_be_single(load.operand, load.boundary, multiset))
          stalls = buffers_matter_ = true;
      }
      most_load += most;
    }
    if (stalls) stalling.push_back(port);
    if (problem_.given.refinements.load_sums && most_load > loads_.longest_windows &&
        serves_several(port) && terms_.size() < most_independent - 6)
      terms_.push_back({Kind::load, port});
  }
  for (const int port : stalling)
    if (terms_.size() < most_independent) terms_.push_back({Kind::stalls, port});
}

/// Terms for cycles that ports do not hide, and tiles that take their time.
void LatencyTerms::choose_waits() {
  for (std::size_t port = 0; port < problem_.tables.ports.size(); ++port) {
    const double overlap = problem_.tables.ports[port].overlap;
    if (overlap < 1 && terms_.size() < most_independent)
      terms_.push_back({.kind = Kind::repeated, .port = static_cast<int>(port), .factor = 1 - overlap});
  }
  for (const TileInterval& one : problem_.tables.tile_intervals) {
    if (terms_.size() == most_independent) break;
    terms_.push_back({.kind = Kind::tiles,
                      .operand = one.at.operand,
                      .boundary = one.at.level + 1,
                      .factor = one.cycles});
  }
}

void LatencyTerms::add_sums() {
  first_sum_ = terms_.size();
  if (!problem_.given.refinements.loading_sums) return;
  for (std::size_t i = 0; i < first_sum_; ++i) {
    if (terms_[i].kind != Kind::stalls && terms_[i].kind != Kind::load) continue;
    for (const LoadingPath path : {LoadingPath::first, LoadingPath::second}) {
      if (path == LoadingPath::second && problem_.space.operands() < 3) continue;
      if (terms_.size() < most_in_all)
        terms_.push_back({Kind::port_and_loading, -1, -1, Sharing::individual, static_cast<int>(i), path});
    }
  }
}

bool LatencyTerms::serves_several(int port) const {
  return problem_.tables.ports[static_cast<std::size_t>(port)].services.size() > 1;
}

bool LatencyTerms::closable(const TransferLoad& load, std::size_t multiset) const {
  if (!problem_.space.may_close(load.operand, multiset)) return false;
  return load.boundary == 0 ? problem_.space.all_irrelevant(load.operand, multiset)
                            : problem_.fit.may_fit(load.operand, load.boundary - 1, multiset);
}

double LatencyTerms::cost(const LatencyTerm& term, const TransferLoad& load, std::size_t multiset) const {
  if (term.port != load.port || load.cycles[multiset] == 0) return 0;
  switch (term.kind) {
    case Kind::stalls:
      return loads_.stalls(load, multiset);
    case Kind::load:
      return loads_.repeated(load, multiset);
    case Kind::traffic:
      return load.busy[multiset] * loads_.count(load, multiset);
    case Kind::repeated:
      return load.partial_sums_back ? load.busy[multiset] * loads_.count(load, multiset)
                                    : loads_.repeated_busy(load, multiset);
    case Kind::loading:
    case Kind::port_and_loading:
    case Kind::tiles:
      break;
  }
  return 0;
}

bool LatencyTerms::add_penalty(int operand, int boundary, std::size_t multiset, bool holds_sums,
                               std::int64_t kept, double* sums) const {
  bool added = false;
  if (buffers_.surely_double(operand, boundary - 1, multiset, holds_sums)) return false;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand != operand || load.boundary != boundary || load.cycles[multiset] == 0) continue;
    const double more = loads_.stalls(load, multiset, kept) - loads_.stalls(load, multiset);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const LatencyTerm& counted = port_term(terms_[i]);
      if (counted.port != load.port || counted.kind != Kind::stalls) continue;
      sums[i] += more;
      added = added || more != 0;
    }
  }
  return added;
}

bool LatencyTerms::adds_loading(const LatencyTerm& term, int operand, int boundary) const {
  if (boundary == 0) return false;
  const Sharing sharing = once_.sharing(operand, boundary);
  if (term.kind == Kind::loading) return term.operand == operand && term.sharing == sharing;
  const int input = term.path == LoadingPath::first ? 1 : 2;
  return term.kind == Kind::port_and_loading && sharing != Sharing::forgotten &&
         (operand == 0 || operand == input);
}

double LatencyTerms::at_first(const LatencyTerm& term, const FinalResidency& residency) const {
  if (term.kind != Kind::traffic) return 0;
  double busy = 0;
  for (const TransferLoad& load : loads_.loads) {
    if (load.port == term.port && load.boundary > 0 && once_.is_once(residency, load))
      busy += load.busy[problem_.space.lattice().full()];
  }
  return busy;
}

double LatencyTerms::least_stalls(const double* sums) const {
  double stalls = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (terms_[i].kind == Kind::stalls) stalls = std::max(stalls, sums[i]);
    if (terms_[i].kind == Kind::load) stalls = std::max(stalls, sums[i] - loads_.longest_windows);
  }
  return stalls;
}

using Kind = LatencyTerm::Kind;

double LatencyTerms::least_unhidden(const double* sums) const {
  double most = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if (terms_[i].kind == Kind::repeated)
      most = std::max(most, terms_[i].factor * std::min(loads_.computation, sums[i]));
  return most;
}

double LatencyTerms::least_by_tiles(const double* sums) const {
  double most = 0;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if (terms_[i].kind == Kind::tiles) most = std::max(most, terms_[i].factor * std::max(1.0, sums[i]));
  return most;
}

LatencyCosts::LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LabelCosts* energy)
    : problem_(problem),
      loads_(loads),
      once_(problem, loads),
      buffers_(problem, loads),
      terms_(problem, loads, once_, buffers_),
      first_term_(energy ? 1 : 0) {
  const std::size_t width = first_term_ + terms_.size();
  costs_.compared = static_cast<int>(first_term_ + terms_.first_sum());
  costs_.components = static_cast<int>(width);
  costs_.constant.assign(width, 0);
  if (energy) {
    energy_constant_ = energy->constant[0];
    energy_residencies_ = energy->residencies;
  }
  const std::size_t size = problem.space.lattice().size() * width;
  LabelCosts::Boundaries tables;
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const int levels = problem.tables.operands[operand].levels;
    tables[operand].assign(levels, std::vector<double>(size));
    costs_.residencies[operand].assign(levels, std::vector<double>(width));
    least_[operand].assign(levels, std::vector<double>(width));
    for (int boundary = 0; boundary < levels; ++boundary) {
      std::vector<double>& table = tables[operand][boundary];
      tabulate(operand, boundary, energy, table);
      note_least(operand, boundary, table);
    }
  }
  costs_.boundaries = std::make_shared<const LabelCosts::Boundaries>(std::move(tables));
}

/// Fills the costs of one boundary.
void LatencyCosts::tabulate(int operand, int boundary, const LabelCosts* energy,
                            std::vector<double>& table) const {
  const std::size_t multisets = problem_.space.lattice().size();
  const std::size_t width = first_term_ + terms_.size();
  std::vector<const TransferLoad*> crossing;
  for (const TransferLoad& load : loads_.loads)
    if (load.operand == operand && load.boundary == boundary) crossing.push_back(&load);
  for (std::size_t multiset = 0; multiset < multisets; ++multiset) {
    double* const costs = &table[multiset * width];
    double waiting = 0;  // cycles of the slower side
    for (const TransferLoad* load : crossing)
      if (OneTimeLoads::waits_for(*load)) waiting = std::max(waiting, loads_.once(*load, multiset));
    if (energy) costs[0] = (*energy->boundaries)[operand][boundary][multiset];
    double* const own = costs + first_term_;
    // Sums come behind the terms of ports that they count.
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const LatencyTerm& term = terms_[i];
      if (term.kind == Kind::port_and_loading) {
        own[i] = own[term.of_port];
      } else if (term.kind == Kind::tiles) {
        if (term.operand == operand && term.boundary == boundary)
          own[i] = static_cast<double>(loads_.portions[multiset]);
      } else {
        for (const TransferLoad* load : crossing) own[i] += terms_.cost(term, *load, multiset);
      }
      if (terms_.adds_loading(term, operand, boundary)) own[i] += waiting;
    }
  }
}

/// `table`: the least costs of the boundary.
void LatencyCosts::note_least(int operand, int boundary, const std::vector<double>& table) {
  const TemporalSpace& space = problem_.space;
  const std::size_t width = first_term_ + terms_.size();
  // Boundary 0 need not be closed before the end, where it costs nothing.
  std::vector<double> least(width, boundary == 0 ? 0 : infinite);
  for (std::size_t multiset = 0; multiset < space.lattice().size(); ++multiset) {
    const bool closes = boundary == 0 ? space.all_irrelevant(operand, multiset)
                                      : problem_.fit.may_fit(operand, boundary - 1, multiset) &&
                                            space.may_close(operand, multiset);
    if (!closes) continue;
    for (std::size_t i = 0; i < width; ++i) least[i] = std::min(least[i], table[multiset * width + i]);
  }
  for (std::size_t i = 0; i < width; ++i)
    least_[operand][boundary][i] = (boundary > 0 ? least_[operand][boundary - 1][i] : 0) + least[i];
}

std::size_t LatencyCosts::memory_bytes() const {
  std::size_t numbers = 0;
  for (const auto& operand : *costs_.boundaries)
    for (const std::vector<double>& table : operand) numbers += table.capacity();
  return numbers * sizeof(double);
}

LabelCosts LatencyCosts::costs(const FinalResidency& residency) const {
  LabelCosts costs = costs_;
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (std::size_t closed = 0; closed < costs.residencies[operand].size(); ++closed) {
      auto& ends = costs.residencies[operand][closed];
      std::fill(ends.begin(), ends.end(), static_cast<int>(closed) == residency[operand] ? 0 : infinite);
      if (first_term_ == 1 && ends[0] == 0) ends[0] = energy_residencies_[operand][closed][0];
    }
  }
  if (first_term_ == 1) costs.constant[0] = energy_constant_;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    costs.constant[first_term_ + i] = terms_.at_first(terms_[i], residency);
  }
  return costs;
}

std::vector<double> LatencyCosts::least_sums(const FinalResidency& residency) const {
  std::vector<double> sums(first_term_ + terms_.size());
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += least_[operand][residency[operand]][i];
    if (first_term_ == 1) sums[0] += energy_residencies_[operand][residency[operand]][0];
  }
  if (first_term_ == 1) sums[0] += energy_constant_;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    sums[first_term_ + i] += terms_.at_first(terms_[i], residency);
  }
  return sums;
}

ResidencyLoading LatencyCosts::loading(const FinalResidency& residency) const {
  return {problem_, loads_, once_, residency};
}

double LatencyCosts::latency(const ResidencyLoading& loading, const double* sums, const FillClasses& fill,
                             double most_stalls) const {
  const double* const own = sums + first_term_;
  RepeatedLoading repeated;
  const double stalls = least_stalls(sums);
  const double unhidden = terms_.least_unhidden(own);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const LatencyTerm& term = terms_[i];
    if (term.kind != Kind::loading) continue;
    (term.sharing == Sharing::individual    ? repeated.individual
     : term.sharing == Sharing::half_shared ? repeated.half_shared
                                            : repeated.shared)[term.operand] = own[i];
  }
  double least = loading.least(repeated, fill, stalls, most_stalls);
  // Stalls of a port plus loading may be longer than the least of each. If all of the difference were
  // stalls, the most loading could be hidden.
  std::array<double, 2> longer = {stalls, stalls};
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const LatencyTerm& term = terms_[i];
    if (term.kind != Kind::port_and_loading) continue;
    const int input = term.path == LoadingPath::first ? 1 : 2;
    double waiting = repeated.individual[0];
    waiting += repeated.individual[input] + repeated.half_shared[input] + repeated.shared[input];
    const bool load = terms_.port_term(term).kind == Kind::load;
    longer[input - 1] =
        std::max(longer[input - 1], own[i] - (load ? loads_.longest_windows : 0) - waiting + unhidden);
  }
  for (const int input : {1, 2}) {
    if (!(longer[input - 1] > stalls)) continue;
    least = std::max(
        least, loading.least(repeated, fill, longer[input - 1], std::max(most_stalls, longer[input - 1]),
                             input == 1 ? LoadingPath::first : LoadingPath::second));
  }
  double latency = std::max(loads_.computation + loads_.drain + least, std::ceil(loads_.line_cycles));
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (terms_[i].kind == Kind::traffic) latency = std::max(latency, whole_cycles(own[i]));
  }
  return latency;
}

double LatencyCosts::least_stalls(const double* sums) const {
  const double* const own = sums + first_term_;
  const double stalls = terms_.least_stalls(own) + terms_.least_unhidden(own);
  return std::max(stalls, terms_.least_by_tiles(own) - loads_.computation);
}

std::vector<LatencyComponent> LatencyCosts::latency_components(const ResidencyLoading& loading,
                                                               double most_stalls) const {
  std::vector<LatencyComponent> found;
  if (!(most_stalls < infinite)) return found;
  // One-time loading with as much of it hidden as possible. Components with a path count repeated loading.
  const auto once = [&](LoadingPath path) {
    return loading.least({}, {}, most_stalls, most_stalls, path) - most_stalls;
  };
  const std::array<double, 3> least = {once(LoadingPath::both), once(LoadingPath::first),
                                       once(LoadingPath::second)};
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const LatencyTerm& term = terms_[i];
    const bool together = term.kind == Kind::port_and_loading;
    const Kind kind = terms_.port_term(term).kind;
    if (kind != Kind::stalls && kind != Kind::load) continue;
    // Stalls plus loading say more than stalls alone.
    if (!together && terms_.first_sum() < terms_.size()) continue;
    const double offset =
        loads_.computation + loads_.drain - (kind == Kind::load ? loads_.longest_windows : 0);
    const LoadingPath path = together ? term.path : LoadingPath::both;
    found.push_back({first_term_ + i, offset + least[static_cast<int>(path)], path});
  }
  return found;
}

}  // namespace zz::core
