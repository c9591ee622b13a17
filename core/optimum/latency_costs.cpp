#include "core/optimum/latency_costs.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

LatencyCosts::LatencyCosts(const SearchProblem& problem, const PortLoads& loads, const LinkCosts* energy)
    : problem_(problem), loads_(loads), once_(problem, loads), first_family_(energy ? 1 : 0) {
  choose_families();
  const std::size_t vectors = problem.space.lattice().size();
  const std::size_t width = first_family_ + families_.size() + beside_ports_.size();
  costs_.families = static_cast<int>(width);
  costs_.constant.assign(width, 0);
  if (energy) {
    energy_constant_ = energy->constant[0];
    energy_endings_ = energy->endings;
  }
  repeated_.resize(paths_.size());
  LinkCosts::Links links;
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const int levels = problem.tables.operands[operand].levels;
    links[operand].assign(levels, std::vector<double>(vectors * width));
    costs_.endings[operand].assign(levels, std::vector<double>(width));
    for (auto& path : repeated_) path[operand].assign(levels, 0);
    for (int link = 0; link < levels; ++link) {
      auto& table = links[operand][link];
      std::vector<double> least(paths_.size(), infinity);
      for (std::size_t vector = 0; vector < vectors; ++vector) {
        double* const costs = &table[vector * width];
        if (energy) costs[0] = (*energy->links)[operand][link][vector];
        double waiting = 0;  // cycles of the slower side
        for (const TransferLoad& load : loads.loads) {
          if (load.operand != operand || load.link != link) continue;
          for (std::size_t i = 0; i < families_.size(); ++i)
            costs[first_family_ + i] += own_cost(families_[i], load, vector);
          for (std::size_t i = 0; i < beside_ports_.size(); ++i)
            costs[first_family_ + families_.size() + i] += required(beside_ports_[i], load, vector);
          if (OneTimeLoads::waits_for(load)) waiting = std::max(waiting, load.cycles[vector]);
        }
        if (link == 0) continue;
        for (std::size_t i = 0; i < families_.size(); ++i) {
          if (once_.counts(paths_[families_[i].path], operand, link)) costs[first_family_ + i] += waiting;
        }
        if (!problem.fit.fits(operand, link - 1, vector, false) ||
            !problem.space.changes_above(operand, vector))
          continue;
        for (std::size_t path = 0; path < paths_.size(); ++path) {
          least[path] = std::min(least[path], once_.counts(paths_[path], operand, link) ? waiting : 0);
        }
      }
      for (std::size_t path = 0; path < paths_.size() && link > 0; ++path)
        repeated_[path][operand][link] = repeated_[path][operand][link - 1] + least[path];
    }
  }
  costs_.links = std::make_shared<const LinkCosts::Links>(std::move(links));
}

void LatencyCosts::choose_families() {
  const bool two_inputs = problem_.space.operands() == 3;
  LoadingPath first;
  first.all = {true, true, false};
  paths_.push_back(first);
  if (two_inputs) {
    LoadingPath second;
    second.all = {true, false, true};
    paths_.push_back(second);
    LoadingPath shared;
    shared.all = {true, false, false};
    shared.shared_inputs = true;
    if (once_.any_shared()) paths_.push_back(shared);
  }
  // Leaving a family out loosens the bound and nothing else.
  const auto add = [&](Kind kind, int port) {
    for (std::size_t path = 0; path < paths_.size() && families_.size() < most_families / 2; ++path)
      families_.push_back({kind, port, path, -1, -1});
  };
  add(Kind::no_port, -1);
  // The ports of outer memories, which come last, are mostly the narrow ones. What several transfers need
  // together counts more often than what one of them cannot have.
  const int ports = static_cast<int>(problem_.tables.ports.size());
  std::vector<int> stalling;
  for (int port = ports; port-- > 0;) {
    bool stalls = false;
    double most_load = 0;
    for (const TransferLoad& load : loads_.loads) {
      if (load.port != port) continue;
      double most = 0;
      for (std::size_t vector = 0; vector < problem_.space.lattice().size(); ++vector) {
        if (!closable(load, vector)) continue;
        most = std::max(most, own_cost({Kind::load, port, 0, -1, -1}, load, vector));
        stalls = stalls || own_cost({Kind::stalls, port, 0, -1, -1}, load, vector) > 0;
        if (load.cycles[vector] > 1 && may_lack_second_buffer(load.operand, load.link, vector))
          stalls = runs_matter_ = true;
      }
      most_load += most;
    }
    if (stalls) stalling.push_back(port);
    if (most_load > loads_.longest_windows && problem_.tables.ports[port].services.size() > 1)
      add(Kind::load, port);
  }
  for (const int port : stalling) add(Kind::stalls, port);
  // Ports on which loading takes long enough to matter, the busiest first.
  const std::size_t base_families = families_.size();
  const std::size_t full = problem_.space.lattice().full();
  std::vector<std::pair<double, int>> busiest;
  for (int port = 0; port < static_cast<int>(problem_.tables.ports.size()); ++port) {
    double cycles = 0;
    for (const TransferLoad& load : loads_.loads) {
      const bool once = load.port == port && OneTimeLoads::waits_for(load) &&
                        problem_.fit.fits(load.operand, load.link - 1, full, false);
      if (once) cycles += load.cycles[full];
    }
    if (cycles >= 0.01 * loads_.computation) busiest.emplace_back(-cycles, port);
  }
  std::sort(busiest.begin(), busiest.end());
  for (const auto& [cycles, port] : busiest) {
    if (families_.size() >= most_families) break;
    beside_ports_.push_back(port);
    for (std::size_t i = 0; i < base_families && families_.size() < most_families; ++i) {
      Family family = families_[i];
      family.beside = port;
      family.base = static_cast<int>(i);
      families_.push_back(family);
    }
  }
}

bool LatencyCosts::closable(const TransferLoad& load, std::size_t vector) const {
  if (!problem_.space.changes_above(load.operand, vector)) return false;
  return load.link == 0 ? problem_.space.all_irrelevant(load.operand, vector)
                        : problem_.fit.fits(load.operand, load.link - 1, vector, false);
}

/// A memory that is at most half full has a second buffer, whoever else is in it... as far as one operand
/// can tell: others may take the room.
bool LatencyCosts::may_lack_second_buffer(int operand, int link, std::size_t vector) const {
  return link > 0 && loads_.share[operand][link][vector] > 0.5;
}

double LatencyCosts::own_cost(const Family& family, const TransferLoad& load, std::size_t vector) const {
  double cost = 0;
  if (load.port == family.beside) cost += required(load.port, load, vector) * once_.free_per_bit(load.port);
  if (load.port != family.port || load.cycles[vector] == 0) return cost;
  const double cycles = load.cycles[vector];
  const double repeats = loads_.count(load, vector) - 1;
  if (family.kind == Kind::load) return cost + cycles * repeats;
  return cost + std::max(0.0, cycles - loads_.period(load, vector)) * repeats;
}

/// Bits per cycle that the transfer needs of the port while the units compute.
double LatencyCosts::required(int port, const TransferLoad& load, std::size_t vector) const {
  const bool repeated = !load.partial_sums_back && loads_.count(load, vector) > 1;
  return load.port == port && repeated ? load.bandwidth[vector] : 0;
}

void LatencyCosts::add(int operand, int link, std::size_t vector, std::int64_t run, double* paid) const {
  if (!may_lack_second_buffer(operand, link, vector)) return;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand != operand || load.link != link || load.cycles[vector] == 0) continue;
    const double with = std::max(0.0, load.cycles[vector] - loads_.period(load, vector));
    const double without = std::max(0.0, load.cycles[vector] - loads_.period(load, vector, run));
    if (without == with) continue;
    const double more = (without - with) * (loads_.count(load, vector) - 1);
    for (std::size_t i = 0; i < families_.size(); ++i) {
      if (families_[i].kind == Kind::stalls && families_[i].port == load.port)
        paid[first_family_ + i] += more;
    }
  }
}

LinkCosts LatencyCosts::costs(const Ending& ending, const StallRange& stalls) const {
  LinkCosts costs = costs_;
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    for (std::size_t closed = 0; closed < costs.endings[operand].size(); ++closed) {
      auto& ends = costs.endings[operand][closed];
      std::fill(ends.begin(), ends.end(), static_cast<int>(closed) == ending[operand] ? 0 : infinity);
      if (first_family_ == 1 && ends[0] == 0) ends[0] = energy_endings_[operand][closed][0];
    }
  }
  if (first_family_ == 1) costs.constant[0] = energy_constant_;
  costs.rules.assign(costs.constant.size(), {});
  for (std::size_t i = 0; i < beside_ports_.size(); ++i)
    costs.rules[first_family_ + families_.size() + i].counts = false;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = families_[i];
    const LoadingPath& path = paths_[family.path];
    double& constant = costs.constant[first_family_ + i];
    constant = loads_.computation;
    if (family.kind == Kind::no_port) constant += stalls.least;
    if (family.kind == Kind::load) constant -= loads_.longest_windows;
    if (family.beside < 0) {
      constant += once_.least(ending, path, stalls);
      continue;
    }
    const OneTimeLoads::BesideRepeated beside = once_.beside(ending, path, stalls, family.beside);
    const double unhidden = constant + once_.least(ending, path, stalls, family.beside) + beside.unhidden;
    constant = unhidden - beside.free;
    LinkCosts::Rule& rule = costs.rules[first_family_ + i];
    const auto port = std::find(beside_ports_.begin(), beside_ports_.end(), family.beside);
    rule.addend =
        static_cast<int>(first_family_ + families_.size()) + static_cast<int>(port - beside_ports_.begin());
    rule.factor = once_.free_per_bit(family.beside) * stalls.least / loads_.busy;
    rule.cap = static_cast<int>(first_family_) + family.base;
    rule.more = unhidden - costs.constant[rule.cap];
  }
  return costs;
}

double LatencyCosts::least_loading(const Ending& ending, const StallRange& stalls) const {
  double least = 0;
  for (std::size_t path = 0; path < paths_.size(); ++path) {
    double sum = once_.least(ending, paths_[path], stalls);
    for (int operand = 0; operand < problem_.space.operands(); ++operand)
      sum += repeated_[path][operand][ending[operand]];
    least = path == 0 ? sum : std::max(least, sum);
  }
  return least;
}

}  // namespace zz::core
