#include "core/search/optimal/detail/energy_proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/rounding.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/mapping_search.hpp"
#include "core/search/optimal/detail/traffic.hpp"

namespace zz::core {

namespace {

OperandTraffic traffic_of(const SearchProblem& problem, int operand) {
  std::vector<RemainingLoop> loops;
  std::vector<FactorTable> factors;
  for (const LoopKind& kind : problem.space.lattice().kinds()) {
    std::int64_t iterations = 1;
    for (int i = 0; i < kind.count; ++i) iterations *= kind.size;
    loops.push_back({kind.dimension, iterations});
    factors.push_back({kind.dimension, {{kind.size, kind.count}}});
  }
  return {problem.tables,
          loops,
          operand,
          factors,
          problem.given.options.same_data_free,
          false,
          OperandTraffic::Counting::as_modelled};
}

/// Where tiles do not divide their loops, or units do not, portions are of several sizes: the cost model
/// itself counts them, once for all multisets with the same tiles of the operand. Those cross as often as
/// there are tiles of the other loops together.
class EnergiesOfSizes {
 public:
  EnergiesOfSizes(const SearchProblem& problem, int operand)
      : problem_(problem),
        tables_(problem.tables),
        operand_(operand),
        table_(tables_.operands[operand]),
        kept_(!table_.output && problem.given.options.same_data_free) {
    for (const UnrolledFactor& loop : tables_.fractional[operand].loops.all())
      if (snapped(loop.factor) != std::floor(snapped(loop.factor))) uneven_[loop.dimension] = true;
  }

  std::vector<std::vector<double>> all() {
    const ExponentLattice& lattice = problem_.space.lattice();
    const auto boundaries = static_cast<std::size_t>(table_.levels);
    std::vector<std::vector<double>> energies(boundaries, std::vector<double>(lattice.size()));
    for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
      const CompactMapping mapping = one_cut_mapping(tables_, lattice, multiset);
      const TilesBelow tiles = tiles_of(tables_, lattice, multiset, mapping);
      double repeats = 1;
      const std::vector<Crossing>& each = known(mapping, tiles, repeats);
      for (std::size_t boundary = 0; boundary < boundaries; ++boundary)
        energies[boundary][multiset] = energy(each[boundary], static_cast<int>(boundary), repeats);
    }
    return energies;
  }

 private:
  struct Crossing {
    bool missing_port = false;
    PerDirection<double> accesses{};  ///< for each tile of the other loops
  };

  /// Over boundary 0 data cross in every step, unless the units keep them.
  double times(int boundary, double repeats) const { return boundary == 0 && !kept_ ? 1 : repeats; }
  bool irrelevant(int loop) const { return table_.relevancy[loop] == Relevancy::irrelevant; }

  /// `repeats`: tiles of the loops that are irrelevant to the operand.
  const std::vector<Crossing>& known(const CompactMapping& mapping, const TilesBelow& tiles,
                                     double& repeats) {
    std::int64_t others = 1;
    key_.clear();
    for (int loop = 0; loop < tables_.dimensions; ++loop) {
      if (!irrelevant(loop)) {
        key_.push_back(tiles.whole(loop));
        continue;
      }
      others *= tiles.tiles(loop);
      // Units that work in some rounds take a portion more or less often by the rounds inside it.
      if (uneven_[loop]) key_.push_back(tiles.whole(loop));
    }
    repeats = static_cast<double>(others);
    key_.push_back(others > 1 ? 1 : 0);
    const auto [found, is_new] = known_.try_emplace(key_);
    if (!is_new) return found->second;
    for (int boundary = 0; boundary < table_.levels; ++boundary) {
      const BoundaryCost cost = cost_of(tables_, problem_.given.options, mapping, operand_, boundary);
      Crossing& each = found->second.emplace_back();
      each.missing_port = cost.missing_port;
      for (int direction = 0; direction < direction_count; ++direction)
        each.accesses[direction] = cost.uncut[direction] / times(boundary, repeats);
    }
    return found->second;
  }

  double energy(const Crossing& each, int boundary, double repeats) const {
    if (each.missing_port) return infinite;
    double sum = 0;
    for (int direction = 0; direction < direction_count; ++direction) {
      const double all = snapped(each.accesses[direction] * times(boundary, repeats));
      sum += static_cast<double>(truncate(all)) * table_.energy[memory_at(boundary, direction)][direction];
    }
    return sum;
  }

  const SearchProblem& problem_;
  const CostTables& tables_;
  int operand_;
  const OperandTable& table_;
  bool kept_;                                       ///< by units, an input for which they wait once
  std::array<bool, max_loop_dimensions> uneven_{};  ///< loops that units do not divide
  std::vector<std::int64_t> key_;
  std::map<std::vector<std::int64_t>, std::vector<Crossing>> known_;
};

/// pJ by operand, boundary and multiset.
LabelCosts::Boundaries tabulate_energies(const SearchProblem& problem) {
  const CostTables& tables = problem.tables;
  if (has_ragged_tiles(tables, problem.space.lattice())) {
    LabelCosts::Boundaries ragged;
    for (int operand = 0; operand < tables.operand_count; ++operand)
      ragged[operand] = EnergiesOfSizes(problem, operand).all();
    return ragged;
  }
  const TemporalSpace& space = problem.space;
  const bool same_data_free = problem.given.options.same_data_free;
  LabelCosts::Boundaries boundaries;
  const ExponentLattice& lattice = space.lattice();
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    MultisetTraffic moved(problem, operand);
    const bool in_array = tables.imc && tables.imc->weight_operand == operand;
    if (tables.fractional[operand].has_rounds_of_two_sizes && !tables.whole_units) {
      boundaries[operand] = EnergiesOfSizes(problem, operand).all();
      for (std::size_t multiset = 0; multiset < lattice.size() && in_array; ++multiset)
        boundaries[operand][0][multiset] +=
            tables.imc->with_repeats(static_cast<double>(moved.repeats[multiset])).total();
      continue;
    }
    OperandTraffic& traffic = moved.traffic;
    const OperandTable& table = tables.operands[operand];
    const std::size_t relevant_size = traffic.lattice().size();
    const auto boundary_count = static_cast<std::size_t>(table.levels);
    // By multiset of relevant loops and boundary; [1]: with irrelevant loops above.
    std::array<std::vector<BoundaryEnergy>, 2> energies;
    for (const bool partial : {false, true}) {
      if (partial && !table.output) continue;
      for (std::size_t relevant = 0; relevant < relevant_size; ++relevant) {
        const OperandTraffic::Transfers& transfers =
            partial ? traffic.partial_at(relevant, false) : traffic.at(relevant, false);
        for (int boundary = 0; boundary < table.levels; ++boundary)
          energies[partial ? 1 : 0].push_back(traffic.energy(transfers, boundary));
      }
    }
    boundaries[operand].assign(boundary_count, std::vector<double>(lattice.size()));
    const bool kept = !table.output && same_data_free;
    for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
      const std::size_t relevant = moved.relevant[multiset];
      const std::int64_t repeats = moved.repeats[multiset];
      const BoundaryEnergy* const here =
          &energies[moved.is_partial(multiset) ? 1 : 0][relevant * boundary_count];
      const std::int64_t count = moved.count(multiset);
      for (std::size_t boundary = 1; boundary < boundary_count; ++boundary)
        boundaries[operand][boundary][multiset] = here[boundary].of(static_cast<double>(count));
      const std::int64_t at_units = kept ? traffic.total() / repeats : traffic.total();
      boundaries[operand][0][multiset] = energies[0][0].of(static_cast<double>(at_units));
      if (in_array)
        boundaries[operand][0][multiset] += tables.imc->with_repeats(static_cast<double>(repeats)).total();
    }
  }
  return boundaries;
}

}  // namespace

MultisetTraffic::MultisetTraffic(const SearchProblem& problem, int operand)
    : traffic(traffic_of(problem, operand)) {
  traffic.prepare_all();
  const TemporalSpace& space = problem.space;
  const ExponentLattice& lattice = space.lattice();
  relevant.assign(lattice.size(), 0);
  repeats.assign(lattice.size(), 1);
  std::vector<std::size_t> strides(lattice.kinds().size(), 0);
  for (std::size_t kind = 0, next = 0; kind < strides.size(); ++kind)
    if (space.relevant(operand, kind)) strides[kind] = traffic.lattice().stride(next++);
  for (std::size_t multiset = 1; multiset < lattice.size(); ++multiset) {
    const std::size_t kind = lattice.first_kind(multiset);
    const std::size_t below = multiset - lattice.stride(kind);
    relevant[multiset] = relevant[below] + static_cast<std::uint32_t>(strides[kind]);
    repeats[multiset] = repeats[below] * (space.relevant(operand, kind) ? 1 : lattice.kinds()[kind].size);
  }
}

LabelCosts energy_costs(const SearchProblem& problem) {
  const CostTables& tables = problem.tables;
  LabelCosts costs = with_residencies(problem, tabulate_energies(problem));
  costs.constant = {tables.imc ? 0 : tables.unit_energy * static_cast<double>(tables.mac_count)};
  return costs;
}

LabelCosts with_residencies(const SearchProblem& problem, LabelCosts::Boundaries boundaries) {
  const std::size_t full = problem.space.lattice().full();
  LabelCosts costs;
  costs.constant = {0};
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const std::size_t levels = boundaries[operand].size();
    costs.residencies[operand].resize(levels);
    double rest = 0;
    for (std::size_t closed = levels; closed-- > 0;) {
      const bool fits = problem.fit.may_fit(operand, static_cast<int>(closed), full);
      if (!fits) rest = infinite;
      costs.residencies[operand][closed] = {rest};
      rest += boundaries[operand][closed][full];
    }
  }
  costs.boundaries = std::make_shared<const LabelCosts::Boundaries>(std::move(boundaries));
  return costs;
}

JointCostToGo least_in_one_order(const SearchProblem& problem, const LabelCosts& costs) {
  const WeightedSum energy{.energy_weight = 1};
  return {problem.space, problem.fit, CapacityBranch(problem.space, problem.fit), costs, {energy}};
}

double least_energy_in_one_order(const MappingProblem& given) {
  // Both in docs/limits.md.
  constexpr double most_multisets = 1 << 14;
  constexpr double most_numbers = 1 << 18;
  if (count_multisets(given) > most_multisets) return 0;
  const SearchProblem problem(given);
  if (JointCostToGo::size(problem.space, problem.fit, 1) > most_numbers) return 0;
  const LabelCosts costs = energy_costs(problem);
  return costs.constant[0] + *least_in_one_order(problem, costs).of({}, 0);
}

namespace {

/// Component 0, or the joint cost-to-go of it, which is not below.
class JointFirstComponent : public FirstComponent {
 public:
  using FirstComponent::of;
  double of(const double* sums, const FillClasses&, const double* joint) const override {
    return std::max(sums[0], joint[0]);
  }
};

}  // namespace

Certificate find_least_energy(const SearchProblem& problem, const SearchLimits& limits, double cutoff) {
  const ProcessorTime stopwatch;
  const LabelCosts costs = energy_costs(problem);
  const CostToGo cost_to_go(problem.space, problem.fit, costs);
  const JointFirstComponent objective;
  MappingSearchOptions options;
  // Inputs whose tiles end together do not choose the order by themselves.
  std::optional<JointCostToGo> joint;
  constexpr double most_numbers = 1 << 23;
  if (!problem.space.shared_tiles().empty() &&
      JointCostToGo::size(problem.space, problem.fit, 1) < most_numbers)
    options.joint = &joint.emplace(least_in_one_order(problem, costs));
  MappingSearch search(problem, costs, cost_to_go, objective, options);
  Certificate best;
  best.lower_bound = search.bound();
  constexpr std::size_t labels_between_looks = 4096;
  for (;;) {
    const MappingSearch::Step step = search.advance(labels_between_looks, cutoff);
    best.lower_bound = std::min(search.bound(), search.least_dropped());
    if (step == MappingSearch::Step::complete) {
      best.mapping = search.result();
      best.value = problem.value(best.mapping, Objective::energy);
      best.lower_bound = std::min(search.result_value(), best.value);
      break;
    }
    if (step == MappingSearch::Step::exhausted) break;
    if (limits.stop(stopwatch.seconds(), search.memory_bytes()) || search.visited() >= limits.states) break;
  }
  best.states = search.visited();
  if (best.found() && best.value <= best.lower_bound * (1 + rounding_tolerance))
    best.lower_bound = best.value;
  return best;
}

}  // namespace zz::core
