#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/value/value.hpp"
#include "host/base/exit_code.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// Why a call into a stage failed. A stage above may fail because of it, with this failure as its cause.
struct Failure {
  zz_status code = ZZ_E_INTERNAL;
  std::string message = {};
  std::string stage = {};                     ///< label of the stage that failed; "" for the host itself
  std::shared_ptr<const Failure> cause = {};  ///< the failure below that it followed from
  /// The part of `message` about files, where the stage told it apart.
  std::vector<core::Diagnostic> problems = {};
  /// ZZ_E_NO_RESULT: what was looked for may be there; the search did not look at everything.
  bool not_found = false;
};
using FailurePointer = std::shared_ptr<const Failure>;

FailurePointer make_failure(zz_status code, std::string message, std::string stage,
                            FailurePointer cause = nullptr);

/// The same for a stage that broke a rule of the boundary, by its number in docs/abi.md.
FailurePointer make_rule_failure(std::string what, const char* rule, std::string stage);

/// A message of such problems is more than a sentence: it begins with a place in a file.
bool names_a_file(const std::vector<core::Diagnostic>& problems);

/// "stage 4 CostModelStage in cost.so (p.yaml:31): port is too narrow", with causes on lines of their own.
std::string to_string(const Failure& failure);

/// The first failure of a chain of causes.
const Failure& root_cause(const Failure& failure);

/// True when it says that nothing was found, and nobody has proven that there is nothing.
bool is_not_found(const Failure& failure);

/// The exit code of a run that failed so.
ExitCode exit_code_of(const Failure& failure);

/// The failure as a value {code, message, stage, cause, problems, not_found} for plugins, and back.
core::Value to_value(const FailurePointer& failure);
FailurePointer from_value(const core::Value& value);

}  // namespace zz::host
