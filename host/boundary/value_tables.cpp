#include "host/boundary/value_tables.hpp"

#include <fmt/format.h>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/audit.hpp"
#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "core/value/tree.hpp"
#include "core/value/type.hpp"
#include "host/base/cancellation.hpp"
#include "host/base/run.hpp"
#include "host/chain/place.hpp"
#include "host/chain/score.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "host/values/literal.hpp"
#include "host/values/made_schedule.hpp"

namespace zz::host {
namespace {

zz_str to_abi(std::string_view text) noexcept { return {text.data(), text.size()}; }

/// All functions that may allocate go through this, so that nothing is thrown across the ABI.
template <class Make>
zz_value* make_handle(zz_error* error, Make make) noexcept {
  try {
    return new_handle(make());
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

zz_name name(const char* text, size_t size) noexcept {
  try {
    return text ? core::intern({text, size}) : 0;
  } catch (...) {
    report_current_exception(nullptr);
    return 0;
  }
}

zz_str text(zz_name name) noexcept { return to_abi(core::text_of(name)); }
int32_t kind(zz_ref ref) noexcept { return static_cast<int32_t>(core::kind_of(from_abi(ref))); }
zz_str type(zz_ref ref) noexcept { return to_abi(core::type_name_of(from_abi(ref))); }

zz_status unreadable(zz_ref ref) noexcept { return ref.type ? ZZ_E_TYPE : ZZ_E_MISSING; }

zz_status i64(zz_ref ref, int64_t* out) noexcept {
  return core::read_i64(from_abi(ref), *out) ? ZZ_OK : unreadable(ref);
}

zz_status f64(zz_ref ref, double* out) noexcept {
  return core::read_f64(from_abi(ref), *out) ? ZZ_OK : unreadable(ref);
}

zz_status str(zz_ref ref, zz_str* out) noexcept {
  std::string_view text;
  if (!core::read_text(from_abi(ref), text)) return unreadable(ref);
  *out = to_abi(text);
  return ZZ_OK;
}

uint32_t count(zz_ref ref) noexcept { return core::count_of(from_abi(ref)); }

/// Looking at a row of loop orders or interning a label may run out of memory; the part then counts as
/// missing.
template <class Look>
zz_ref part_or_missing(zz_name name, Look look) noexcept {
  try {
    return host::to_abi(look());
  } catch (...) {
    report_current_exception(nullptr);
    return host::to_abi(core::missing(name));
  }
}

zz_ref at(zz_ref ref, uint32_t index, zz_str* key) noexcept {
  return part_or_missing(0, [&] {
    std::string_view found;
    const core::Ref part = core::part_at(from_abi(ref), index, &found);
    if (key) *key = to_abi(found);
    return part;
  });
}

zz_ref get(zz_ref ref, zz_name name) noexcept {
  return part_or_missing(name, [&] { return core::part(from_abi(ref), name); });
}

zz_status explain(zz_ref ref, int32_t wanted, zz_error* error) noexcept {
  try {
    return report(error, unreadable(ref), core::explain(from_abi(ref), static_cast<core::Kind>(wanted)));
  } catch (...) {
    return report_current_exception(error);
  }
}

void table(zz_value* const* values, uint32_t n, const zz_name* names, uint32_t m, double* out) noexcept {
  for (uint32_t j = 0; j < m; ++j) {
    for (uint32_t i = 0; i < n; ++i, ++out) {
      *out = std::numeric_limits<double>::quiet_NaN();
      if (values[i] == nullptr) continue;
      core::read_f64(from_abi(get(host::to_abi(values[i]->value.ref()), names[j])), *out);
    }
  }
}

/// Values larger than a scalar are read through the handle, so that literals share them.
zz_ref look(const zz_value* value) noexcept {
  return host::to_abi(value ? core::look_at_entry(value->value) : core::null_ref());
}

zz_value* retain_value(zz_value* value) noexcept { return retain(value); }
void release_value(zz_value* value) noexcept { release(value); }

zz_value* hold(zz_value* root, zz_ref ref) noexcept {
  const core::Ref part = from_abi(ref);
  return make_handle(nullptr, [&] {
    return root && part.type ? core::held_part(root->value, part) : core::value_of_part(part);
  });
}

zz_value* make(const char* type, const zz_lit* literal, zz_error* error) noexcept {
  return make_handle(error, [&] {
    if (literal == nullptr)
      throw core::ValueError(core::ValueError::Problem::invalid, "no literal was given");
    if (type == nullptr) return value_of_literal(*literal);
    if (literal->kind != ZZ_MAP)
      throw core::ValueError(core::ValueError::Problem::wrong_type,
                             "an object is made from a map of its parts");
    core::Value made = core::make_object(type, edits_of_literals(static_cast<const zz_lit*>(literal->u.a.p),
                                                                 static_cast<uint32_t>(literal->u.a.n)));
    if (made.as<core::Schedule>()) check_made_schedule(made, core::Value());
    return made;
  });
}

zz_value* with(zz_value* base, const zz_lit* edits, uint32_t n, zz_error* error) noexcept {
  return make_handle(error, [&] {
    const core::Value value = value_of(base);
    const std::vector<core::Edit> changes = edits_of_literals(edits, n);
    if (is_context(value)) return edited_context(value, changes);
    core::Value changed = core::with(value, changes);
    check_made_schedule(changed, value);
    return changed;
  });
}

zz_value* json(zz_ref ref, zz_error* error) noexcept {
  return make_handle(error, [&] { return core::Value::text(core::to_json(from_abi(ref))); });
}

}  // namespace

const zz_values values_table = {
    sizeof(zz_values), name,  text, kind,         type,          i64,  f64,  str,  count, at, get,
    explain,           table, look, retain_value, release_value, hold, make, with, json};

namespace {

std::shared_ptr<const core::Evaluation> evaluation_in(const zz_value* handle, const std::string& what) {
  const core::Value value = value_of(handle);
  if (auto evaluation = value.as<core::Evaluation>()) return evaluation;
  throw core::ValueError(core::ValueError::Problem::wrong_type,
                         what + ": expected an evaluation, found " + core::describe(value.ref()));
}

zz_value* wrap(core::Evaluation evaluation) {
  return new_handle(core::Value::object(std::make_shared<const core::Evaluation>(std::move(evaluation))));
}

zz_value* sum(zz_value* const* evaluations, uint32_t n, zz_error* error) noexcept {
  try {
    core::Evaluation total;
    std::vector<std::shared_ptr<const core::Evaluation>> summands;
    std::vector<const core::Evaluation*> parts;
    for (uint32_t i = 0; i < n; ++i) {
      summands.push_back(evaluation_in(evaluations[i], "summand " + std::to_string(i)));
      parts.push_back(summands.back().get());
      total = core::add(total, *parts.back());
    }
    if (const auto broken = core::audit_sum(total, parts); !broken.empty())
      throw core::InputError("the sum of " + std::to_string(n) + " evaluations breaks the rule of " +
                             broken.front());
    return wrap(std::move(total));
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

zz_value* scale(zz_value* evaluation, double factor, zz_error* error) noexcept {
  try {
    return wrap(core::scale(*evaluation_in(evaluation, "the evaluation to repeat"), factor));
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

const void* core_value(const zz_value* handle) noexcept { return handle ? &handle->value : nullptr; }

zz_value* wrap_core_value(const void* value) noexcept {
  try {
    return value ? new_handle(*static_cast<const core::Value*>(value)) : nullptr;
  } catch (...) {
    report_current_exception(nullptr);
    return nullptr;
  }
}

const void* files_of_run() noexcept { return &current_run().files; }
void* answers_of_run() noexcept { return current_run().answers.get(); }
std::int32_t interrupted() noexcept { return was_interrupted() ? 1 : 0; }

zz_status claim_file(zz_place* at, zz_str path, zz_error* error) noexcept {
  try {
    const std::string file(path.p, path.n), label = at != nullptr ? at->label : "";
    const std::string other = current_run().written.claim(file, label);
    if (other.empty()) return ZZ_OK;
    throw core::InputError(fmt::format(
        "writes '{}', as {} does: one would take the place of the other; give each a name of its own", file,
        other));
  } catch (...) {
    return report_current_exception(error);
  }
}

}  // namespace

const zz_evaluations evaluations_table = {sizeof(zz_evaluations), sum, scale};
const zz_internal internal_table = {sizeof(zz_internal), core_value,        wrap_core_value,
                                    leaf_cost_model,     take_interruption, files_of_run,
                                    answers_of_run,      interrupted,       claim_file};

}  // namespace zz::host
