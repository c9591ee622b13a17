#include "plugins/iterate/array_scaling.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/diagnostics.hpp"
#include "core/base/number_text.hpp"

namespace zz::plugins {
namespace {

/// Decimal text as a ratio with a power of two or ten below; empty for what is no positive number.
std::optional<Ratio> decimal(const std::string& text) {
  const double number = core::number_of(text).value_or(0);
  if (!(number > 0) || number > 1e9) return {};
  for (std::int64_t denominator = 1; denominator <= 1'000'000'000; denominator *= 10) {
    const double scaled = number * static_cast<double>(denominator);
    const double whole = std::round(scaled);
    if (whole < 1 || std::abs(scaled - whole) > 1e-12 * scaled || whole > 1e15) continue;
    const auto numerator = static_cast<std::int64_t>(whole);
    const std::int64_t common = std::gcd(numerator, denominator);
    return Ratio{numerator / common, denominator / common};
  }
  return {};
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::optional<std::int64_t> Ratio::of(std::int64_t number) const {
  const std::int64_t common = std::gcd(number, denominator);
  if (denominator / common != 1) return {};
  const std::int64_t share = number / common;
  if (share > std::numeric_limits<std::int64_t>::max() / numerator) return {};
  return share * numerator;
}

Ratio ratio_from_text(const std::string& text) {
  const auto slash = text.find('/');
  std::optional<Ratio> ratio;
  if (slash == std::string::npos) {
    ratio = decimal(trimmed(text));
  } else {
    const auto above = decimal(trimmed(text.substr(0, slash)));
    const auto below = decimal(trimmed(text.substr(slash + 1)));
    if (above && below && above->denominator == 1 && below->denominator == 1) {
      const std::int64_t common = std::gcd(above->numerator, below->numerator);
      ratio = Ratio{above->numerator / common, below->numerator / common};
    }
  }
  if (!ratio)
    throw core::InputError("'" + text + "' is no positive ratio; write for example 2, 0.5 or 1/2");
  return *ratio;
}

core::Accelerator scaled_array(const core::Accelerator& accelerator, Ratio ratio) {
  core::Accelerator scaled = accelerator;
  scaled.name += "-scaled";
  std::string wrong;
  for (core::ArrayDimension& dimension : scaled.array.dimensions) {
    if (const auto size = ratio.of(dimension.size); size && *size >= 1) {
      dimension.size = *size;
      continue;
    }
    wrong += (wrong.empty() ? "" : ", ") + dimension.name + " of " + std::to_string(dimension.size);
  }
  if (!wrong.empty()) {
    throw core::InputError("the array of '" + accelerator.name + "' scaled by " +
                           std::to_string(ratio.numerator) + "/" + std::to_string(ratio.denominator) +
                           " has no whole size along " + wrong);
  }
  scaled.dataflows = scaled_unrolling(std::move(scaled.dataflows), ratio);
  return scaled;
}

core::SpatialUnrolling scaled_unrolling(core::SpatialUnrolling unrolling, Ratio ratio) {
  for (core::ArrayUnrolling& dimension : unrolling.dimensions) {
    for (core::SpatialLoop& loop : dimension.loops) {
      if (loop.factor == 1) continue;
      const auto factor = ratio.of(loop.factor);
      if (!factor) continue;
      loop.factor = *factor;
      break;
    }
  }
  return unrolling;
}

core::Workload scaled_mappings(const core::Workload& workload, Ratio ratio) {
  core::Workload scaled = workload;
  for (auto& layer : scaled.layers) {
    core::Layer changed = *layer;
    changed.mapping.spatial_mapping = scaled_unrolling(std::move(changed.mapping.spatial_mapping), ratio);
    layer = std::make_shared<const core::Layer>(std::move(changed));
  }
  return scaled;
}

}  // namespace zz::plugins
