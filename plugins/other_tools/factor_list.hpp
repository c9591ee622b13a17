#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::plugins {

/// One of Timeloop's factors: a loop with its number of iterations, 0: all that is left.
struct LoopFactor {
  std::string loop;  ///< upper case
  std::int64_t size = 1;
};

/// Reads "R=3 P=16", "R3 P16", "R=3,P=16" or a list of such words. Others, as "R<=3", are problems.
std::vector<LoopFactor> read_factor_list(const core::yaml::Node& node, core::Diagnostics& problems);

}  // namespace zz::plugins
