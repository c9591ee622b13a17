#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/workload/workload.hpp"

namespace zz::core {

/// A layer whose result reaches a reader, and what operators without a cost between them do to it.
struct TensorOrigin {
  std::int64_t layer = 0;  ///< id
  bool moved = false;      ///< places or elements change in a way that is not followed
  bool rows = false;       ///< each element that arrives comes from all of its row
  bool in_place = true;    ///< each element stays in its place
  bool sole = true;        ///< nobody else reads it
};

/// Where the data of operands come from, through operators without a cost.
///
/// The results that one operator works on, as a residual addition does, are *added*, all but one, by the
/// layer whose result comes last: that layer takes each of its elements through the operator as soon as it
/// is finished, and writes what comes out. What others read behind the operator is then the result of that
/// layer. Not so where the result is needed without the operator, too, or where it does not arrive in
/// place.
class TensorOrigins {
 public:
  /// `position`: of the layers of the network, by id, in an order that respects the edges.
  TensorOrigins(const Workload& workload, const std::map<std::int64_t, int>& position);

  /// The origins of an operand with these sources: several where results are mixed that no layer adds.
  std::vector<TensorOrigin> of(const std::vector<std::int64_t>& sources);
  /// The tensors that a layer adds to its result.
  const std::vector<TensorOrigin>& added(std::int64_t layer) const;

 private:
  const std::vector<TensorOrigin>& at(std::int64_t node);
  void add_to_last(std::vector<TensorOrigin>& origins);

  const std::map<std::int64_t, int>& position_;
  std::unordered_map<std::int64_t, const PassThroughNode*> nodes_;
  std::unordered_map<std::int64_t, int> readers_;  ///< of a node's result
  std::unordered_map<std::int64_t, std::vector<TensorOrigin>> known_;
  std::unordered_map<std::int64_t, std::vector<TensorOrigin>> added_;
};

}  // namespace zz::core
