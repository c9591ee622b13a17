#include "core/search/optimal/detail/latency_terms.hpp"

#include <algorithm>
#include <utility>

namespace zz::core {

LatencyTerms::LatencyTerms(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
                           const SecondBuffers& buffers)
    : problem_(problem), loads_(loads), once_(once), buffers_(buffers) {
  // Leaving a term out only loosens the bound.
  choose_loading();
  choose_bandwidths();
  choose_traffic();
  choose_ports();
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

/// Bandwidths of the ports that are busiest with one-time transfers.
void LatencyTerms::choose_bandwidths() {
  constexpr std::size_t most_bandwidths = 6;
  const int ports = static_cast<int>(problem_.tables.ports.size());
  const std::size_t full = problem_.space.lattice().full();
  bandwidth_of_port_.assign(static_cast<std::size_t>(ports), -1);
  first_bandwidth_ = terms_.size();
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
    if (terms_.size() - first_bandwidth_ >= most_bandwidths) break;
    bandwidth_of_port_[port] = static_cast<int>(terms_.size() - first_bandwidth_);
    terms_.push_back({Kind::bandwidth, port});
  }
}

/// Traffic of the ports that must move most. Each further sum lets fewer labels dominate others.
void LatencyTerms::choose_traffic() {
  if (problem_.given.options.rules.faster_than_ports) return;
  constexpr std::size_t most_traffics = 2;
  const std::size_t full = problem_.space.lattice().full();
  struct Busy {
    double least = 0, most = 0;  ///< cycles in any mapping
    int port;
  };
  std::vector<Busy> busiest;
  for (int port = static_cast<int>(problem_.tables.ports.size()); port-- > 0;) {
    Busy busy{.port = port};
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port || load.partial_sums_back) continue;
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
    if (most_load > loads_.longest_windows && serves_several(port) && terms_.size() < most_terms - 6)
      terms_.push_back({Kind::load, port});
  }
  for (const int port : stalling)
    if (terms_.size() < most_terms) terms_.push_back({Kind::stalls, port});
}

void LatencyTerms::add_sums() {
  constexpr std::size_t most_in_all = 56;
  first_sum_ = terms_.size();
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
  if (!problem_.space.changes_above(load.operand, multiset)) return false;
  return load.boundary == 0 ? problem_.space.all_irrelevant(load.operand, multiset)
                            : problem_.fit.fits(load.operand, load.boundary - 1, multiset, false);
}

double LatencyTerms::cost(const LatencyTerm& term, const TransferLoad& load, std::size_t multiset) const {
  if (term.port != load.port || load.cycles[multiset] == 0) return 0;
  const double cycles = load.cycles[multiset];
  const double repeats = loads_.count(load, multiset) - 1;
  switch (term.kind) {
    case Kind::stalls:
      return std::max(0.0, cycles - loads_.period(load, multiset)) * repeats;
    case Kind::load:
      return cycles * repeats;
    case Kind::traffic:
      return load.partial_sums_back ? 0 : load.busy[multiset] * loads_.count(load, multiset);
    case Kind::bandwidth:
      return !load.partial_sums_back && repeats > 0 ? load.bandwidth[multiset] : 0;
    case Kind::loading:
    case Kind::port_and_loading:
      break;
  }
  return 0;
}

bool LatencyTerms::add_penalty(int operand, int boundary, std::size_t multiset, std::int64_t kept,
                               double* sums) const {
  bool added = false;
  if (buffers_.surely_double(operand, boundary - 1, multiset)) return false;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand != operand || load.boundary != boundary || load.cycles[multiset] == 0) continue;
    const double with = std::max(0.0, load.cycles[multiset] - loads_.period(load, multiset));
    const double without = std::max(0.0, load.cycles[multiset] - loads_.period(load, multiset, kept));
    const double repeats = loads_.count(load, multiset) - 1;
    const double more = (without - with) * repeats;
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

}  // namespace zz::core
