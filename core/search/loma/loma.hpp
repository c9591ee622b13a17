#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/loma/best_order_search.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct LomaOptions {
  /// Most loop factors that are permuted; prime factors are merged down to it. 0: no limit.
  int factor_limit = 6;
  MappingType type = MappingType::uneven;
  bool zigzag_compat = false;
};

/// LOMA: every distinct order of the prime factors of a layer's temporal loops, each allocated to the
/// memories of the operands greedily from the innermost memory up.
/// (A. Symons, L. Mei, M. Verhelst: LOMA, AICAS 2021; order of enumeration: A. Williams, SODA 2009.)
///
/// A complete ordering in layer.mapping.temporal_ordering gives just that one; an incomplete one keeps
/// the orders that agree with it.
class Loma {
 public:
  /// Throws InputError when the spatial mapping, the memories or the user's ordering do not fit the layer,
  /// NoResult when the ordering does not fit what the spatial mapping leaves.
  Loma(std::shared_ptr<const Layer> layer, std::shared_ptr<const Accelerator> accelerator,
       const std::shared_ptr<const SpatialMapping>& spatial_mapping, const LomaOptions& options);
  ~Loma();
  Loma(Loma&&) noexcept;

  /// Replaces the rows of `batch` by the next up to `capacity` orders that fit into the memories, in order
  /// of enumeration. No rows: the end.
  void next(CompactMappings& batch, std::size_t capacity);

  /// Fills in the names and levels that rows refer to.
  void describe(CompactMappings& batch) const;

  /// The whole search as one question: the `keep` best orders by `metrics`, compared one after the other.
  /// Null where only next() can answer: few orders for each point of the lattice, constraints of the user,
  /// or many orders that may not fit.
  std::shared_ptr<BestOrderSearch> best_orders(const std::vector<OrderMetric>& metrics,
                                               std::size_t keep) const;

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

/// The one temporal mapping that allocates a given loop order (innermost first) to the memories.
/// Throws NoResult when it does not fit, InputError when its dimensions are not the layer's.
TemporalMapping allocate_loop_order(const Layer& layer, const Accelerator& accelerator,
                                    const SpatialMapping& spatial_mapping,
                                    const std::vector<TemporalLoop>& order, MappingType type);

}  // namespace zz::core
