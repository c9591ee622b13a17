#pragma once
#include "core/compat/rules.hpp"

namespace zz::core {

struct CostModelOptions {
  /// An input that stays the same for consecutive cycles is read once
  /// ("access_same_data_considered_as_no_access").
  bool same_data_free = true;
  Rules rules = {};
};

}  // namespace zz::core
