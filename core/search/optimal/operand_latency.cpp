#include "core/search/optimal/operand_latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/cost/rounding.hpp"

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void lower(double& least, double value) { least = std::min(least, value); }

using Ending = OperandLatency::Ending;
using OnPort = OperandLatency::OnPort;
constexpr int ways = OperandLatency::ways;
using Moved = OperandPortions::Moved;

class LatencyTables {
 public:
  LatencyTables(OperandPortions& portions, const CostTables& tables, int operand);
  OperandLatency result() { return std::move(result_); }

 private:
  /// A transfer that is waited for, or goes to or from the units.
  struct Service {
    int port, link, level;
    Direction direction;
  };
  /// The least figures of a link that is closed before all loops are placed.
  struct Link {
    bool closes = false;
    std::array<bool, ways> counts{};
    double waiting[ways];
    std::vector<OnPort> ports;
  };

  void find_services();
  Link blank(int link) const;
  void close(Link& link, int index, const Moved& transfers) const;
  void add_repeated(Ending& ending, const Link& link) const;
  void add_once(Ending& ending, int closed, const Moved& transfers) const;
  double cycles_of(const Service& service, const Moved& transfers) const;

  OperandPortions& portions_;
  const CostTables& tables_;
  int operand_;
  std::vector<Service> services_;
  std::vector<bool> is_shared_;  ///< by link
  OperandLatency result_;
};

LatencyTables::LatencyTables(OperandPortions& portions, const CostTables& tables, int operand)
    : portions_(portions), tables_(tables), operand_(operand) {
  portions.prepare_all();
  find_services();
  const int levels = portions.levels();
  std::vector<Link> links;
  for (int link = 0; link < levels; ++link) links.push_back(blank(link));
  const std::size_t full = portions.lattice().full();
  for (std::size_t vector = 0; vector < full; ++vector) {
    const Moved& transfers = portions.at(vector, true);
    for (int link = 0; link < levels; ++link) {
      if (link == 0 ? vector == 0 : portions.fits(link - 1, vector)) close(links[link], link, transfers);
    }
  }
  const Moved& at_end = portions.at(full, true);
  // The units of the output change what they use every cycle.
  if (full == 0 && portions.total() > 1) close(links[0], 0, at_end);
  result_.endings.resize(levels);
  bool fits = true;
  for (int ending = levels; ending-- > 0;) {
    fits = fits && portions.fits(ending, full);
    result_.endings[ending].possible = fits;
  }
  for (int ending = 0; ending < levels; ++ending) {
    Ending& result = result_.endings[ending];
    result.ports.resize(tables.ports.size());
    for (int link = 0; link <= ending; ++link) {
      if (links[link].closes)
        add_repeated(result, links[link]);
      else if (link > 0)
        result.possible = false;
    }
    add_once(result, ending, at_end);
  }
}

void LatencyTables::find_services() {
  const OperandTable& table = portions_.table();
  std::vector<int> shared_sides(table.levels, 0);
  for (std::size_t port = 0; port < tables_.ports.size(); ++port) {
    for (const core::Service& service : tables_.ports[port].services) {
      if (service.operand != operand_) continue;
      const bool low_side =
          service.direction == Direction::read_to_low || service.direction == Direction::write_from_low;
      const int link = low_side ? service.level : service.level + 1;
      if (link >= table.levels) continue;  // nothing lies above
      const bool upwards =
          service.direction == Direction::write_from_low || service.direction == Direction::read_to_high;
      // Inputs are never written back. Partial sums that return are left out: some mappings have none.
      if (upwards != table.output) continue;
      services_.push_back({static_cast<int>(port), link, service.level, service.direction});
      if (link > 0 && !table.output && tables_.ports[port].serves_both_inputs) ++shared_sides[link];
    }
  }
  for (const int sides : shared_sides) is_shared_.push_back(sides == 2);
}

LatencyTables::Link LatencyTables::blank(int link) const {
  Link blank;
  OnPort least;
  least.load = least.stalls = least.required = infinity;
  for (int way = 0; way < ways; ++way)
    least.load_and_waiting[way] = least.stalls_and_waiting[way] = blank.waiting[way] = infinity;
  blank.ports.assign(tables_.ports.size(), least);
  blank.counts = {false, is_shared_[link], link > 0};
  return blank;
}

/// The link may be closed where these transfers cross it.
void LatencyTables::close(Link& link, int index, const Moved& transfers) const {
  link.closes = true;
  std::vector<OnPort> here(tables_.ports.size());
  double waiting = 0;
  for (const Service& service : services_) {
    if (service.link != index) continue;
    const LevelTransfer& transfer = transfers[service.level][static_cast<int>(service.direction)];
    if (transfer.count == 0) continue;
    const double cycles = cycles_of(service, transfers);
    const double repeats = static_cast<double>(transfer.count - 1);
    const double period = std::ceil(static_cast<double>(transfer.period) * tables_.cycles_per_operation);
    OnPort& port = here[service.port];
    port.load += cycles * repeats;
    port.stalls += std::max(0.0, cycles - period) * repeats;
    if (repeats > 0)
      port.required += std::ceil(static_cast<double>(transfer.bandwidth) / tables_.cycles_per_operation);
    waiting = std::max(waiting, cycles);
  }
  for (int way = 0; way < ways; ++way) lower(link.waiting[way], link.counts[way] ? waiting : 0);
  for (std::size_t i = 0; i < here.size(); ++i) {
    OnPort& least = link.ports[i];
    lower(least.load, here[i].load);
    lower(least.stalls, here[i].stalls);
    lower(least.required, here[i].required);
    for (int way = 0; way < ways; ++way) {
      const double waited = link.counts[way] ? waiting : 0;
      lower(least.load_and_waiting[way], here[i].load + waited);
      lower(least.stalls_and_waiting[way], here[i].stalls + waited);
    }
  }
}

void LatencyTables::add_repeated(Ending& ending, const Link& link) const {
  for (int way = 0; way < ways; ++way) ending.waiting[way] += link.waiting[way];
  for (std::size_t i = 0; i < ending.ports.size(); ++i) {
    OnPort& sum = ending.ports[i];
    const OnPort& more = link.ports[i];
    sum.load += more.load;
    sum.stalls += more.stalls;
    sum.required += more.required;
    for (int way = 0; way < ways; ++way) {
      sum.load_and_waiting[way] += more.load_and_waiting[way];
      sum.stalls_and_waiting[way] += more.stalls_and_waiting[way];
    }
  }
}

void LatencyTables::add_once(Ending& ending, int closed, const Moved& transfers) const {
  const double first = portions_.first_bits(closed == 0 ? portions_.lattice().full() : 0);
  for (const Service& service : services_) {
    if (service.link == 0 || service.link <= closed) continue;
    const double cycles = cycles_of(service, transfers);
    const double floor = std::min(cycles, std::ceil(first / tables_.ports[service.port].bandwidth_max));
    OnPort& port = ending.ports[service.port];
    for (const auto way : {OperandLatency::shared, OperandLatency::all}) {
      if (way == OperandLatency::shared && !is_shared_[service.link]) continue;
      port.once[way] += cycles;
      port.floor[way] += floor;
    }
  }
}

double LatencyTables::cycles_of(const Service& service, const Moved& transfers) const {
  const int direction = static_cast<int>(service.direction);
  const double width = portions_.table().port[service.level][direction].bandwidth_max;
  const LevelTransfer& transfer = transfers[service.level][direction];
  return width == 0 ? 0 : static_cast<double>(ceil_quotient(transfer.elements * transfer.precision, width));
}

}  // namespace

OperandLatency operand_latency(OperandPortions& portions, const CostTables& tables, int operand) {
  return LatencyTables(portions, tables, operand).result();
}

}  // namespace zz::core
