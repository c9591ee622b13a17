#include "core/cost/rate_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/quantities.hpp"
#include "core/cost/rates.hpp"
#include "core/hardware/clock.hpp"

namespace zz::core {
namespace {

std::string speed_words(const Evaluation& evaluation, const Rates& rates) {
  constexpr double milli = 1e-3;
  std::string text =
      fmt::format("at {}: {}", clock_words(evaluation.clock_period), time_text(*rates.latency_ms * milli));
  if (rates.frames_per_second) text += fmt::format(", {} frames/s", four_digits(*rates.frames_per_second));
  if (rates.tokens_per_second) text += fmt::format(", {} tokens/s", four_digits(*rates.tokens_per_second));
  if (evaluation.frames > 1) text += fmt::format(" in batches of {:g}", evaluation.frames);
  text += ", " + power_text(*rates.power);
  const double* const leaks = find_metric(evaluation, leakage_metric);
  text += leaks == nullptr ? " without leakage, which is not known"
                           : fmt::format(", of which {} leak", power_text(*leaks * milli));
  if (rates.tops) text += "; " + tops_text(*rates.tops);
  if (rates.tops_per_watt) text += fmt::format(", {} TOP/s/W", four_digits(*rates.tops_per_watt));
  if (rates.tops_per_mm2) text += fmt::format(", {} TOP/s/mm2", four_digits(*rates.tops_per_mm2));
  return text + "\n";
}

/// Parts without an area are named where others have one, and somebody asks: an area was filled, or there
/// is a clock.
std::string area_words(const Evaluation& evaluation, const Rates& rates) {
  const bool has_range = find_metric(evaluation, "area_low") != nullptr;  // told in a line of its own
  const ChipArea told = area_of_chip(evaluation);
  const bool lacks = !told.without.empty() && told.mm2 > 0;
  const std::string without =
      lacks ? fmt::format("no area is told of {}", fmt::join(told.without, ", ")) : "";
  if (!rates.area) return lacks && rates.latency_ms ? "area: not known: " + without + "\n" : "";
  if (has_range) return lacks ? "area: " + without + "\n" : "";
  return fmt::format("area: {} mm2{}\n", four_digits(*rates.area), lacks ? "; " + without : "");
}

}  // namespace

std::string rate_words(const Evaluation& evaluation) {
  const Rates rates = rates_of(evaluation);
  return (rates.latency_ms ? speed_words(evaluation, rates) : "") + area_words(evaluation, rates);
}

}  // namespace zz::core
