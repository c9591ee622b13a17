#pragma once
#include <memory>

#include "core/hardware/open_costs.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

/// The accelerator of the context, for what counts its costs: none may be open. Throws InputError.
inline std::shared_ptr<const core::Accelerator> accelerator_with_costs(const Value& ctx) {
  auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  core::check_costs_are_told(*accelerator);
  return accelerator;
}

}  // namespace zz::plugins
