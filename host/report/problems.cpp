#include "host/report/problems.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/printable.hpp"
#include "host/report/problem_json.hpp"
#include "host/services/run.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

struct ProblemState {
  std::set<std::string> told;
  Json errors = Json::array();
  bool printed = false;
};
ProblemState& problem_state() {
  static ProblemState all;
  return all;
}

void say(const std::string& text) {
  current_run().progress.clear_line();
  fmt::print(stderr, "{}\n", core::printable(text));
}

void keep(Json problem) { problem_state().errors.push_back(std::move(problem)); }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  if (const auto found = text.find(what); found != std::string::npos) text.replace(found, what.size(), by);
  return text;
}

/// The failure with another message for its root cause, also where a stage above quotes it.
FailurePointer with_root(const Failure& failure, const std::string& root, const std::string& words) {
  return make_failure(failure.code, replaced(failure.message, root, words), failure.stage,
                      failure.cause != nullptr ? with_root(*failure.cause, root, words) : nullptr);
}

}  // namespace

void tell(const core::Diagnostic& problem) {
  const bool warning = problem.severity == core::Severity::warning;
  if (warning && current_run().log.level() > LogLevel::warning) return;
  // What is in no file is the program's to say.
  const std::string text =
      problem.mark.file.empty()
          ? fmt::format("zz-host: {}: {}{}{}", warning ? "warning" : "error", problem.message,
                        problem.hint.empty() ? "" : "; ", problem.hint)
          : core::to_string(problem);
  if (!problem_state().told.insert(text).second) return;
  say(text);
  if (!warning) keep(problem_json(problem, "", ExitCode::usage));
}

void tell(const core::Diagnostics& problems) {
  for (const core::Diagnostic& problem : problems.all()) tell(problem);
}

void tell(const core::InputError& problems) {
  for (const core::Diagnostic& problem : problems.diagnostics()) tell(problem);
}

void tell_error(const std::string& message, ExitCode code, const std::string& hint) {
  say("zz-host: error: " + message + (hint.empty() ? "" : "; " + hint));
  keep(problem_json({core::Severity::error, {}, message, hint}, "", code));
}

void tell(const Failure& failure) {
  const Failure& root = root_cause(failure);
  for (Json& problem : problems_json(failure)) keep(std::move(problem));
  if (failure.code == ZZ_E_CANCELLED) {
    // The message of a stage may say more than that it was asked to stop.
    const bool plain = root.stage.empty() || root.message == "interrupted";
    say(plain ? "zz-host: interrupted" : "zz-host: interrupted: " + to_string(failure));
  } else if (!root.problems.empty()) {
    // What readers say of files begins with a place there, as a compiler does.
    say(root.message);
    say("zz-host: error: " + to_string(*with_root(failure, root.message, "cannot use its input")));
  } else {
    say("zz-host: error: " + to_string(failure));
  }
}

Json errors_json() {
  problem_state().printed = true;
  return problem_state().errors;
}

bool errors_are_printed() { return problem_state().printed; }

std::string failed_json(int exit_status) {
  const Json json{{"errors", errors_json()}, {"exit_status", exit_status}};
  return core::json_text(json, {.indent = 2}) + "\n";
}

}  // namespace zz::host
