#include "host/values/made_schedule.hpp"

#include <memory>
#include <string>
#include <utility>

#include "core/cost/evaluation.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"

namespace zz::host {
namespace {

using Problem = core::ValueError::Problem;

std::shared_ptr<const core::Schedule> schedule_in(const core::Value& value) {
  if (auto schedule = value.as<core::Schedule>()) return schedule;
  const auto evaluation = value.as<core::Evaluation>();
  return evaluation != nullptr ? evaluation->schedule : nullptr;
}

void check(const core::Schedule& schedule) {
  for (const auto& [part, is_null] :
       {std::pair{"accelerator", schedule.accelerator == nullptr},
        std::pair{"graph", schedule.graph == nullptr}, std::pair{"costs", schedule.costs == nullptr}})
    if (is_null)
      throw core::ValueError(Problem::missing, std::string("schedule.") + part + ": must not be null");
  constexpr std::size_t most = 3;
  std::size_t told = 0;
  std::string text;
  for (const core::Violation& violation : core::find_violations(schedule)) {
    if (++told > most) break;
    text += (text.empty() ? "" : "; ") + ("rule '" + violation.rule + "': " + violation.what);
  }
  if (!text.empty()) throw core::ValueError(Problem::invalid, "schedule: could not happen: " + text);
}

}  // namespace

void check_made_schedule(const core::Value& made, const core::Value& base) {
  const auto schedule = schedule_in(made);
  if (schedule != nullptr && schedule != schedule_in(base) && schedule->rules.empty()) check(*schedule);
}

}  // namespace zz::host
