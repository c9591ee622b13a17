#include "core/base/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace zz::core {
namespace {

struct Prefixed {
  const char* unit;
  double size;
};

/// By the largest unit that the value has one of, else the smallest.
const Prefixed& fitting(double value, std::span<const Prefixed> largest_first) {
  for (const Prefixed& each : largest_first)
    if (std::abs(value) >= each.size) return each;
  return value == 0 ? largest_first.front() : largest_first.back();
}

std::string text_in(double value, std::span<const Prefixed> largest_first) {
  const Prefixed& unit = fitting(value, largest_first);
  return fmt::format("{} {}", four_digits(value / unit.size), unit.unit);
}

constexpr std::array<EnergyUnit, 5> energy_units = {
    {{"J", 1e12}, {"mJ", 1e9}, {"uJ", 1e6}, {"nJ", 1e3}, {"pJ", 1}}};
constexpr Prefixed watts_units[] = {{"W", 1}, {"mW", 1e-3}, {"uW", 1e-6}, {"nW", 1e-9}};
constexpr Prefixed seconds_units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
constexpr Prefixed tops_units[] = {{"TOP/s", 1}, {"GOP/s", 1e-3}, {"MOP/s", 1e-6}};

}  // namespace

std::string four_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  constexpr int digits = 4;
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (decimals < 0) {
    const double step = std::pow(10.0, -decimals);
    return fmt::format("{:.0f}", std::round(value / step) * step);
  }
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string percent_text(double fraction) {
  const double percent = 100 * fraction;
  return percent < 99.5 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

EnergyUnit energy_unit(double energy) {
  const auto found = std::find_if(energy_units.begin(), energy_units.end(),
                                  [&](const EnergyUnit& unit) { return energy >= unit.size; });
  return found == energy_units.end() ? energy_units.back() : *found;
}

std::string energy_words(double energy) {
  const EnergyUnit unit = energy_unit(energy);
  return fmt::format("{} {}", four_digits(energy / unit.size), unit.name);
}

std::string power_text(double watts) { return text_in(watts, watts_units); }
std::string time_text(double seconds) { return text_in(seconds, seconds_units); }
std::string tops_text(double tops) { return text_in(tops, tops_units); }

}  // namespace zz::core
