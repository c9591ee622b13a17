#include "host/chain/failure.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/text.hpp"
#include "core/value/read.hpp"

namespace zz::host {
namespace {

std::string text_at(const core::Value& map, std::string_view key) {
  std::string_view text;
  core::read_text(core::part(map.ref(), core::intern(key)), text);
  return std::string(text);
}

core::Value value_of(const std::vector<core::Diagnostic>& problems) {
  std::vector<core::Value> values;
  for (const core::Diagnostic& problem : problems) {
    values.push_back(core::Value::map({{"message", core::Value::text(problem.message)},
                                       {"hint", core::Value::text(problem.hint)},
                                       {"file", core::Value::text(problem.mark.file)},
                                       {"line", core::Value::integer(problem.mark.line)},
                                       {"column", core::Value::integer(problem.mark.column)}}));
  }
  return core::Value::list(std::move(values));
}

/// 0 for what is no number of a line or column.
int number_at(const core::Value& map, std::string_view key) {
  std::int64_t number = 0;
  core::read_i64(core::part(map.ref(), core::intern(key)), number);
  return number > 0 && number <= std::numeric_limits<int>::max() ? static_cast<int>(number) : 0;
}

bool truth_at(const core::Value& map, std::string_view key) {
  std::int64_t truth = 0;
  core::read_i64(core::part(map.ref(), core::intern(key)), truth);
  return truth != 0;
}

std::vector<core::Diagnostic> problems_in(const core::Value& failure) {
  std::vector<core::Diagnostic> problems;
  const core::Ref list = core::part(failure.ref(), core::intern("problems"));
  if (core::kind_of(list) != core::Kind::list) return problems;
  for (std::uint32_t i = 0; i < core::count_of(list); ++i) {
    const core::Value problem = core::held_part(failure, core::part_at(list, i));
    problems.push_back(
        {core::Severity::error,
         {text_at(problem, "file"), number_at(problem, "line"), number_at(problem, "column")},
         text_at(problem, "message"),
         text_at(problem, "hint")});
  }
  return problems;
}

bool says_the_same(const Failure& failure, const Failure& cause) {
  return (cause.stage.empty() || cause.stage == failure.stage) &&
         failure.message.find(cause.message) != std::string::npos;
}

/// The words that a stage adds to a failure which it quotes; the quoted stage is told next, with its name.
std::string own_words(const Failure& failure) {
  const std::string& message = failure.message;
  if (failure.cause == nullptr || says_the_same(failure, *failure.cause)) return message;
  const std::string& quoted = failure.cause->message;
  if (quoted.empty() || !message.ends_with(quoted)) return message;
  const std::string own = message.substr(0, message.size() - quoted.size());
  return own.ends_with(": ") ? own.substr(0, own.size() - 2) : own;
}

}  // namespace

FailurePointer make_failure(zz_status code, std::string message, std::string stage, FailurePointer cause) {
  return std::make_shared<const Failure>(
      Failure{code, std::move(message), std::move(stage), std::move(cause)});
}

FailurePointer make_rule_failure(std::string what, const char* rule, std::string stage) {
  return make_failure(ZZ_E_INTERNAL,
                      std::move(what) + ": this is a bug in that stage (rule " + rule + " of docs/abi.md)",
                      std::move(stage));
}

bool names_a_file(const std::vector<core::Diagnostic>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const core::Diagnostic& problem) { return !problem.mark.file.empty(); });
}

std::string to_string(const Failure& failure) {
  std::string text;
  for (const Failure* told = &failure; told != nullptr; told = told->cause.get()) {
    const bool first = told == &failure;
    const std::string message = own_words(*told);
    text += first ? "" : "\n  because of ";
    text += told->stage;
    if (!message.empty()) text += (told->stage.empty() ? "" : ": ") + message;
    while (told->cause != nullptr && says_the_same(*told, *told->cause)) told = told->cause.get();
  }
  return text;
}

const Failure& root_cause(const Failure& failure) {
  const Failure* deepest = &failure;
  while (deepest->cause != nullptr) deepest = deepest->cause.get();
  return *deepest;
}

bool is_not_found(const Failure& failure) {
  if (failure.code != ZZ_E_NO_RESULT) return false;
  for (const Failure* told = &failure; told != nullptr; told = told->cause.get())
    if (told->not_found) return true;
  return false;
}

core::Value to_value(const FailurePointer& failure) {
  if (failure == nullptr) return {};
  std::vector<std::pair<std::string, core::Value>> entries{{"code", core::Value::integer(failure->code)},
                                                           {"message", core::Value::text(failure->message)},
                                                           {"stage", core::Value::text(failure->stage)},
                                                           {"cause", to_value(failure->cause)}};
  if (failure->not_found) entries.emplace_back("not_found", core::Value::boolean(true));
  if (!failure->problems.empty()) entries.emplace_back("problems", value_of(failure->problems));
  return core::Value::map(std::move(entries));
}

FailurePointer from_value(const core::Value& value) {
  if (core::kind_of(value.ref()) != core::Kind::map) return nullptr;
  std::int64_t code = ZZ_E_INTERNAL;
  core::read_i64(core::part(value.ref(), core::intern("code")), code);
  if (code == ZZ_OK) code = ZZ_E_INTERNAL;
  FailurePointer cause;
  const core::Ref part = core::part(value.ref(), core::intern("cause"));
  if (core::kind_of(part) == core::Kind::map) cause = from_value(core::held_part(value, part));
  return std::make_shared<const Failure>(
      Failure{static_cast<zz_status>(code), core::message_text(text_at(value, "message")),
              text_at(value, "stage"), std::move(cause), problems_in(value), truth_at(value, "not_found")});
}

ExitCode exit_code_of(const Failure& failure) {
  switch (failure.code) {
    case ZZ_E_CANCELLED:
      return ExitCode::interrupted;
    case ZZ_E_NO_RESULT:
      return ExitCode::no_result;
    case ZZ_E_INVALID:
      return ExitCode::usage;
    default:
      return ExitCode::stage_failed;
  }
}

}  // namespace zz::host
