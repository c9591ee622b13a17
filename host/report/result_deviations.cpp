#include "host/report/result_deviations.hpp"

#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"

namespace zz::host {
namespace {

void add_deviations_of_all(core::DeviationTally& tally, const core::Value& list) {
  if (core::kind_of(list.ref()) != core::Kind::list) return;
  for (std::uint32_t i = 0; i < core::count_of(list.ref()); ++i) {
    const core::Value one = core::held_part(list, core::part_at(list.ref(), i));
    if (core::kind_of(one.ref()) != core::Kind::list)
      add_deviations(tally, one, core::Value());
    else if (core::count_of(one.ref()) == 2)
      add_deviations(tally, core::held_part(one, core::part_at(one.ref(), 0)),
                     core::held_part(one, core::part_at(one.ref(), 1)));
  }
}

}  // namespace

void add_deviations(core::DeviationTally& tally, const core::Value& evaluation, const core::Value& extra) {
  if (const auto figures = evaluation.as<core::Evaluation>())
    tally.add(figures->deviations);  // a sum has those of its layers
  else if (core::kind_of(evaluation.ref()) == core::Kind::list)
    add_deviations_of_all(tally, evaluation);
  else
    add_deviations_of_all(tally, extra);
}

}  // namespace zz::host
