#pragma once
#include <span>
#include <string>
#include <string_view>

namespace zz::core {

/// Where figures of ZigZag and Stream are impossible or rest on an accident, zz corrects them. Each member
/// reproduces one such behaviour instead, and is one row of rules.def. All false: corrected figures.
///
/// Made once from the setting `compat` and passed on by reference or value.
struct Rules {
#define ZZ_RULE(name, of, what) bool name = false;
#include "core/compat/rules.def"
#undef ZZ_RULE

  bool operator==(const Rules&) const = default;
};

/// Whose figures a rule gives.
enum class RuleOf {
  zigzag,        ///< ZigZag 3.8.5 and 3.9, and the ZigZag 3.6.1 below Stream 0.0.8
  zigzag_3_8_5,  ///< the same without 3.9
  zigzag_3_9,
  stream,            ///< Stream 0.0.8
  stream_schedules,  ///< Stream 0.0.8; kept or dropped all together
};

/// A row of rules.def.
struct RuleRow {
  bool Rules::*rule;
  std::string_view name;  ///< the member of Rules
  RuleOf of;
  std::string_view what;  ///< half a sentence: what zz does, and what the original
};

/// All rules, in the order of rules.def.
std::span<const RuleRow> rule_rows();
/// The row of a member of Rules.
const RuleRow& rule_row(bool Rules::*rule);

/// `compat`: empty, "zigzag-3.8.5", "zigzag-3.9", or "stream-0.0.8", which includes ZigZag 3.8.5's. After
/// one of these, exceptions may be named: "zigzag-3.9 but faster_than_ports, data_in_whole_units". Throws
/// InputError for any other text.
Rules rules_of(std::string_view compat);
/// A setting `compat` that gives these rules: "" for none, with as few exceptions as can be. Throws
/// std::logic_error for rules that no setting gives.
std::string compat_of(const Rules& rules);
/// Some member is set: figures are those of ZigZag or Stream.
bool gives_original_figures(const Rules& rules);

/// "zigzag-3.9" of "zigzag-3.9 but faster_than_ports".
std::string_view without_exceptions(std::string_view compat);
/// "ZigZag" or "Stream", whose figures a setting `compat` gives.
std::string_view original_of(std::string_view compat);

}  // namespace zz::core
