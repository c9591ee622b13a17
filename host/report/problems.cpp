#include "host/report/problems.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "core/text/json_text.hpp"
#include "core/text/printable.hpp"
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

void keep(const core::Diagnostic& error, const std::string& stage) {
  Json json{{"message", error.message}};
  if (!error.hint.empty()) json["hint"] = error.hint;
  if (!error.mark.file.empty()) json["file"] = error.mark.file;
  if (error.mark.line > 0) json["line"] = error.mark.line;
  if (error.mark.column > 0) json["column"] = error.mark.column;
  if (!stage.empty()) json["stage"] = stage;
  problem_state().errors.push_back(std::move(json));
}

/// Takes the number at the end of `text`, after a colon; 0 when there is none.
int take_number(std::string_view& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return 0;
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data() + colon + 1, end, number);
  if (problem != std::errc{} || rest != end) return 0;
  text = text.substr(0, colon);
  return number;
}

constexpr std::string_view error_word = ": error: ";

/// The problems in finished diagnostics, which come from readers behind the stage boundary as text:
/// "file:line:column: error: message", each followed by lines of the file.
void keep_finished(std::string_view text, const std::string& stage) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto word = line.find(error_word);
    if (word == std::string_view::npos) continue;
    core::Diagnostic error;
    std::string_view place = line.substr(0, word);
    const int last = take_number(place);
    const int before = last > 0 ? take_number(place) : 0;
    error.mark = {std::string(place), before > 0 ? before : last, before > 0 ? last : 0};
    error.message = line.substr(word + error_word.size());
    keep(error, stage);
  }
}

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
  if (!warning) keep(problem, "");
}

void tell(const core::Diagnostics& problems) {
  for (const core::Diagnostic& problem : problems.all()) tell(problem);
}

void tell(const core::InputError& problems) {
  for (const core::Diagnostic& problem : problems.diagnostics()) tell(problem);
}

void tell_error(const std::string& message) {
  say("zz-host: error: " + message);
  keep({core::Severity::error, {}, message, ""}, "");
}

void tell(const Failure& failure) {
  const Failure& root = root_cause(failure);
  if (failure.code == ZZ_E_CANCELLED) {
    // The message of a stage may say more than that it was asked to stop.
    const bool plain = root.stage.empty() || root.message == "interrupted";
    say(plain ? "zz-host: interrupted" : "zz-host: interrupted: " + to_string(failure));
    keep({core::Severity::error, {}, plain ? "interrupted" : root.message, ""}, root.stage);
    return;
  }
  // Readers of input files hand over finished diagnostics, which begin with a place in that file.
  if (root.code == ZZ_E_INVALID && root.message.find(error_word) != std::string::npos) {
    say(root.message);
    say("zz-host: error: " + to_string(*with_root(failure, root.message, "cannot use its input")));
    keep_finished(root.message, root.stage);
    return;
  }
  say("zz-host: error: " + to_string(failure));
  keep({core::Severity::error, {}, to_string(failure), ""}, root.stage);
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
