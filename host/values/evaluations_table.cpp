#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/audit.hpp"
#include "core/cost/evaluation.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/chain/score.hpp"
#include "host/services/cancellation.hpp"
#include "host/services/run.hpp"
#include "host/values/error_sink.hpp"
#include "host/values/handle.hpp"
#include "host/values/value_tables.hpp"

namespace zz::host {
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
void* optima_of_session() noexcept { return current_run().optima; }

}  // namespace

const zz_evaluations evaluations_table = {sizeof(zz_evaluations), sum, scale};
const zz_internal internal_table = {sizeof(zz_internal), core_value,   wrap_core_value,  leaf_cost_model,
                                    take_interruption,   files_of_run, optima_of_session};

}  // namespace zz::host
