#pragma once
#include "core/compat/rules.hpp"

namespace zz::core {

/// By what a cost model values mappings, beside the layer and the machine. An Evaluation knows those that
/// made it.
struct CostModelOptions {
  /// An input that stays the same for consecutive cycles is read once
  /// ("access_same_data_considered_as_no_access").
  bool same_data_free = true;
  Rules rules = {};

  bool operator==(const CostModelOptions&) const = default;
};

}  // namespace zz::core
