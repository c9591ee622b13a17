#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/hardware/chip_area.hpp"

namespace zz::core {

/// Figures that managers ask for: how fast, how many watts, how large. Each follows from the figures of the
/// evaluation and is nothing where one of them is not known: without a clock only the area is known.
///
/// Members are those of rates.def. An operation is a multiplication or an addition: two for each
/// multiply-accumulate. Energy and power have the memory off the chip in them, as energy_total has.
struct Rates {
#define ZZ_RATE(member, unit, low, words) std::optional<double> member;
#include "core/cost/rates.def"
#undef ZZ_RATE
};

/// A row of rates.def.
struct RateRow {
  std::string_view name;
  std::optional<double> Rates::*member;
  std::string_view unit;
  std::string_view low;
  std::string_view words;
};

#define ZZ_RATE(member, unit, low, words) RateRow{#member, &Rates::member, unit, low, words},
inline constexpr RateRow rate_rows[] = {
#include "core/cost/rates.def"
};
#undef ZZ_RATE

/// The row of that name, or null.
const RateRow* rate_row(std::string_view name);

/// The metric, in mW, by which stages tell what leaks; not in energy_total.
inline constexpr const char* leakage_metric = "leakage_power";

/// The metric, in cycles, by which a schedule of the steady state tells how often it begins again. All
/// rates then count from there.
inline constexpr const char* period_metric = "period";

/// The metric `area` of stages that fill costs comes before areas that are told. [any thread]
Rates rates_of(const Evaluation& evaluation);

/// A rate of a result by its name; nothing where it is not known, or is no rate.
std::optional<double> rate_of(const Evaluation& evaluation, std::string_view name);

/// Time of so many cycles at a clock of that period in ns.
double seconds(double cycles, double clock_period);
/// So many in that time, by the second.
double per_second(double count, double cycles, double clock_period);

/// Why a result has no such figure, and what to write: "power needs a clock: write `clock: 500 MHz` ...".
std::string why_no_rate(const Evaluation& evaluation, const RateRow& rate);

/// The area of the chip of an evaluation on one core, its in-memory array included.
ChipArea area_of_chip(const Evaluation& evaluation);

}  // namespace zz::core
