#pragma once
#include <string>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// Sentences that follow from the clock and the area of a whole result, a line each: "at 500 MHz: 2.5 ms,
/// 400 frames/s, 1.2 W without leakage, which is not known; 3.4 TOP/s, 2.833 TOP/s/W"; "" where neither is
/// known. The area is left out where the result has the ends of its range (`area_low`): they are told
/// together.
std::string rate_words(const Evaluation& evaluation);

}  // namespace zz::core
