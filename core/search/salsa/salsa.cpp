#include "core/search/salsa/salsa.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/annealing.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "core/search/temporal/prescribed_cuts.hpp"
#include "core/search/temporal/user_ordering.hpp"

namespace zz::core {
namespace {

constexpr double cooling = 0.995;
constexpr std::size_t most_points = 4096;  ///< of a lattice that is tabulated

std::size_t position_of(const OrderConstraint& constraint, std::size_t loops) {
  return static_cast<std::size_t>(constraint.position) + (constraint.position < 0 ? loops : 0);
}

}  // namespace

SalsaWalk::SalsaWalk(LoopAllocator allocator, const std::vector<OrderConstraint>& constraints,
                     MappingCost cost, bool compare_second)
    : allocator_(std::move(allocator)),
      constraints_(constraints),
      cost_(std::move(cost)),
      compare_second_(compare_second) {}

void SalsaWalk::start(const std::vector<RemainingLoop>& order, const LoopLattice* lattice) {
  fixed_.assign(order.size(), {});
  for (const OrderConstraint& constraint : constraints_) {
    fixed_.at(position_of(constraint, order.size())) = {constraint.dimension, constraint.size.value_or(0)};
  }
  state_ = {};
  for (const RemainingLoop& loop : order) {
    state_.dimension[state_.loops] = static_cast<std::uint8_t>(loop.dimension);
    if (lattice != nullptr) state_.kind[state_.loops] = static_cast<std::uint8_t>(lattice->kind_of(loop));
    state_.size[state_.loops++] = loop.size;
  }
  best_cost_ = {};
  current_ = evaluate();
  remember_best();
}

void SalsaWalk::remember_best() {
  if (!(compare_second_ ? current_ < best_cost_ : current_.criterion < best_cost_.criterion)) return;
  best_ = state_;
  best_cost_ = current_;
}

SalsaCost SalsaWalk::evaluate() {
  if (!allocator_.allocate(state_)) return {};
  ++evaluations_;
  const SalsaCost cost = cost_(state_);
  return std::isfinite(cost.criterion) ? cost : SalsaCost{};
}

bool SalsaWalk::allowed(int position) const {
  const Fixed& fixed = fixed_[position];
  return (fixed.dimension < 0 || state_.dimension[position] == fixed.dimension) &&
         (fixed.size == 0 || state_.size[position] == fixed.size);
}

void SalsaWalk::swap(int i, int j) {
  std::swap(state_.dimension[i], state_.dimension[j]);
  std::swap(state_.kind[i], state_.kind[j]);
  std::swap(state_.size[i], state_.size[j]);
}

bool SalsaWalk::propose(int i, int j, double random, double temperature) {
  if (state_.dimension[i] == state_.dimension[j] && state_.size[i] == state_.size[j]) {
    proposed_ = current_.criterion;
    return true;
  }
  swap(i, j);
  SalsaCost proposal;
  const bool legal = allowed(i) && allowed(j);
  if (legal) proposal = evaluate();
  proposed_ = proposal.criterion;
  const bool blind = !std::isfinite(current_.criterion);
  const bool accepted =
      legal &&
      (blind || proposed_ <= current_.criterion ||
       (std::isfinite(proposed_) && takes_rise(1 - current_.criterion / proposed_, temperature, random)));
  if (!accepted) {
    swap(i, j);
    return false;
  }
  current_ = proposal;
  remember_best();
  return true;
}

Salsa::Salsa(std::shared_ptr<const Layer> layer, std::shared_ptr<const Accelerator> accelerator,
             std::shared_ptr<const SpatialMapping> spatial_mapping, const SalsaOptions& options)
    : layer_(std::move(layer)),
      accelerator_(std::move(accelerator)),
      spatial_mapping_(std::move(spatial_mapping)),
      options_(options) {
  const std::vector<RemainingLoop> remaining = remaining_loops(*layer_, *spatial_mapping_, options.rules);
  UserOrdering ordering;
  if (!options.rules.salsa_anneals_energy)
    ordering = user_ordering(*layer_, remaining, OrderingUse::search, options.rules);
  fixed_order_ = ordering.complete;
  loops_ = std::move(ordering.loops);
  constraints_ = std::move(ordering.constraints);
  if (!fixed_order_) {
    for (const FactorTable& table : loop_factors(*layer_, remaining, constraints_, 0, options.rules)) {
      for (const auto& [value, count] : table.entries)
        loops_.insert(loops_.end(), static_cast<std::size_t>(count), {table.dimension, value});
    }
  }
  if (loops_.size() > max_temporal_loops) {
    throw InputError(fmt::format("layer '{}' has {} temporal loop factors; at most {} can be mapped",
                                 layer_->name, loops_.size(), max_temporal_loops));
  }
  if (!ordering.cuts.empty()) {
    cut_.emplace();
    for (const RemainingLoop& loop : loops_) {
      cut_->dimension[cut_->loops] = static_cast<std::uint8_t>(loop.dimension);
      cut_->size[cut_->loops++] = loop.size;
    }
    cut_as_prescribed(*layer_, *accelerator_, *spatial_mapping_, ordering.cuts, options.type, options.rules,
                      *cut_);
  }
  if (!fixed_order_ && options.iterations > 0)
    lattice_ = LoopLattice::make(loops_, std::min<std::size_t>(options.iterations, most_points));
}

std::vector<RemainingLoop> Salsa::shuffled(RandomNumbers& random) const {
  std::vector<RemainingLoop> order = loops_;
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(static_cast<int>(left)))]);
  // Then the prescribed positions; those with a size first, because fewer loops suit them.
  std::vector<bool> placed(order.size(), false);
  for (const bool with_size : {true, false}) {
    for (const OrderConstraint& constraint : constraints_) {
      if (constraint.size.has_value() != with_size) continue;
      const auto suits = [&](std::size_t position) {
        return !placed[position] && order[position].dimension == constraint.dimension &&
               (!constraint.size || order[position].size == *constraint.size);
      };
      const std::size_t target = position_of(constraint, order.size());
      std::size_t source = target;
      // The ordering was checked: a loop that suits exists.
      for (std::size_t tries = 0; tries < order.size() && !suits(source); ++tries)
        source = (source + 1) % order.size();
      std::swap(order[source], order[target]);
      placed[target] = true;
    }
  }
  return order;
}

Salsa::Outcome Salsa::anneal(std::uint64_t seed, std::uint64_t number, MappingCost cost,
                             const std::function<bool()>& stop) const {
  if (cut_) {
    Outcome only;
    only.mapping = *cut_;
    only.cost = cost(*cut_);
    only.feasible = std::isfinite(only.cost.criterion);
    only.evaluations = 1;
    return only;
  }
  RandomNumbers random(seed, number);
  LoopAllocator allocator(*layer_, *accelerator_, *spatial_mapping_, options_.type, options_.rules);
  allocator.expect(lattice_);
  SalsaWalk walk(std::move(allocator), constraints_, std::move(cost), !options_.rules.salsa_anneals_energy);
  walk.start(fixed_order_ ? loops_ : shuffled(random), lattice_.get());
  const int loops = static_cast<int>(loops_.size());
  if (!fixed_order_ && loops > 1) {
    std::int64_t iteration = 0;
    const auto next_iteration = [&]() -> std::optional<double> {
      if (iteration >= options_.iterations) return std::nullopt;
      if (iteration % steps_between_stops == 0 && stop()) return std::nullopt;
      return static_cast<double>(iteration++);
    };
    core::anneal({options_.start_temperature, cooling}, next_iteration, [&](double, double temperature) {
      const int i = random.below(loops);
      const int j = random.below(loops);
      walk.propose(i, j, random.fraction(), temperature);
    });
  }
  Outcome outcome;
  outcome.feasible = walk.feasible();
  outcome.mapping = walk.best();
  outcome.cost = walk.best_cost();
  outcome.evaluations = walk.evaluations();
  outcome.failure = walk.failure();
  return outcome;
}

const Salsa::Outcome* Salsa::best(const std::vector<Outcome>& outcomes) {
  const Outcome* best = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (outcome.feasible && (best == nullptr || outcome.cost < best->cost)) best = &outcome;
  }
  return best;
}

void Salsa::describe(CompactMappings& batch) const {
  const LoopAllocator allocator(*layer_, *accelerator_, *spatial_mapping_, options_.type, options_.rules);
  batch.type = options_.type;
  batch.lattice = lattice_;
  for (const LoopDimension& loop : layer_->loops) batch.dimensions.push_back(loop.name);
  for (std::size_t operand = 0; operand < layer_->operands.size(); ++operand) {
    batch.operands.push_back(layer_->operands[operand].name);
    batch.levels.push_back(allocator.levels(static_cast<int>(operand)));
  }
}

std::string Salsa::reason(const Outcome& outcome) const {
  if (outcome.evaluations > 0) {
    return fmt::format(
        "layer '{}': each mapping that annealing tried moves partial sums through a memory of '{}' that "
        "has no "
        "port for them",
        layer_->name, accelerator_->name);
  }
  return fmt::format(
      "layer '{}': none of the loop orders that annealing tried fits into the memories of "
      "'{}'; {}",
      layer_->name, accelerator_->name, allocation_failure(*layer_, *accelerator_, outcome.failure));
}

}  // namespace zz::core
