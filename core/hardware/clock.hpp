#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace zz::core {

struct Accelerator;
struct MultiCoreAccelerator;

/// The period in ns of a clock as people write it: "500 MHz", "1 GHz", "2 ns"; with Hz, kHz, MHz, GHz, ps,
/// ns, us or ms, whatever the case of letters and with or without a blank. Throws InputError for what is
/// none, or not above 0.
double clock_period_of(std::string_view text);

/// "500 MHz", of a period in ns.
std::string clock_words(double period);

/// Signs that a period looks as if it were not meant in ns: "a clock of 2 MHz: is it meant in ns?"; "":
/// nothing.
std::string doubt_of_clock(double period);

/// Throws InputError where a period in ns, told under this name, is not a finite number above 0.
void check_clock_period(double period, std::string_view name);

/// The same accelerator with this clock; the same object where it has it already.
std::shared_ptr<const Accelerator> with_clock(std::shared_ptr<const Accelerator> accelerator,
                                              double period);

/// The clock of all cores; 0: nobody says. Throws InputError where cores say different ones: zz counts in
/// cycles of one clock.
double clock_of(const MultiCoreAccelerator& accelerator);
/// Gives it to all cores; those that are one object stay one.
void set_clock(MultiCoreAccelerator& accelerator, double period);

}  // namespace zz::core
