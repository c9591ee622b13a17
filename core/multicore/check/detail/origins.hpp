#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/workload/workload.hpp"

namespace zz::core::partition_check {

using Extents = std::vector<std::int64_t>;

/// Where an element comes from.
struct Origin {
  std::int64_t layer = -1;   ///< id; -1: no layer makes it
  std::int64_t element = 0;  ///< of the layer's output, in row-major order
};

/// Extents of the data of an operand as other layers see them: groups (G) and the channels of a group are
/// one axis.
Extents data_extents(const Layer& layer, int operand);

/// Looks back through the operators without cost from what a layer reads to the layers that made it,
/// element by element.
class Origins {
 public:
  explicit Origins(const Workload& workload);

  /// The only layer behind `source`, when nothing between moves an element; -1 otherwise.
  std::int64_t unmoved(std::int64_t source) const;
  /// Whether elements behind `source` can be looked up: their operators say where they put them, and as
  /// many elements leave each as the next one reads.
  bool traceable(std::int64_t source, std::int64_t elements) const;
  /// The origin of an element that `source` passes on; of an element that comes from a whole row, that of
  /// its first or last element. Only where traceable().
  Origin of(std::int64_t source, std::int64_t element, bool last_of_row) const;
  /// Whether a whole row stands behind some element.
  bool by_rows(std::int64_t source) const;

 private:
  std::optional<Extents> extents_of(std::int64_t id) const;
  std::optional<Extents> extents_made(const PassThroughNode& node) const;

  std::unordered_map<std::int64_t, const Layer*> layers_;
  std::unordered_map<std::int64_t, const PassThroughNode*> operators_;
  mutable std::unordered_map<std::int64_t, std::optional<Extents>> known_;
};

}  // namespace zz::core::partition_check
