#pragma once
#include <string>
#include <vector>

#include "host/base/exit_code.hpp"

#include "tools/check_plugin/findings.hpp"
#include "tools/check_plugin/rules.hpp"
#include "tools/check_plugin/stage_setup.hpp"

namespace zz::host {

/// Findings on one rule.
struct RuleResult {
  const Rule* rule = nullptr;
  Outcome outcome = Outcome::unchecked;
  std::vector<Observation> seen;  ///< the failures, else what was seen, else why it was not checked
};

/// Findings on one file.
struct PluginResult {
  std::string file;
  std::string plugin;  ///< "org.example.pareto 1.0", or "" when its table cannot be read
  std::vector<RuleResult> rules;
  std::vector<std::string> options;  ///< with which stages that could not be opened may be checked
  bool nothing_ran = false;  ///< it has stages, and none could be run, so next to nothing was checked

  bool passed() const;
};

/// Checks a plugin file against every rule of docs/abi.md that can be checked. The calling process never
/// loads the file: each group of checks runs in a child process. Throws core::InputError for an assignment
/// that cannot be read, and std::runtime_error when no child process can be started.
PluginResult check_plugin(const std::string& file, const GivenValues& given);

std::string to_text(const PluginResult& result, bool verbose);
/// A document with all results, and with broken rules as the problems of other verbs.
std::string to_json(const std::vector<PluginResult>& results, ExitCode code);

}  // namespace zz::host
