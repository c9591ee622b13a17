#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/hardware/accelerator.hpp"
#include "core/workload/workload.hpp"

namespace zz::plugins {

/// A positive ratio of whole numbers.
struct Ratio {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;

  /// `number` times the ratio; empty when that is not whole.
  std::optional<std::int64_t> of(std::int64_t number) const;
};

/// Reads "2", "1/2", "0.25" or "1.5e0". Throws InputError when it is no positive ratio.
Ratio ratio_from_text(const std::string& text);

/// The accelerator with every dimension of its array scaled, called "<name>-scaled"; memories stay as they
/// are. Throws InputError naming the dimensions that would have no whole size of at least 1.
core::Accelerator scaled_array(const core::Accelerator& accelerator, Ratio ratio);

/// An unrolling for the scaled array. Along each dimension of the array one factor is scaled: the first
/// that is not 1 and stays whole, so that the loops together fill as much of the dimension as before.
core::SpatialUnrolling scaled_unrolling(core::SpatialUnrolling unrolling, Ratio ratio);

/// The workload with what its mapping file prescribes for the array scaled.
core::Workload scaled_mappings(const core::Workload& workload, Ratio ratio);

}  // namespace zz::plugins
