#pragma once
#include <span>
#include <string_view>

namespace zz::host {

/// A rule of docs/abi.md as `zz-host check-plugin` speaks of it.
struct Rule {
  const char* number;
  const char* statement;
  const char* remedy;     ///< the cure for what breaks it; nullptr for a rule that nothing here checks
  const char* unchecked;  ///< why there may be nothing to say about it

  static constexpr const char* not_loaded = "the library could not be loaded";

  /// True when a stage must be run to say anything about it.
  bool needs_run() const;
};

/// All rules, in the order of docs/abi.md.
std::span<const Rule> plugin_rules();

/// The rule with that number. Throws std::out_of_range.
const Rule& plugin_rule(std::string_view number);

}  // namespace zz::host
