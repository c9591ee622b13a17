#include "core/search/optimal/detail/latency_costs.hpp"

#include <algorithm>

#include "core/search/optimal/detail/whole_cycles.hpp"

namespace zz::core {

using Kind = LatencyTerm::Kind;

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
      if (OneTimeLoads::waits_for(*load)) waiting = std::max(waiting, load->cycles[multiset]);
    if (energy) costs[0] = (*energy->boundaries)[operand][boundary][multiset];
    double* const own = costs + first_term_;
    // Sums come behind the terms of ports that they count.
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const LatencyTerm& term = terms_[i];
      if (term.kind == Kind::port_and_loading) {
        own[i] = own[term.of_port];
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
                                      : problem_.fit.fits(operand, boundary - 1, multiset, false) &&
                                            space.changes_above(operand, multiset);
    if (!closes) continue;
    for (std::size_t i = 0; i < width; ++i) least[i] = std::min(least[i], table[multiset * width + i]);
  }
  for (std::size_t i = 0; i < width; ++i)
    least_[operand][boundary][i] = (boundary > 0 ? least_[operand][boundary - 1][i] : 0) + least[i];
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
  return {problem_, loads_, once_, residency, terms_.bandwidth_of_port()};
}

double LatencyCosts::latency(const ResidencyLoading& loading, const double* sums, const FillClasses& fill,
                             double most_stalls) const {
  const double* const own = sums + first_term_;
  RepeatedLoading repeated;
  const double stalls = least_stalls(sums);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const LatencyTerm& term = terms_[i];
    if (term.kind != Kind::loading) continue;
    (term.sharing == Sharing::individual    ? repeated.individual
     : term.sharing == Sharing::half_shared ? repeated.half_shared
                                            : repeated.shared)[term.operand] = own[i];
  }
  double least = loading.least(repeated, own + terms_.first_bandwidth(), fill, stalls, most_stalls);
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
    longer[input - 1] = std::max(longer[input - 1], own[i] - (load ? loads_.longest_windows : 0) - waiting);
  }
  for (const int input : {1, 2}) {
    if (!(longer[input - 1] > stalls)) continue;
    least = std::max(least, loading.least(repeated, own + terms_.first_bandwidth(), fill, longer[input - 1],
                                          std::max(most_stalls, longer[input - 1]),
                                          input == 1 ? LoadingPath::first : LoadingPath::second));
  }
  double latency = loads_.computation + loads_.drain + least;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (terms_[i].kind == Kind::traffic) latency = std::max(latency, whole_cycles(own[i]));
  }
  return latency;
}

std::vector<LatencyComponent> LatencyCosts::latency_components(const ResidencyLoading& loading,
                                                               double most_stalls) const {
  std::vector<LatencyComponent> found;
  if (!(most_stalls < infinite)) return found;
  // One-time loading with as much of it hidden as possible. Components with a path count repeated loading.
  const std::vector<double> required(terms_.size());
  const auto once = [&](LoadingPath path) {
    return loading.least({}, required.data(), {}, most_stalls, most_stalls, path) - most_stalls;
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
