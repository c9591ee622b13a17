#include "host/chain/failure.hpp"

#include "core/value/read.hpp"

namespace zz::host {
namespace {

std::string text_at(const core::Value& map, std::string_view key) {
  std::string_view text;
  core::read_text(core::part(map.ref(), core::intern(key)), text);
  return std::string(text);
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

std::string to_string(const Failure& failure) {
  std::string text = failure.stage.empty() ? "" : failure.stage + ": ";
  text += failure.message;
  const Failure* above = &failure;
  for (const Failure* cause = failure.cause.get(); cause != nullptr; cause = cause->cause.get()) {
    // A stage that quotes the failure that it follows from has said it: what is left is who said it first.
    const bool quoted = !cause->message.empty() && above->message.find(cause->message) != std::string::npos;
    const bool same_stage = cause->stage.empty() || cause->stage == above->stage;
    if (!quoted || !same_stage) {
      text += "\n  because of " + cause->stage;
      if (!quoted) text += (cause->stage.empty() ? "" : ": ") + cause->message;
    }
    above = cause;
  }
  return text;
}

const Failure& root_cause(const Failure& failure) {
  const Failure* deepest = &failure;
  while (deepest->cause != nullptr) deepest = deepest->cause.get();
  return *deepest;
}

core::Value to_value(const FailurePointer& failure) {
  if (failure == nullptr) return {};
  return core::Value::map({{"code", core::Value::integer(failure->code)},
                           {"message", core::Value::text(failure->message)},
                           {"stage", core::Value::text(failure->stage)},
                           {"cause", to_value(failure->cause)}});
}

FailurePointer from_value(const core::Value& value) {
  if (core::kind_of(value.ref()) != core::Kind::map) return nullptr;
  std::int64_t code = ZZ_E_INTERNAL;
  core::read_i64(core::part(value.ref(), core::intern("code")), code);
  if (code == ZZ_OK) code = ZZ_E_INTERNAL;
  FailurePointer cause;
  const core::Ref part = core::part(value.ref(), core::intern("cause"));
  if (core::kind_of(part) == core::Kind::map) cause = from_value(core::held_part(value, part));
  return make_failure(static_cast<zz_status>(code), text_at(value, "message"), text_at(value, "stage"),
                      std::move(cause));
}

}  // namespace zz::host
