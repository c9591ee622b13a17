#pragma once
#include <string>

#include "host/report/why.hpp"

/// The answer of `why --mapping`: where the cycles of this mapping go, and what would help it as it is.
namespace zz::host {

/// A layer, or a network as a whole.
std::string mapping_in_full(const Why& why, const WhyQuestion& question);
/// "19.0 %: dram rw_port_1 2 x as wide", for a row of a table.
std::string what_helps_most(const Why& layer);

}  // namespace zz::host
