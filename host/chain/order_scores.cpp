#include "host/chain/order_scores.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/search/temporal/user_ordering.hpp"
#include "core/value/edit.hpp"
#include "host/chain/third_party_checks.hpp"

namespace zz::host {
namespace {

/// Sets of loops with more points have no tables.
constexpr std::size_t most_points = std::size_t{1} << 14;

template <class T>
const T& needed(const core::Value& context, std::string_view key) {
  const T* const object = object_in_context<T>(context, key);
  if (object == nullptr)
    throw core::ValueError(
        core::ValueError::Problem::missing,
        fmt::format("orders need a context with '{}' of the type {}", key, core::type_of<T>()->name));
  return *object;
}

std::optional<double> figure_of(std::string_view metric, const core::Score& score) {
  if (metric == "latency_total0") return score.latency_total0;
  const std::optional<core::Objective> known = core::objective_of_figure(metric);
  return known ? std::optional(core::value_of(*known, score.energy_total, score.latency_total2))
               : std::nullopt;
}

}  // namespace

OrderScores::OrderScores(const core::Value& context, const core::Rules& rules,
                         std::shared_ptr<const core::CostModel> model)
    : layer_(needed<core::Layer>(context, "layer")),
      accelerator_(needed<core::Accelerator>(context, "accelerator")),
      spatial_mapping_(needed<core::SpatialMapping>(context, "spatial_mapping")),
      rules_(rules),
      model_(std::move(model)),
      check_(layer_, accelerator_, spatial_mapping_, rules),
      remaining_(core::remaining_loops(layer_, spatial_mapping_, rules)) {
  for (const auto& operand : spatial_mapping_.operands)
    levels_.push_back(static_cast<int>(operand.levels.size()) - 1);
}

bool OrderScores::knows(std::string_view metric) const {
  return model_ != nullptr && figure_of(metric, {}).has_value();
}

double OrderScores::figure(std::string_view metric, const core::Score& score) {
  return figure_of(metric, score).value();
}

bool OrderScores::has_known_loops(const zz_order& order) {
  if (lattice_ == nullptr) return false;
  std::array<int, core::LoopLattice::most_loops> left{};
  std::uint32_t all = 0;
  const auto& kinds = lattice_->kinds();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) all += left[kind] = kinds[kind].count;
  if (all != order.loops || (all > 0 && (order.dimension == nullptr || order.size == nullptr)))
    return false;
  for (std::uint32_t loop = 0; loop < order.loops; ++loop) {
    const int kind = lattice_->kind_of({order.dimension[loop], order.size[loop]});
    if (kind < 0 || left[static_cast<std::size_t>(kind)]-- == 0) return false;
    row_.kind[loop] = static_cast<std::uint8_t>(kind);
  }
  return true;
}

void OrderScores::take_up_loops(const zz_order& order) {
  if (order.loops > core::max_temporal_loops || (order.loops > 0 && (!order.dimension || !order.size)))
    throw core::InputError(fmt::format("layer '{}': an order of {} loops; from 0 to {} can be mapped",
                                       layer_.name, order.loops, core::max_temporal_loops));
  std::vector<core::TemporalLoop> named;
  std::vector<core::RemainingLoop> loops;
  for (std::uint32_t i = 0; i < order.loops; ++i) {
    if (order.dimension[i] >= layer_.loops.size() || order.size[i] < 1)
      throw core::InputError(
          fmt::format("layer '{}': loop {} of the order is of dimension {} and has {} iterations; the "
                      "layer has {} dimensions",
                      layer_.name, i, order.dimension[i], order.size[i], layer_.loops.size()));
    named.push_back({layer_.loops[order.dimension[i]].name, order.size[i]});
    loops.push_back({order.dimension[i], order.size[i]});
  }
  try {
    core::check_complete_order(layer_, remaining_, named, fmt::format("layer '{}': order: ", layer_.name));
  } catch (const core::NoResult& incomplete) {
    throw core::InputError(incomplete.what());
  }
  table_.reset();
  allocators_ = {};
  lattice_ = core::LoopLattice::make(loops, most_points);
  if (lattice_ == nullptr || !has_known_loops(order)) lattice_ = nullptr;
  if (lattice_ != nullptr && model_ != nullptr)
    table_ = std::make_unique<core::BoundaryTable>(*model_, lattice_);
}

core::LoopAllocator& OrderScores::allocator() {
  auto& known = allocators_[type_ == core::MappingType::even ? 1 : 0];
  if (known == nullptr) {
    known = std::make_unique<core::LoopAllocator>(layer_, accelerator_, spatial_mapping_, type_, rules_);
    known->expect(lattice_);
  }
  return *known;
}

void OrderScores::read_cuts(const zz_order& order) {
  const auto refuse = [&](std::size_t operand, const std::string& what) {
    throw core::InputError(
        fmt::format("layer '{}': cuts of {} {}", layer_.name, layer_.operands[operand].name, what));
  };
  for (std::size_t operand = 0; operand < levels_.size(); ++operand) {
    if (static_cast<std::uint32_t>(levels_[operand]) > order.levels)
      refuse(operand,
             fmt::format("are of {} memories, but the operand has {}", order.levels, levels_[operand]));
    std::uint32_t below = 0;
    for (int level = 0; level < levels_[operand]; ++level) {
      const std::uint8_t cut = order.cuts[operand * order.levels + static_cast<std::size_t>(level)];
      if (cut < below) refuse(operand, "decrease");
      below = cut;
      row_.allocated[operand][static_cast<std::size_t>(level)] = cut;
    }
    if (below != order.loops) refuse(operand, "do not end at all loops");
  }
  row_.stationary = row_.allocated;
}

bool OrderScores::has_room() const {
  for (const core::MappingCheck::Room& room : check_.needed_room(row_))
    if (!room.fits(static_cast<double>(accelerator_.memories[static_cast<std::size_t>(room.memory)].size)))
      return false;
  try {
    check_.check_shared_tiles(row_, "");
  } catch (const core::NoResult&) {
    return false;
  }
  return true;
}

bool OrderScores::read(const zz_order& order) {
  if (!has_known_loops(order)) take_up_loops(order);
  row_.loops = static_cast<int>(order.loops);
  for (std::uint32_t loop = 0; loop < order.loops; ++loop) {
    row_.dimension[loop] = order.dimension[loop];
    row_.size[loop] = order.size[loop];
  }
  type_ = order.cuts == nullptr && order.even != 0 ? core::MappingType::even : core::MappingType::uneven;
  if (order.cuts == nullptr) return allocator().allocate(row_);
  read_cuts(order);
  return has_room();
}

core::Score OrderScores::score() { return table_ != nullptr ? table_->score(row_) : model_->score(row_); }

core::TemporalMapping OrderScores::mapping() const {
  return core::named_mapping(row_, layer_, spatial_mapping_, type_);
}

}  // namespace zz::host
