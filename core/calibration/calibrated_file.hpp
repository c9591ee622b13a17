#pragma once
#include <string>
#include <vector>

#include "core/calibration/calibration.hpp"

namespace zz::core {

/// The text of an accelerator file in which the constants have their values `after`; all else of it, its
/// comments among it, stays as it is. `path` stands for the file in messages.
///
/// Throws InputError where the file has no place for one: ports that it does not write out (`r_bw`), or
/// parts that an alias repeats.
std::string with_constants(const std::string& text, const std::string& path,
                           const std::vector<FittedConstant>& constants);

}  // namespace zz::core
