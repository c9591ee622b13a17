#pragma once
#include <span>
#include <vector>

#include "zz/stage.hpp"

namespace zz::plugins {

/// The base of the reducers that keep one result: the one that is smallest by the first criterion, among
/// equals by the next one, among equals in all the first that came.
class BestResultStage : public Stage {
 public:
  bool reduce_minimal_keep_others = false;

 protected:
  static constexpr auto keep_others = param<&BestResultStage::reduce_minimal_keep_others>(
      "reduce_minimal_keep_others",
      "hand all results up in the extra, the best one among them, instead of an empty list");

  /// Runs the chain below and gives its best result. The extra is the list of all [evaluation, extra] with
  /// `reduce_minimal_keep_others`, else an empty list.
  ///
  /// Throws Error(ZZ_E_NO_RESULT) when nothing comes up, naming the layer where there is one.
  Result best_result(const Value& ctx, std::span<const Name> criteria) const;

  /// Tells the chain below that only the best result by `criteria` is needed, or that all are.
  zz_demand demand_for(std::span<const Name> criteria) const;
};

}  // namespace zz::plugins
