#pragma once
#include "core/base/diagnostics.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {

/// Reads the clock of an accelerator file: `clock_period`, a number of ns or a text with a unit, or
/// `clock`, a text as "500 MHz". Gives ns, and 0 where there is none, or a problem that is then reported.
double read_clock(yaml::MapReader& map, Diagnostics& diagnostics);

}  // namespace zz::core
