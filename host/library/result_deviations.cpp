#include "host/library/result_deviations.hpp"

#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"

namespace zz::host {

void ResultDeviations::add_all(const core::Value& list) {
  if (core::kind_of(list.ref()) != core::Kind::list) return;
  for (std::uint32_t i = 0; i < core::count_of(list.ref()); ++i) {
    const core::Value one = core::held_part(list, core::part_at(list.ref(), i));
    if (core::kind_of(one.ref()) != core::Kind::list)
      add(one, core::Value());
    else if (core::count_of(one.ref()) == 2)
      add(core::held_part(one, core::part_at(one.ref(), 0)),
          core::held_part(one, core::part_at(one.ref(), 1)));
  }
}

void ResultDeviations::add(const core::Value& evaluation, const core::Value& extra) {
  if (const auto figures = evaluation.as<core::Evaluation>()) {
    tally.add(figures->deviations);  // a sum has those of its layers
    of_schedules = of_schedules || figures->schedule != nullptr;
  } else if (core::kind_of(evaluation.ref()) == core::Kind::list) {
    add_all(evaluation);
  } else {
    add_all(extra);
  }
}

}  // namespace zz::host
