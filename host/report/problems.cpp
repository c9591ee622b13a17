#include "host/report/problems.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "host/base/log.hpp"

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
  if (warning && !is_shown(LogLevel::warning)) return;
  // The program says what is in no file.
  const std::string text =
      problem.mark.file.empty()
          ? fmt::format("zz-host: {}: {}{}{}", warning ? "warning" : "error", problem.message,
                        problem.hint.empty() ? "" : "; ", problem.hint)
          : core::to_string(problem);
  if (!problem_state().told.insert(text).second) return;
  write_line(text);
  if (!warning) keep(problem_json(problem, "", ExitCode::usage));
}

void tell(const core::Diagnostics& problems) {
  for (const core::Diagnostic& problem : problems.all()) tell(problem);
}

void tell(const core::InputError& problems) {
  for (const core::Diagnostic& problem : problems.diagnostics()) tell(problem);
}

void tell_error(const std::string& message, ExitCode code, const std::string& hint) {
  write_line("zz-host: error: " + message + (hint.empty() ? "" : "; " + hint));
  keep(problem_json({core::Severity::error, {}, message, hint}, "", code));
}

void tell(const Failure& failure) {
  const Failure& root = root_cause(failure);
  for (Json& problem : problems_json(failure)) keep(std::move(problem));
  if (failure.code == ZZ_E_CANCELLED) {
    // The message of a stage may say more than that it was asked to stop.
    const bool plain = root.stage.empty() || root.message == "interrupted";
    write_line(plain ? "zz-host: interrupted" : "zz-host: interrupted: " + to_string(failure));
  } else if (!root.problems.empty()) {
    // Messages of readers begin with a place in their file, as a compiler does.
    write_line(root.message);
    write_line("zz-host: error: " + to_string(*with_root(failure, root.message, "cannot use its input")));
  } else {
    write_line("zz-host: error: " + to_string(failure));
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

using Json = nlohmann::ordered_json;

Json problem_json(const core::Diagnostic& problem, const std::string& stage, ExitCode code) {
  Json json{{"message", problem.message}};
  if (!problem.hint.empty()) json["hint"] = problem.hint;
  json["code"] = code_word(code);
  if (const std::string place = core::to_string(problem.mark); !place.empty()) json["place"] = place;
  if (!problem.mark.file.empty()) json["file"] = problem.mark.file;
  if (problem.mark.line > 0) json["line"] = problem.mark.line;
  if (problem.mark.column > 0) json["column"] = problem.mark.column;
  if (!stage.empty()) json["stage"] = stage;
  return json;
}

Json problems_json(const Failure& failure) {
  const Failure& root = root_cause(failure);
  const ExitCode code = exit_code_of(failure);
  Json all = Json::array();
  for (const core::Diagnostic& problem : root.problems)
    all.push_back(problem_json(problem, root.stage, ExitCode::usage));
  if (!all.empty()) return all;
  std::string message = to_string(failure);
  // That of a stage may say more than that it was asked to stop.
  if (code == ExitCode::interrupted)
    message = root.stage.empty() || root.message == "interrupted" ? "interrupted" : root.message;
  all.push_back(problem_json({core::Severity::error, {}, std::move(message), ""}, root.stage, code));
  if (is_not_found(failure)) all.back()["code"] = "not_found";
  return all;
}

const char* code_word(ExitCode code) {
  switch (code) {
    case ExitCode::done:
      return "done";
    case ExitCode::usage:
      return "invalid";
    case ExitCode::plugin:
      return "plugin";
    case ExitCode::no_result:
      return "no_result";
    case ExitCode::interrupted:
      return "cancelled";
    case ExitCode::stage_failed:
      break;
  }
  return "failed";
}

}  // namespace zz::host
