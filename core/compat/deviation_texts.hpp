#pragma once
#include <string>
#include <string_view>

#include "core/compat/rules.hpp"

namespace zz::core {

/// What a run says of a correction of what is read, chosen or allowed. Those of costs have theirs where
/// they are measured (core/cost/deviations.hpp).
struct DeviationText {
  bool Rules::*rule;
  std::string_view name;  ///< the member of Rules
  std::string_view what;  ///< half a sentence: what zz does, and what ZigZag
};

/// Throws std::logic_error for a rule without text.
const DeviationText& deviation_text(bool Rules::*rule);
/// nullptr for a name without text.
const DeviationText* deviation_text(std::string_view name);

/// "ZigZag" or "Stream", whose figures a setting `compat` gives.
std::string_view original_of(std::string_view compat);
/// The end of a sentence about a rule, or about several: what to write for the original's figures, and
/// where to read more.
std::string advice(std::string_view compat, std::string_view rule = "");

}  // namespace zz::core
