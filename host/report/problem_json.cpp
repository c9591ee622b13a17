#include "host/report/problem_json.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/library/pipeline_run.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

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
Json finished_problems(std::string_view text, const std::string& stage) {
  Json all = Json::array();
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
    all.push_back(problem_json(error, stage, ExitCode::usage));
  }
  return all;
}

}  // namespace

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

bool has_finished_problems(const Failure& root) {
  return root.code == ZZ_E_INVALID && root.message.find(error_word) != std::string::npos;
}

Json problems_json(const Failure& failure) {
  const Failure& root = root_cause(failure);
  const ExitCode code = exit_code_of(failure);
  if (has_finished_problems(root)) return finished_problems(root.message, root.stage);
  std::string message = to_string(failure);
  // That of a stage may say more than that it was asked to stop.
  if (code == ExitCode::interrupted)
    message = root.stage.empty() || root.message == "interrupted" ? "interrupted" : root.message;
  Json all = Json::array();
  all.push_back(problem_json({core::Severity::error, {}, std::move(message), ""}, root.stage, code));
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
