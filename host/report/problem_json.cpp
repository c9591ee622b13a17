#include "host/report/problem_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/library/pipeline_run.hpp"

namespace zz::host {

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
