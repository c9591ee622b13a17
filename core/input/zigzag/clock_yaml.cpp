#include "core/input/zigzag/clock_yaml.hpp"

#include <fmt/format.h>
#include <string>

#include "core/base/number_text.hpp"
#include "core/hardware/clock.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {
namespace {

double period_in(const yaml::Node& node, const std::string& what, bool number_is_ns,
                 Diagnostics& diagnostics) {
  std::string text;
  if (!node.is_scalar()) {
    diagnostics.error(node.mark, fmt::format("{} must be a clock, but found {}", what, node.describe()),
                      "write it as 500 MHz, 1 GHz or 2 ns");
    return 0;
  }
  try {
    const std::optional<double> number = number_of(node.text);
    if (!number_is_ns || !number) return clock_period_of(node.text);
    check_clock_period(*number, what);
    return *number;
  } catch (const InputError& problem) {
    const std::string told = problem.what();
    diagnostics.error(node.mark, told.starts_with(what) ? told : fmt::format("{}: {}", what, told));
    return 0;
  }
}

}  // namespace

double read_clock(yaml::MapReader& map, Diagnostics& diagnostics) {
  const yaml::Node* const period = map.find("clock_period");
  const yaml::Node* const clock = map.find("clock");
  if (period != nullptr && clock != nullptr)
    diagnostics.error(clock->mark, fmt::format("{} is given beside 'clock_period'", map.what("clock")),
                      "leave one of them out");
  double ns = 0;
  if (period != nullptr)
    ns = period_in(*period, map.what("clock_period"), true, diagnostics);
  else if (clock != nullptr)
    ns = period_in(*clock, map.what("clock"), false, diagnostics);
  if (const std::string doubt = ns > 0 ? doubt_of_clock(ns) : ""; !doubt.empty())
    diagnostics.warning((period != nullptr ? period : clock)->mark, "the clock period is " + doubt);
  return ns;
}

}  // namespace zz::core
