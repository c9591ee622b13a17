#pragma once
#include <string>

namespace zz::core {

// Quantities for people. CSV, JSON and Python have them exactly, in the units of their columns.

/// Four significant digits, never with an exponent: "1234", "12.34", "0.0001234", "123500".
std::string four_digits(double value);

/// A fraction in percent, with two significant digits: "0.12 %", "3.4 %", "160 %".
std::string percent_text(double fraction);

/// A unit of energy, and how many pJ it is.
struct EnergyUnit {
  const char* name;
  double size;
};
/// The one in which this energy in pJ has one to three digits before the point: pJ, nJ, uJ, mJ or J. Tables
/// take that of their largest for all rows.
EnergyUnit energy_unit(double energy);
/// "12.34 uJ", of pJ.
std::string energy_words(double energy);

/// "45.67 mW", of W.
std::string power_text(double watts);
/// "1.234 ms", of seconds.
std::string time_text(double seconds);
/// "1.234 TOP/s", of TOP/s.
std::string tops_text(double tops);

}  // namespace zz::core
