#include "core/optimum/one_time_loads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cost/balance.hpp"

namespace zz::core {
namespace {

/// What transfers take after `spare` cycles were taken from the longest ones, levelled down together, each
/// no further than its minimum.
std::vector<double> levelled_down(const std::vector<OneTimeTransfer>& transfers, double spare) {
  const auto at = [](const OneTimeTransfer& transfer, double level) {
    return std::max(std::min(transfer.minimum, transfer.cycles), std::min(transfer.cycles, level));
  };
  const auto taken = [&](double level) {
    double sum = 0;
    for (const OneTimeTransfer& transfer : transfers) sum += transfer.cycles - at(transfer, level);
    return sum;
  };
  // Between the lengths and the minima what is taken is linear in the level.
  double below = 0;
  double above = std::numeric_limits<double>::infinity();
  for (const OneTimeTransfer& transfer : transfers) {
    for (const double level : {transfer.cycles, std::min(transfer.minimum, transfer.cycles)}) {
      if (taken(level) <= spare)
        above = std::min(above, level);
      else
        below = std::max(below, level);
    }
  }
  double level = above;
  if (below < above && below > 0) {
    const double at_below = taken(below);
    const double at_above = taken(above);
    if (at_below > at_above) level = above - (above - below) * (spare - at_above) / (at_below - at_above);
  }
  std::vector<double> cycles;
  for (const OneTimeTransfer& transfer : transfers) cycles.push_back(at(transfer, level));
  return cycles;
}

/// The largest sum over links, each counted on one of its sides.
template <class Sum>
double most_over_sides(const std::vector<std::size_t>& sides, const Sum& sum) {
  double best = -std::numeric_limits<double>::infinity();
  std::vector<std::size_t> choice(sides.size(), 0);
  for (;;) {
    best = std::max(best, sum(choice));
    std::size_t digit = 0;
    while (digit < sides.size() && ++choice[digit] == sides[digit]) choice[digit++] = 0;
    if (digit == sides.size()) return best;
  }
}

}  // namespace

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
    const auto half_shared = std::count(shared_sides.begin(), shared_sides.end(), 1);
    for (int link = 0; link < levels; ++link) {
      shared_[operand].push_back(shared_sides[link] == 2);
      forgotten_[operand].push_back(problem.given.options.zigzag_compat && operand > 0 && half_shared > 1 &&
                                    shared_sides[link] == 1);
    }
  }
  least_first_bits_.fill(std::numeric_limits<double>::infinity());
  for (const TransferLoad& load : loads.loads) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t vector = 0; vector <= full; ++vector) {
      if (load.link == 1 && problem.fit.fits(load.operand, 0, vector, false)) {
        const double bits = loads.first_bits[load.operand][vector];
        least_first_bits_[load.operand] = std::min(least_first_bits_[load.operand], bits);
        most_first_bits_[load.operand] = std::max(most_first_bits_[load.operand], bits);
      }
      const bool closable = load.link == 0 ? problem.space.all_irrelevant(load.operand, vector)
                                           : problem.fit.fits(load.operand, load.link - 1, vector, false);
      if (closable && problem.space.changes_above(load.operand, vector))
        least = std::min(least, load.bandwidth[vector]);
    }
    least_bandwidth_.push_back(std::isfinite(least) ? least : 0);
  }
}

bool OneTimeLoads::any_shared() const {
  const auto any = [](const std::vector<bool>& links) {
    return std::find(links.begin(), links.end(), true) != links.end();
  };
  return any(shared_[1]) && any(shared_[2]);
}

/// At most this many cycles of the port are free.
double OneTimeLoads::spare(const Ending& ending, int port, double stalls) const {
  if (!problem_.given.options.loading_uses_spare_cycles) return 0;
  double required = 0;
  for (std::size_t i = 0; i < loads_.loads.size(); ++i) {
    const TransferLoad& load = loads_.loads[i];
    if (load.port == port && !load.partial_sums_back && !is_once(ending, load))
      required += least_bandwidth_[i];
  }
  const double width = problem_.tables.ports[port].bandwidth_max;
  return std::max(0.0, (width - required) / width * (loads_.busy + stalls));
}

bool OneTimeLoads::is_once(const Ending& ending, const TransferLoad& load) const {
  if (load.partial_sums_back) return false;
  if (load.link > 0) return load.link > ending[load.operand];
  return load.every_cycle ? loads_.total == 1 : !problem_.space.changes_above(load.operand, 0);
}

/// All transfers that are made once, in the order of their ports' services.
std::vector<OneTimeLoads::Side> OneTimeLoads::once(const Ending& ending) const {
  const std::size_t full = problem_.space.lattice().full();
  std::vector<Side> once;
  for (std::size_t i = 0; i < loads_.loads.size(); ++i) {
    const TransferLoad& load = loads_.loads[i];
    if (!is_once(ending, load) || load.cycles[full] == 0) continue;
    const double width = problem_.tables.ports[load.port].bandwidth_max;
    const auto& first = loads_.first_bits[load.operand];
    const bool whole = ending[load.operand] == 0;
    once.push_back({i, load.port, load.cycles[full],
                    std::ceil((whole ? first[full] : least_first_bits_[load.operand]) / width),
                    std::ceil((whole ? first[full] : most_first_bits_[load.operand]) / width)});
  }
  return once;
}

OneTimeLoads::Links OneTimeLoads::counted_links(const Ending& ending, const LoadingPath& path,
                                                const std::vector<Side>& once) const {
  Links links;
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (int link = ending[operand] + 1; link < problem_.tables.operands[operand].levels; ++link) {
      if (!counts(path, operand, link)) continue;
      std::vector<Side> sides;
      for (const Side& side : once) {
        const TransferLoad& load = loads_.loads[side.load];
        if (load.operand == operand && load.link == link) sides.push_back(side);
      }
      if (!sides.empty()) links.push_back(std::move(sides));
    }
  }
  return links;
}

/// ZigZag may lengthen transfers to their minimum; what that frees shortens others by so much at most.
double OneTimeLoads::lengthened(int port, const std::vector<Side>& once) const {
  double growth = 0;
  int count = 0;
  for (const Side& side : once) {
    if (side.port != port) continue;
    ++count;
    growth += std::max(0.0, side.most_floor - side.cycles);
  }
  return growth * count;
}

std::vector<OneTimeLoads::Outcome> OneTimeLoads::outcomes(const Ending& ending,
                                                          const std::vector<Side>& here,
                                                          const StallRange& stalls) const {
  if (problem_.given.options.zigzag_compat) return {Outcome::zigzag};
  const int port = here.front().port;
  const double most = spare(ending, port, stalls.most);
  const Side* longest = &here.front();
  for (const Side& side : here)
    if (side.cycles > longest->cycles) longest = &side;
  // Without repeated transfers on the port its free cycles are known.
  bool repeats = false;
  for (const TransferLoad& load : loads_.loads)
    repeats = repeats || (load.port == port && !load.partial_sums_back && !is_once(ending, load));
  const double least = repeats ? 0 : spare(ending, port, stalls.least);
  constexpr double margin = 1e-3;
  std::vector<Outcome> outcomes;
  if (least < longest->cycles - longest->least_floor + margin)
    outcomes.push_back(Outcome::longest_shortened);
  if (most + margin > longest->cycles - longest->most_floor) outcomes.push_back(Outcome::levelled);
  return outcomes;
}

/// What the chosen ones of a port's one-time transfers take at least, together.
double OneTimeLoads::least_sum(Outcome outcome, const std::vector<Side>& here,
                               const std::vector<bool>& chosen, double free) const {
  double unhidden = 0;
  double sum = 0;
  const Side* longest = &here.front();
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].cycles > longest->cycles) longest = &here[i];
    if (chosen[i]) unhidden += here[i].cycles;
  }
  if (outcome == Outcome::levelled) {
    // The sum falls with the minima of the chosen ones and rises with those of the others... which leave
    // more for the chosen ones the earlier they stop.
    std::vector<OneTimeTransfer> transfers;
    for (std::size_t i = 0; i < here.size(); ++i)
      transfers.push_back({here[i].cycles, chosen[i] ? here[i].least_floor : here[i].most_floor});
    const std::vector<double> cycles = levelled_down(transfers, free);
    for (std::size_t i = 0; i < here.size(); ++i)
      if (chosen[i]) sum += cycles[i];
    return std::max(sum, unhidden - free);
  }
  const double longer = lengthened(here.front().port, here);
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (!chosen[i]) continue;
    double cycles = here[i].cycles;
    if (outcome == Outcome::zigzag) {
      // Each step shortens one transfer to its minimum and all longer ones by as much, without bounds.
      double most = 0;
      for (const Side& other : here)
        if (other.cycles <= cycles) most += std::max(0.0, other.cycles - other.least_floor);
      cycles -= std::min(most, free + longer);
    } else if (&here[i] == longest) {
      cycles = std::max(cycles - free, std::min(cycles, here[i].least_floor));
    }
    sum += cycles;
  }
  // All together lose no more than is free, and what others gain.
  return outcome == Outcome::zigzag ? std::max(sum, unhidden - free - 2 * longer) : sum;
}

double OneTimeLoads::least(const Ending& ending, const LoadingPath& path, const StallRange& stalls,
                           int skipped_port) const {
  const std::size_t ports = problem_.tables.ports.size();
  const std::vector<Side> once = this->once(ending);
  Links links = counted_links(ending, path, once);
  links.erase(std::remove_if(links.begin(), links.end(),
                             [&](const std::vector<Side>& link) {
                               return std::any_of(link.begin(), link.end(), [&](const Side& side) {
                                 return side.port == skipped_port;
                               });
                             }),
              links.end());
  std::vector<std::size_t> sides;
  for (const auto& link : links) sides.push_back(link.size());
  // Each port's hiding ends in one of its ways; a link takes as long as the slower of its sides, so that
  // any choice of sides gives a lower bound.
  struct Port {
    std::vector<Side> here;
    std::vector<Outcome> outcomes;
    double free;
  };
  std::vector<Port> busy;
  for (std::size_t port = 0; port < ports; ++port) {
    Port entry;
    for (const Side& side : once)
      if (side.port == static_cast<int>(port)) entry.here.push_back(side);
    if (entry.here.empty()) continue;
    entry.outcomes = outcomes(ending, entry.here, stalls);
    entry.free = spare(ending, static_cast<int>(port), stalls.most);
    busy.push_back(std::move(entry));
  }
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> way(busy.size(), 0);
  for (;;) {
    const double sum = most_over_sides(sides, [&](const std::vector<std::size_t>& choice) {
      double total = 0;
      for (std::size_t port = 0; port < busy.size(); ++port) {
        const std::vector<Side>& here = busy[port].here;
        std::vector<bool> chosen(here.size(), false);
        bool any = false;
        for (std::size_t i = 0; i < links.size(); ++i) {
          for (std::size_t j = 0; j < here.size(); ++j) {
            if (links[i][choice[i]].load != here[j].load) continue;
            any = chosen[j] = true;
          }
        }
        if (any) total += least_sum(busy[port].outcomes[way[port]], here, chosen, busy[port].free);
      }
      return total;
    });
    least = std::min(least, sum);
    std::size_t digit = 0;
    while (digit < busy.size() && ++way[digit] == busy[digit].outcomes.size()) way[digit++] = 0;
    if (digit == busy.size()) return least;
  }
}

OneTimeLoads::BesideRepeated OneTimeLoads::beside(const Ending& ending, const LoadingPath& path,
                                                  const StallRange& stalls, int port) const {
  BesideRepeated beside;
  const std::vector<Side> once = this->once(ending);
  for (const auto& link : counted_links(ending, path, once)) {
    for (const Side& side : link)
      if (side.port == port) beside.unhidden += side.cycles;
  }
  if (problem_.given.options.loading_uses_spare_cycles) {
    // Of the stalls that every mapping has, too, repeated transfers leave free what they do not need.
    const double further_stalls = spare(ending, port, stalls.most) - spare(ending, port, stalls.least);
    beside.free = loads_.busy + stalls.least + further_stalls;
    if (problem_.given.options.zigzag_compat) beside.free += lengthened(port, once);
  }
  return beside;
}

double OneTimeLoads::free_per_bit(int port) const {
  if (!problem_.given.options.loading_uses_spare_cycles) return 0;
  return loads_.busy / problem_.tables.ports[port].bandwidth_max;
}

}  // namespace zz::core
