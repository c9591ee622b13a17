#include "core/search/optimal/detail/port_loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"

namespace zz::core {

PortLoads::PortLoads(const SearchProblem& problem)
    : cycles_per_operation_(problem.tables.cycles_per_operation) {
  const CostTables& tables = problem.tables;
  const ExponentLattice& lattice = problem.space.lattice();
  for (std::size_t port = 0; port < tables.ports.size(); ++port) {
    for (const Service& service : tables.ports[port].services) {
      const std::optional<int> boundary = boundary_of(tables, service);
      if (!boundary) continue;
      const bool every_cycle = *boundary == 0 && (tables.operands[service.operand].output ||
                                                  !problem.given.options.same_data_free);
      loads.push_back({static_cast<int>(port), service.operand, *boundary,
                       static_cast<int>(service.direction), returns_partial_sums(tables, service),
                       every_cycle, std::vector<double>(lattice.size()),
                       std::vector<double>(lattice.size()), std::vector<double>(lattice.size())});
    }
  }
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    lowest_bits[operand].resize(lattice.size());
    share[operand].assign(tables.operands[operand].levels + 1, std::vector<double>(lattice.size()));
  }
  iterations.resize(lattice.size());
  for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
    const CompactMapping mapping = one_cut_mapping(tables, lattice, multiset);
    std::array<std::array<BoundaryCost, max_memory_levels>, max_operands> costs;  // by boundary
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      for (int level = 0; level <= tables.operands[operand].levels; ++level)
        costs[operand][level] = cost_of(tables, problem.given.options, mapping, operand, level);
    }
    iterations[multiset] = 1;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      for (int i = lattice.count(multiset, kind); i-- > 0;)
        iterations[multiset] *= lattice.kinds()[kind].size;
    }
    total = all_iterations(mapping);
    for (TransferLoad& load : loads) {
      const BoundaryCost& cost = costs[load.operand][load.boundary];
      if (load.partial_sums_back && !cost.partial_sum) continue;
      const int direction = load.direction;
      load.cycles[multiset] = static_cast<double>(cost.cycles[direction]);
      load.bandwidth[multiset] = cost.demand[direction];
      load.busy[multiset] = cost.busy[direction] / static_cast<double>(cost.count);
    }
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      lowest_bits[operand][multiset] = costs[operand][1].whole_bits;
      for (int boundary = 1; boundary <= tables.operands[operand].levels; ++boundary) {
        share[operand][boundary][multiset] =
            costs[operand][boundary].bits / tables.operands[operand].size[boundary - 1];
      }
    }
  }
  computation = static_cast<double>(total) * cycles_per_operation_;
  busy = std::ceil(computation);
  drain = static_cast<double>(tables.drain);
  longest_windows = static_cast<double>(total) * std::ceil(cycles_per_operation_);
}

double PortLoads::period(const TransferLoad& load, std::size_t multiset, std::int64_t kept) const {
  const std::int64_t loops = load.every_cycle ? 1 : iterations[multiset] / kept;
  return static_cast<double>(scaled_cycles(loops, cycles_per_operation_));
}

CompactMapping one_cut_mapping(const CostTables& tables, const ExponentLattice& lattice,
                               std::size_t multiset) {
  std::array<std::int64_t, max_loop_dimensions> inner;
  std::array<std::int64_t, max_loop_dimensions> outer;
  inner.fill(1);
  outer.fill(1);
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopKind& loop = lattice.kinds()[kind];
    const int below = lattice.count(multiset, kind);
    for (int i = 0; i < loop.count; ++i) (i < below ? inner : outer)[loop.dimension] *= loop.size;
  }
  CompactMapping mapping;
  const auto put = [&](const auto& sizes) {
    for (std::size_t dimension = 0; dimension < max_loop_dimensions; ++dimension) {
      if (sizes[dimension] == 1) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(dimension);
      mapping.size[mapping.loops++] = sizes[dimension];
    }
  };
  put(inner);
  const auto cut = static_cast<std::uint8_t>(mapping.loops);
  // With a single memory there is no cut: a relevant loop of one iteration ends the cycles for which the
  // units keep an element.
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    const OperandTable& table = tables.operands[operand];
    if (table.levels > 1) continue;
    for (const LoopKind& loop : lattice.kinds()) {
      if (table.relevancy[loop.dimension] == Relevancy::irrelevant) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop.dimension);
      mapping.size[mapping.loops++] = 1;
      break;
    }
  }
  put(outer);
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    const int levels = tables.operands[operand].levels;
    for (int level = 0; level < levels; ++level) {
      mapping.stationary[operand][level] =
          level + 1 < levels ? cut : static_cast<std::uint8_t>(mapping.loops);
    }
  }
  return mapping;
}

OneTimeLoads::OneTimeLoads(const SearchProblem& problem, const PortLoads& loads)
    : problem_(problem), loads_(loads) {
  const std::size_t full = problem.space.lattice().full();
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const int levels = problem.tables.operands[operand].levels;
    std::vector<int> shared_sides(levels, 0);
    for (const TransferLoad& load : loads.loads) {
      if (load.operand == operand && waits_for(load) && problem.tables.ports[load.port].serves_both_inputs)
        ++shared_sides[load.boundary];
    }
    sharing_[operand].assign(levels, Sharing::individual);
    bool last = true;
    for (int boundary = levels; operand > 0 && boundary-- > 1;) {
      if (shared_sides[boundary] == 2) sharing_[operand][boundary] = Sharing::shared;
      if (shared_sides[boundary] != 1) continue;
      const bool forgotten = problem.given.options.rules.highest_half_shared_only && !last;
      sharing_[operand][boundary] = forgotten ? Sharing::forgotten : Sharing::half_shared;
      last = false;
    }
    if (problem.given.options.rules.shared_loading_forgotten && problem.space.operands() == 2) {
      for (Sharing& sharing : sharing_[operand])
        if (sharing != Sharing::individual) sharing = Sharing::forgotten;
    }
    classify(operand);
  }
  for (const TransferLoad& load : loads.loads) {
    double least = infinite;
    double most = 0;
    for (std::size_t multiset = 0; multiset <= full; ++multiset) {
      const bool closable = load.boundary == 0
                                ? problem.space.all_irrelevant(load.operand, multiset)
                                : problem.fit.fits(load.operand, load.boundary - 1, multiset, false);
      if (!closable || !problem.space.changes_above(load.operand, multiset)) continue;
      least = std::min(least, load.bandwidth[multiset]);
      most = std::max(most, load.bandwidth[multiset]);
    }
    most_bandwidth_.push_back(most);
    least_bandwidth_.push_back(std::isfinite(least) ? least : 0);
  }
}

void OneTimeLoads::classify(int operand) {
  constexpr std::size_t most_classes = 500;
  const std::size_t full = problem_.space.lattice().full();
  std::vector<double> widths;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand == operand && !load.partial_sums_back)
      widths.push_back(problem_.tables.ports[load.port].bandwidth_max);
  }
  std::map<std::vector<double>, std::uint16_t> classes;
  least_lowest_bits_[operand] = infinite;
  class_of_[operand].assign(full + 1, 0);
  bits_[operand].assign(1, 0);
  all_classified_[operand] = true;
  std::vector<double> cycles(widths.size());
  for (std::size_t multiset = 0; multiset <= full; ++multiset) {
    if (!problem_.fit.fits(operand, 0, multiset, false)) continue;
    const double bits = loads_.lowest_bits[operand][multiset];
    least_lowest_bits_[operand] = std::min(least_lowest_bits_[operand], bits);
    most_lowest_bits_[operand] = std::max(most_lowest_bits_[operand], bits);
    for (std::size_t i = 0; i < widths.size(); ++i) cycles[i] = std::ceil(bits / widths[i]);
    const auto known = classes.find(cycles);
    if (known != classes.end()) {
      class_of_[operand][multiset] = known->second;
    } else if (classes.size() < most_classes) {
      class_of_[operand][multiset] = static_cast<std::uint16_t>(bits_[operand].size());
      classes.emplace(cycles, class_of_[operand][multiset]);
      bits_[operand].push_back(bits);
    } else {
      all_classified_[operand] = false;
    }
  }
}

bool OneTimeLoads::is_once(const FinalResidency& residency, const TransferLoad& load) const {
  if (load.partial_sums_back) return false;
  if (load.boundary > 0) return load.boundary > residency[load.operand];
  return load.every_cycle ? loads_.total == 1 : !problem_.space.changes_above(load.operand, 0);
}

}  // namespace zz::core
