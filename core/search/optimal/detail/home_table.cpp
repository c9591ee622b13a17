#include "core/search/optimal/detail/home_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {
namespace {

/// By memory; empty: the operands do not all have a home above a memory that serves the whole array.
std::vector<bool> homes_of(const Layer& layer, const Accelerator& accelerator) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  std::vector<bool> homes(accelerator.memories.size(), false), passed(accelerator.memories.size(), false);
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const int index = hierarchy.operand_index(layer.memory_operand(operand));
    if (index < 0) return {};
    const std::vector<int>& levels = hierarchy.levels[static_cast<std::size_t>(index)];
    if (levels.size() < 2) return {};
    for (std::size_t level = levels.size(); level-- > levels.size() - 2;)
      if (accelerator.instances(accelerator.memories[static_cast<std::size_t>(levels[level])]) != 1)
        return {};
    homes[static_cast<std::size_t>(levels.back())] = true;
    for (std::size_t level = 0; level + 1 < levels.size(); ++level)
      passed[static_cast<std::size_t>(levels[level])] = true;
  }
  for (std::size_t memory = 0; memory < homes.size(); ++memory)
    if (homes[memory] && passed[memory]) return {};
  return homes;
}

/// Nothing but accesses to the homes cost, and memories of which there are several have room for all.
Accelerator with_homes_alone(const Accelerator& accelerator, const std::vector<bool>& homes) {
  Accelerator alone = accelerator;
  alone.array.unit_energy = 0;
  for (std::size_t index = 0; index < homes.size(); ++index) {
    Memory& memory = alone.memories[index];
    if (!homes[index]) memory.read_cost = memory.write_cost = 0;
    if (accelerator.instances(accelerator.memories[index]) > 1)
      memory.size = std::numeric_limits<std::int64_t>::max() / 2;
  }
  return alone;
}

struct TableLimits {
  double multisets, numbers;
};

/// With these costs, where it is not large and can be proven.
template <class Costs>
std::optional<HomeTable> home_table(const Layer& layer, const Accelerator& alone,
                                    const CostModelOptions& model, const TableLimits& most,
                                    const Costs& costs) {
  SpatialUnrolling nothing;
  for (const ArrayDimension& dimension : alone.array.dimensions)
    nothing.dimensions.push_back({dimension.name, {}});
  try {
    const MappingProblem given =
        unrolled_problem(layer, std::make_shared<const Accelerator>(alone), nothing, model);
    if (count_multisets(given) > most.multisets) return {};
    const SearchProblem home(given);
    if (JointCostToGo::size(home.space, home.fit, 1) > most.numbers) return {};
    return HomeTable(layer, home, costs(home));
  } catch (const NoResult&) {
    return {};
  } catch (const InputError&) {
    return {};
  }
}

/// A service of the port of a home, which passes data on to the memory below.
bool serves_below(const CostTables& tables, const Service& service) {
  return service.level + 1 == tables.operands[service.operand].levels &&
         boundary_of(tables, service) == std::optional<int>(service.level);
}

struct PortIndex {
  std::size_t memory = 0, port = 0;
  const Port& of(const Accelerator& accelerator) const { return accelerator.memories[memory].ports[port]; }
};

/// The port of a home that most operands and directions share; nothing: there is none.
std::optional<PortIndex> busiest_port(const Accelerator& accelerator, const std::vector<bool>& homes) {
  std::optional<PortIndex> busiest;
  for (std::size_t memory = 0; memory < homes.size(); ++memory) {
    for (std::size_t port = 0; homes[memory] && port < accelerator.memories[memory].ports.size(); ++port) {
      const PortIndex one{memory, port};
      if (!busiest || one.of(accelerator).allocation.size() > busiest->of(accelerator).allocation.size())
        busiest = one;
    }
  }
  return busiest;
}

/// Cycles of a port of the home, as BoundaryCost::busy.
LabelCosts times_of_port(const SearchProblem& home, const PortIndex& index) {
  const CostTables& tables = home.tables;
  const auto port = std::find_if(tables.ports.begin(), tables.ports.end(), [&](const PortTable& one) {
    return one.memory == static_cast<int>(index.memory) && one.port == static_cast<int>(index.port);
  });
  if (port == tables.ports.end()) throw NoResult("no operand of the layer uses the port");
  const std::size_t multisets = home.space.lattice().size();
  LabelCosts::Boundaries boundaries;
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    const OperandTable& table = tables.operands[operand];
    MultisetTraffic moved(home, operand);
    boundaries[operand].assign(static_cast<std::size_t>(table.levels), std::vector<double>(multisets));
    const int boundary = table.levels - 1;
    for (const Service& service : port->services) {
      if (service.operand != operand || !serves_below(tables, service)) continue;
      const int direction = static_cast<int>(service.direction);
      const TransferPort& width = table.port[boundary][direction];
      const bool returns = returns_partial_sums(tables, service);
      // Accesses of one portion, by relevant loops below; [1]: of partial sums.
      std::array<std::vector<double>, 2> each;
      for (const bool partial : {false, true}) {
        if (partial && !table.output) continue;
        for (std::size_t relevant = 0; relevant < moved.traffic.lattice().size(); ++relevant) {
          const auto& transfers =
              partial ? moved.traffic.partial_at(relevant, false) : moved.traffic.at(relevant, false);
          each[partial].push_back(portion_accesses(transfers[boundary][direction], width));
        }
      }
      for (std::size_t multiset = 0; multiset < multisets; ++multiset) {
        const bool partial = moved.is_partial(multiset);
        if (returns && !partial) continue;
        const auto portions = static_cast<double>(moved.count(multiset));
        const double visits =
            static_cast<double>(moved.traffic.repeats()) / static_cast<double>(moved.repeats[multiset]);
        boundaries[operand][static_cast<std::size_t>(boundary)][multiset] +=
            each[partial][moved.relevant[multiset]] * (returns ? portions - portions / visits : portions);
      }
    }
  }
  return with_residencies(home, std::move(boundaries));
}

/// An accelerator with all that times depend on: the room, and the least portions of ports of the home.
Accelerator with_least_portions(Accelerator alone, const std::vector<bool>& homes) {
  constexpr std::int64_t any_width = 1 << 20;
  for (ArrayDimension& dimension : alone.array.dimensions) dimension.size = 1;
  for (std::size_t index = 0; index < homes.size(); ++index) {
    Memory& memory = alone.memories[index];
    memory.read_cost = memory.write_cost = memory.area = 0;
    for (Port& port : memory.ports) {
      if (!homes[index]) port.bandwidth_min = any_width;
      port.bandwidth_max = port.bandwidth_min;
    }
  }
  return alone;
}

bool has_the_form(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model) {
  const auto shares_tiles = [](const Memory& memory) { return memory.shared_tiles; };
  return !accelerator.array.imc && !gives_original_figures(model.rules) &&
         layer.mapping.temporal_ordering.empty() &&
         std::none_of(accelerator.memories.begin(), accelerator.memories.end(), shares_tiles);
}

}  // namespace

std::optional<HomeEnergy> HomeEnergy::of(const Layer& layer,
                                         const std::shared_ptr<const Accelerator>& accelerator,
                                         const CostModelOptions& model) {
  if (!has_the_form(layer, *accelerator, model)) return {};
  const std::vector<bool> homes = homes_of(layer, *accelerator);
  if (homes.empty()) return {};
  auto others = std::make_shared<Accelerator>(*accelerator);
  for (std::size_t memory = 0; memory < homes.size(); ++memory)
    if (homes[memory]) others->memories[memory].read_cost = others->memories[memory].write_cost = 0;
  // Both in docs/limits.md.
  constexpr double most_multisets = 1 << 13;
  constexpr double most_numbers = 1 << 17;
  std::optional<HomeTable> table = home_table(layer, with_homes_alone(*accelerator, homes), model,
                                              {most_multisets, most_numbers}, energy_costs);
  if (!table) return {};
  return HomeEnergy(std::move(*table), std::move(others));
}

HomeTimes::Time HomeTimes::on(const Accelerator& accelerator) {
  Time time;
  if (!has_the_form(layer_, accelerator, model_) || model_.rules.faster_than_ports ||
      !first_further_key(accelerator).empty())
    return time;
  const std::vector<bool> homes = homes_of(layer_, accelerator);
  if (homes.empty()) return time;
  const std::optional<PortIndex> port = busiest_port(accelerator, homes);
  if (!port) return time;
  time.cycles_ = static_cast<double>(port->of(accelerator).bandwidth_min) /
                 static_cast<double>(port->of(accelerator).bandwidth_max);
  Accelerator seen = with_least_portions(with_homes_alone(accelerator, homes), homes);
  std::vector<std::int64_t> sizes;
  for (const Memory& memory : seen.memories) sizes.push_back(memory.size);
  const std::lock_guard lock(mutex_);
  auto& known = tables_[sizes];
  const auto same =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == seen; });
  if (same != known.end()) {
    time.table_ = same->second;
    return time;
  }
  // Both in docs/limits.md. More accelerators share a table of times.
  constexpr double most_timed_multisets = 1 << 14;
  constexpr double most_timed_numbers = 1 << 18;
  if (std::optional<HomeTable> table =
          home_table(layer_, seen, model_, {most_timed_multisets, most_timed_numbers},
                     [&](const SearchProblem& home) { return times_of_port(home, *port); }))
    time.table_ = std::make_shared<const HomeTable>(std::move(*table));
  known.emplace_back(std::move(seen), time.table_);
  return time;
}

std::optional<double> HomeTimes::Time::of(const SpatialUnrolling& unrolling) const {
  if (table_ == nullptr) return {};
  const std::optional<double> portions = table_->of(unrolling);
  if (!portions || !(*portions < infinite)) return portions;
  return whole_cycles(*portions * cycles_);
}

HomeTable::HomeTable(const Layer& layer, const SearchProblem& home, const LabelCosts& costs)
    : loops_(layer.loops), lattice_(home.space.lattice()) {
  for (int loop = 0; loop < static_cast<int>(loops_.size()); ++loop)
    adds_.push_back(layer.relevancy(0, loop) == Relevancy::irrelevant);
  const JointCostToGo joint = least_in_one_order(home, costs);
  least_.reserve(lattice_.size());
  for (std::size_t multiset = 0; multiset < lattice_.size(); ++multiset)
    least_.push_back(*joint.of({}, multiset));
}

std::optional<double> HomeTable::of(const SpatialUnrolling& unrolling) const {
  std::vector<std::int64_t> factors(loops_.size(), 1);
  for (const ArrayUnrolling& dimension : unrolling.dimensions) {
    for (const SpatialLoop& unrolled : dimension.loops) {
      for (std::size_t loop = 0; loop < loops_.size(); ++loop)
        if (loops_[loop].name == unrolled.dimension) factors[loop] *= unrolled.factor;
    }
  }
  std::int64_t sums = 1, sums_in_time = 1;
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    if (loops_[loop].size % factors[loop] != 0) return {};
    if (!adds_[loop]) continue;
    sums *= loops_[loop].size;
    sums_in_time *= loops_[loop].size / factors[loop];
  }
  if (sums > 1 && sums_in_time == 1) return {};
  std::size_t multiset = 0;
  for (std::size_t kind = 0; kind < lattice_.kinds().size(); ++kind) {
    const LoopKind& loop = lattice_.kinds()[kind];
    std::int64_t& factor = factors[static_cast<std::size_t>(loop.dimension)];
    for (; factor % loop.size == 0; factor /= loop.size) multiset += lattice_.stride(kind);
  }
  return least_[multiset];
}

}  // namespace zz::core
