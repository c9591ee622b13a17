#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/cost_model.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/temporal/best_by_score.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct LomaOptions {
  /// Most loop factors that are permuted; prime factors are merged down to it. 0: no limit.
  int factor_limit = 6;
  MappingType type = MappingType::uneven;
  Rules rules = {};
};

/// LOMA: every distinct order of the prime factors of a layer's temporal loops, each allocated to the
/// memories of the operands greedily from the innermost memory up.
/// (A. Symons, L. Mei, M. Verhelst: LOMA, AICAS 2021; order of enumeration: A. Williams, SODA 2009.)
///
/// A complete ordering in layer.mapping.temporal_ordering gives just that one, with the cuts that its entry
/// has, if any; an incomplete one keeps the orders that agree with it.
class Loma {
 public:
  /// Throws InputError when the spatial mapping, the memories or the user's ordering do not fit the layer,
  /// NoResult when the ordering does not fit what the spatial mapping leaves; and what cut_as_prescribed()
  /// throws.
  Loma(std::shared_ptr<const Layer> layer, std::shared_ptr<const Accelerator> accelerator,
       const std::shared_ptr<const SpatialMapping>& spatial_mapping, const LomaOptions& options);
  ~Loma();
  Loma(Loma&&) noexcept;

  /// Replaces the rows of `batch` by those of the next `orders` orders that fit into the memories, in order
  /// of enumeration. None may fit.
  void next(CompactMappings& batch, std::size_t orders);
  /// There are no more orders.
  bool finished() const;

  /// Fills in the names and levels that rows refer to.
  void describe(CompactMappings& batch) const;

  std::int64_t orders_total() const;     ///< number of orders of the space, constraints not counted
  std::int64_t orders_visited() const;   ///< so far, that agree with the user's constraints
  std::int64_t orders_rejected() const;  ///< so far, because they do not fit into the memories
  /// Why nothing fitted: names layer, memory and operand, and what would help. For NoResult.
  std::string reason() const;

  struct Factor {
    std::string dimension;
    std::int64_t size;
  };
  /// The loop factors that are permuted, for reports and tests.
  std::vector<Factor> factors() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// A figure that a loop order must not exceed.
struct OrderLimit {
  Objective metric;
  double at_most;
};

/// Scores every order that `orders` has left and gives the `keep` best by `metrics`, compared one after the
/// other, in order of enumeration; of equally good ones those enumerated first. Orders without a cost, and
/// those beyond one of the limits, are left out. After every so many orders `go_on` is asked; false ends
/// the search early, with the best so far.
std::vector<TemporalMapping> best_loop_orders(Loma& orders, const CostModel& model,
                                              const std::vector<Objective>& metrics, std::size_t keep,
                                              const std::function<bool()>& go_on,
                                              const std::vector<OrderLimit>& limits = {});

}  // namespace zz::core
