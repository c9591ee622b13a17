#include "core/hardware/clock.hpp"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/hardware/multi_core_accelerator.hpp"

namespace zz::core {
namespace {

/// Clocks of chips that people build are between these.
constexpr double shortest_usual = 0.1, longest_usual = 100;  // ns
constexpr double mhz_of_ns = 1000;

/// In `period`, of one unit in ns; else a frequency: the period of one of it.
struct ClockUnit {
  const char* name;
  bool period;
  double ns;
};
constexpr ClockUnit clock_units[] = {{"hz", false, 1e9}, {"khz", false, 1e6}, {"mhz", false, 1e3},
                                     {"ghz", false, 1},  {"ps", true, 1e-3},  {"ns", true, 1},
                                     {"us", true, 1e3},  {"ms", true, 1e6}};
constexpr const char* how_to_write = "write it as 500 MHz, 1 GHz or 2 ns";

}  // namespace

double clock_period_of(std::string_view text) {
  const NumberText number = number_at_begin_of(text);
  if (number.length == 0 || !std::isfinite(number.value))
    throw InputError(fmt::format("'{}' is no clock: {}", printable(std::string(text)), how_to_write));
  std::string_view rest = text.substr(number.length);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  if (rest.empty())
    throw InputError(
        fmt::format("'{}' is a clock without a unit: {}", printable(std::string(text)), how_to_write));
  const std::string unit = lower_case(rest);
  for (const ClockUnit& known : clock_units) {
    if (unit != known.name) continue;
    if (!(number.value > 0))
      throw InputError(
          fmt::format("a clock of {} is none: it must be above 0", printable(std::string(text))));
    const double period = known.period ? number.value * known.ns : known.ns / number.value;
    check_clock_period(period, printable(std::string(text)));
    return period;
  }
  throw InputError(
      fmt::format("'{}' is no unit of a clock, which are Hz, kHz, MHz, GHz, ps, ns, us and ms: {}",
                  printable(std::string(rest)), how_to_write));
}

std::string clock_words(double period) {
  const double mhz = mhz_of_ns / period;
  return mhz >= mhz_of_ns ? fmt::format("{:.4g} GHz", mhz / mhz_of_ns)
         : mhz >= 1       ? fmt::format("{:.4g} MHz", mhz)
                          : fmt::format("{:.4g} kHz", mhz_of_ns * mhz);
}

std::string doubt_of_clock(double period) {
  if (period >= shortest_usual && period <= longest_usual) return "";
  return fmt::format("{:g} ns, a clock of {}: is it meant in ns?", period, clock_words(period));
}

void check_clock_period(double period, std::string_view name) {
  if (period > 0 && std::isfinite(period)) return;
  throw InputError(fmt::format("{} is {:g} ns: a clock period must be above 0; {}", name, period,
                               "leave it out where it is not known"));
}

std::shared_ptr<const Accelerator> with_clock(std::shared_ptr<const Accelerator> accelerator,
                                              double period) {
  if (accelerator->clock_period == period) return accelerator;
  auto clocked = std::make_shared<Accelerator>(*accelerator);
  clocked->clock_period = period;
  return clocked;
}

double clock_of(const MultiCoreAccelerator& accelerator) {
  const Accelerator* first = nullptr;
  for (const auto& core : accelerator.cores) {
    if (core->clock_period == 0) continue;
    if (first == nullptr) first = core.get();
    if (core->clock_period != first->clock_period)
      throw InputError(fmt::format(
          "core '{}' has a clock of {}, and core '{}' one of {}; all cores count in cycles of one clock: "
          "write "
          "`clock_period` in the file that joins them",
          first->name, clock_words(first->clock_period), core->name, clock_words(core->clock_period)));
  }
  return first == nullptr ? 0 : first->clock_period;
}

void set_clock(MultiCoreAccelerator& accelerator, double period) {
  std::map<const Accelerator*, std::shared_ptr<const Accelerator>> clocked;
  for (auto& core : accelerator.cores) {
    auto& made = clocked[core.get()];
    if (made == nullptr) made = with_clock(core, period);
    core = made;
  }
}

}  // namespace zz::core
