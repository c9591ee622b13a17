#include "core/search/loma/loma.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/cost/boundary_table.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/search/loma/detail/cool_lex_orders.hpp"
#include "core/search/temporal/best_by_score.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/search/temporal/prescribed_cuts.hpp"

namespace zz::core {

class Loma::State {
 public:
  State(std::shared_ptr<const Layer> layer, std::shared_ptr<const Accelerator> accelerator,
        const SpatialMapping& spatial_mapping, const LomaOptions& options)
      : layer_(std::move(layer)),
        accelerator_(std::move(accelerator)),
        options_(options),
        allocator_(*layer_, *accelerator_, spatial_mapping, options.type, options.rules) {
    PermutedLoops permuted = permuted_loops(*layer_, spatial_mapping, options.factor_limit, options.rules);
    fixed_order_ = permuted.fixed_order;
    loops_ = std::move(permuted.loops);
    if (fixed_order_) {
      orders_total_ = 1;
    } else {
      constraints_ = std::move(permuted.constraints);
      report_ = loops_;
      // Where nothing remains in time, one loop of a single iteration stands for "once".
      if (loops_.empty()) loops_.push_back({0, 1});
      sort_by_name();
    }
    if (loops_.size() > max_temporal_loops) {
      throw InputError(fmt::format(
          "layer '{}' has {} temporal loop factors; at most {} can be mapped. Set loma_lpf_limit",
          layer_->name, loops_.size(), max_temporal_loops));
    }
    std::vector<std::uint8_t> items;
    for (const RemainingLoop& loop : loops_) {
      const auto same = std::find(loops_.begin(), loops_.end(), loop);
      items.push_back(static_cast<std::uint8_t>(same - loops_.begin()));
    }
    if (!fixed_order_) orders_total_ = CoolLexOrders::count(items);
    if (fixed_order_) {
      row_.loops = static_cast<int>(loops_.size());
      for (std::size_t i = 0; i < loops_.size(); ++i) put(i, loops_[i]);
      is_cut_ = !permuted.cuts.empty();
      if (is_cut_)
        cut_as_prescribed(*layer_, *accelerator_, spatial_mapping, permuted.cuts, options.type,
                          options.rules, row_);
    } else {
      orders_ = std::make_unique<CoolLexOrders>(std::move(items));
      make_tables();
    }
  }

  void next(CompactMappings& batch, std::size_t orders) {
    describe(batch);
    for (std::size_t order = 0; !finished_ && order < orders; ++order) {
      if (fixed_order_) {
        finished_ = true;
        try_row(batch);
      } else {
        if (agrees()) {
          const auto& order = orders_->current();
          row_.loops = static_cast<int>(order.size());
          for (std::size_t i = 0; i < order.size(); ++i) {
            put(i, loops_[order[i]]);
            if (lattice_) row_.kind[i] = kind_of_item_[order[i]];
          }
          try_row(batch);
        }
        finished_ = !orders_->advance();
      }
    }
  }

  std::string reason() const {
    if (visited_ == 0) {
      return fmt::format(
          "layer '{}': none of the {} loop orders agrees with the temporal ordering of the mapping; "
          "loops that are unrolled completely, or have one iteration, cannot be ordered",
          layer_->name, orders_total_);
    }
    return fmt::format("layer '{}': none of {} loop orders fits into the memories of '{}'; {}",
                       layer_->name, visited_, accelerator_->name, last_rejection_);
  }

  bool finished_ = false;
  std::int64_t orders_total_ = 0;
  std::int64_t visited_ = 0;
  std::int64_t rejected_ = 0;
  std::vector<RemainingLoop> report_;
  std::shared_ptr<const Layer> layer_;

  void describe(CompactMappings& batch) const {
    batch.rows.clear();
    batch.type = options_.type;
    batch.lattice = lattice_;
    if (!batch.dimensions.empty()) return;
    for (const LoopDimension& loop : layer_->loops) batch.dimensions.push_back(loop.name);
    for (std::size_t operand = 0; operand < layer_->operands.size(); ++operand) {
      batch.operands.push_back(layer_->operands[operand].name);
      batch.levels.push_back(allocator_.levels(static_cast<int>(operand)));
    }
  }

 private:
  void sort_by_name() {
    std::stable_sort(loops_.begin(), loops_.end(), [&](const RemainingLoop& a, const RemainingLoop& b) {
      const std::string& name_a = layer_->loops[a.dimension].name;
      const std::string& name_b = layer_->loops[b.dimension].name;
      return name_a != name_b ? name_a < name_b : a.size < b.size;
    });
  }

  /// Tables over lattice points pay where there are not many more points than orders.
  void make_tables() {
    constexpr std::size_t most_points = 1 << 15;
    lattice_ = LoopLattice::make(loops_, most_points);
    if (lattice_ && 2 * orders_total_ < static_cast<std::int64_t>(lattice_->points())) lattice_ = nullptr;
    if (!lattice_) return;
    for (const RemainingLoop& loop : loops_)
      kind_of_item_.push_back(static_cast<std::uint8_t>(lattice_->kind_of(loop)));
    allocator_.expect(lattice_);
  }

  void put(std::size_t position, const RemainingLoop& loop) {
    row_.dimension[position] = static_cast<std::uint8_t>(loop.dimension);
    row_.size[position] = loop.size;
  }

  bool agrees() const {
    const auto& order = orders_->current();
    if (constraints_.size() > order.size()) return false;
    for (const OrderConstraint& constraint : constraints_) {
      const int position =
          constraint.position + (constraint.position < 0 ? static_cast<int>(order.size()) : 0);
      const RemainingLoop& loop = loops_[order[position]];
      if (loop.dimension != constraint.dimension) return false;
      if (constraint.size && loop.size != *constraint.size) return false;
    }
    return true;
  }

  void try_row(CompactMappings& batch) {
    ++visited_;
    if (is_cut_ || allocator_.allocate(row_)) {
      batch.rows.push_back(row_);
    } else if (++rejected_ == visited_) {
      // Only wanted when no order at all fits.
      last_rejection_ = allocation_failure(*layer_, *accelerator_, allocator_.failure());
    }
  }

  std::shared_ptr<const Accelerator> accelerator_;
  LomaOptions options_;
  LoopAllocator allocator_;
  std::vector<OrderConstraint> constraints_;
  std::vector<RemainingLoop> loops_;  ///< in the fixed order, or sorted: what CoolLexOrders indexes
  std::unique_ptr<CoolLexOrders> orders_;
  std::shared_ptr<const LoopLattice> lattice_;  ///< of loops_; null where tables do not pay
  std::vector<std::uint8_t> kind_of_item_;      ///< of the lattice, by index into loops_
  CompactMapping row_;
  bool fixed_order_ = false;
  bool is_cut_ = false;  ///< as the mapping entry says
  std::string last_rejection_;
};

Loma::Loma(std::shared_ptr<const Layer> layer, std::shared_ptr<const Accelerator> accelerator,
           const std::shared_ptr<const SpatialMapping>& spatial_mapping, const LomaOptions& options)
    : state_(std::make_unique<State>(std::move(layer), std::move(accelerator), *spatial_mapping, options)) {
}
Loma::~Loma() = default;
Loma::Loma(Loma&&) noexcept = default;

void Loma::describe(CompactMappings& batch) const { state_->describe(batch); }
void Loma::next(CompactMappings& batch, std::size_t orders) { state_->next(batch, orders); }
bool Loma::finished() const { return state_->finished_; }
std::int64_t Loma::orders_total() const { return state_->orders_total_; }
std::int64_t Loma::orders_visited() const { return state_->visited_; }
std::int64_t Loma::orders_rejected() const { return state_->rejected_; }
std::string Loma::reason() const { return state_->reason(); }

std::vector<Loma::Factor> Loma::factors() const {
  std::vector<Factor> factors;
  for (const RemainingLoop& loop : state_->report_) {
    factors.push_back({state_->layer_->loops[loop.dimension].name, loop.size});
  }
  return factors;
}

std::vector<TemporalMapping> best_loop_orders(Loma& orders, const CostModel& model,
                                              const std::vector<Objective>& metrics, std::size_t keep,
                                              const std::function<bool()>& go_on,
                                              const std::vector<OrderLimit>& limits) {
  const auto beyond = [&](const Score& score) {
    return std::any_of(limits.begin(), limits.end(), [&](const OrderLimit& limit) {
      return value_of(limit.metric, score) > limit.at_most;
    });
  };
  constexpr std::size_t orders_at_once = 256;
  BestByScore<CompactMapping> best(metrics.size(), keep);
  CompactMappings batch;
  std::optional<BoundaryTable> table;
  while (!orders.finished()) {
    orders.next(batch, orders_at_once);
    if (batch.lattice && !table) table.emplace(model, batch.lattice);
    for (const CompactMapping& row : batch.rows) {
      const Score score = table ? table->score(row) : model.score(row);
      if (std::isnan(score.energy_total) || beyond(score)) continue;
      BestByScore<CompactMapping>::Figures figures{};
      for (std::size_t i = 0; i < metrics.size(); ++i) figures[i] = value_of(metrics[i], score);
      if (best.wants(figures)) best.add(figures, row);
    }
    if (!go_on()) break;
  }
  std::vector<TemporalMapping> mappings;
  for (const CompactMapping& row : best.in_order()) mappings.push_back(batch.mapping(row));
  return mappings;
}

}  // namespace zz::core
