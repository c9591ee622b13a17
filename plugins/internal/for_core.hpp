#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/base/interruption.hpp"
#include "core/search/methods/parallel_for.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

// Functions that the core calls back.

/// Calls a function that opens stages or runs a loop of the host. Across the boundary of a plugin an
/// interruption is an Error; the core gets it as it throws it.
template <class Function>
auto told_to_core(Function&& function) {
  try {
    return function();
  } catch (const Error& problem) {
    if (problem.code == ZZ_E_CANCELLED) throw core::Interrupted();
    throw;
  }
}

/// Loops on the threads of the host.
inline core::ParallelFor parallel_for() {
  return [](std::size_t n, const std::function<void(std::size_t)>& fn) {
    told_to_core([&] { for_each(static_cast<uint32_t>(n), [&](uint32_t i) { fn(i); }); });
  };
}

}  // namespace zz::plugins
