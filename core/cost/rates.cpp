#include "core/cost/rates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace zz::core {
namespace {

constexpr double picojoule = 1e-12, nanosecond = 1e-9, milli = 1e-3, tera = 1e12;
constexpr double operations_of_mac = 2;

std::optional<double> known_area(const Evaluation& evaluation) {
  if (const double* told = find_metric(evaluation, "area")) return *told;
  if (evaluation.imc) return evaluation.imc->area_total();
  if (evaluation.chip_area > 0) return evaluation.chip_area;
  // The accelerator of a sum need not be all that its layers run on.
  if (evaluation.is_sum()) return std::nullopt;
  const ChipArea area = area_of_chip(evaluation);
  return area.is_known() ? std::optional(area.mm2) : std::nullopt;
}

}  // namespace

const RateRow* rate_row(std::string_view name) {
  for (const RateRow& row : rate_rows)
    if (row.name == name) return &row;
  return nullptr;
}

double seconds(double cycles, double clock_period) { return cycles * clock_period * nanosecond; }

double per_second(double count, double cycles, double clock_period) {
  return count / seconds(cycles, clock_period);
}

ChipArea area_of_chip(const Evaluation& evaluation) {
  if (evaluation.accelerator == nullptr) return {};
  ChipArea area = chip_area(*evaluation.accelerator);
  if (evaluation.imc) area.mm2 += evaluation.imc->imc_area();
  return area;
}

Rates rates_of(const Evaluation& evaluation) {
  Rates rates;
  rates.area = known_area(evaluation);
  const double clock = evaluation.clock_period;
  double cycles = evaluation.latency_total2;
  if (!(clock > 0) || !(cycles > 0)) return rates;
  rates.latency_ms = seconds(cycles, clock) / milli;
  // A repeat begins before the one before it has ended.
  if (const double* const period = find_metric(evaluation, period_metric)) cycles = *period;
  if (evaluation.frames > 0) rates.frames_per_second = per_second(evaluation.frames, cycles, clock);
  if (evaluation.tokens > 0) rates.tokens_per_second = per_second(evaluation.tokens, cycles, clock);
  const double* const leaks = find_metric(evaluation, leakage_metric);
  rates.power = per_second(evaluation.energy_total * picojoule, cycles, clock) +
                (leaks == nullptr ? 0 : *leaks * milli);
  if (!(evaluation.mac_count > 0)) return rates;
  rates.tops = per_second(operations_of_mac * evaluation.mac_count, cycles, clock) / tera;
  if (*rates.power > 0) rates.tops_per_watt = *rates.tops / *rates.power;
  const bool all_have_area = area_of_chip(evaluation).without.empty();
  if (all_have_area && rates.area && *rates.area > 0) rates.tops_per_mm2 = *rates.tops / *rates.area;
  return rates;
}

std::optional<double> rate_of(const Evaluation& evaluation, std::string_view name) {
  const RateRow* const row = rate_row(name);
  return row == nullptr ? std::nullopt : rates_of(evaluation).*row->member;
}

std::string why_no_rate(const Evaluation& evaluation, const RateRow& rate) {
  const bool of_area = rate.member == &Rates::area || rate.member == &Rates::tops_per_mm2;
  if (of_area && !known_area(evaluation)) {
    const ChipArea area = area_of_chip(evaluation);
    return fmt::format(
        "'{}' needs the area of every part of the chip, and {}; write `area` in the accelerator "
        "file, or `costs: auto` there and ComponentCostStage below AcceleratorParserStage",
        rate.name,
        area.without.empty() ? "nobody says that of this one"
                             : fmt::format("none is told of {}", fmt::join(area.without, ", ")));
  }
  if (rate.member == &Rates::area) return "";
  if (!(evaluation.clock_period > 0))
    return fmt::format(
        "'{}' needs a clock: write `clock: 500 MHz` in the accelerator file, or give the "
        "parameter `clock_period` in ns",
        rate.name);
  if (rate.member == &Rates::frames_per_second && evaluation.tokens > 0)
    return "'frames_per_second' is of networks with a batch; a language model has tokens_per_second";
  if (rate.member == &Rates::frames_per_second)
    return "'frames_per_second' needs the batch of the network, which nobody tells here";
  if (rate.member == &Rates::tokens_per_second)
    return "'tokens_per_second' is of language models; other networks have frames_per_second";
  return fmt::format("'{}' is not known: the result has no latency or no multiply-accumulates", rate.name);
}

}  // namespace zz::core
