#include "host/library/result_deviations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/compat/rules.hpp"
#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"

namespace zz::host {
namespace {

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

constexpr const char *zigzag = "zigzag-3.9", *stream = "stream-0.0.8";

}  // namespace

ResultDeviations::ResultDeviations() {
  zigzag_.original = core::rules_of(zigzag);
  stream_.original = core::rules_of(stream);
}

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
    add_figures(*figures);
  } else if (core::kind_of(evaluation.ref()) == core::Kind::list) {
    add_all(evaluation);
  } else {
    add_all(extra);
  }
}

void ResultDeviations::add_figures(const core::Evaluation& evaluation) {
  if (evaluation.layer != nullptr) layers_.insert(evaluation.layer->id);
  layers_.insert(evaluation.layer_ids.begin(), evaluation.layer_ids.end());
  // A sum has its layers'.
  for (const auto& one : evaluation.deviations) {
    add_one(zigzag_, *one);
    add_one(stream_, *one);
  }
  of_schedules_ = of_schedules_ || evaluation.schedule != nullptr;
}

void ResultDeviations::add_one(Found& found, const core::LayerDeviations& one) {
  for (const core::Deviation& deviation : one.found) {
    if (!(found.original.*deviation.member)) continue;
    (one.of_schedule ? found.networks : found.layers).insert(one.layer);
    for (const double change : {deviation.energy, deviation.latency})
      if (std::abs(change) > std::abs(found.most) || (change == -found.most && change > 0))
        found.most = change;
  }
}

std::string ResultDeviations::sentence() const {
  const Found& found = of_schedules_ ? stream_ : zigzag_;
  const std::set<std::string>&layers = found.layers, &networks = found.networks;
  if (layers.empty() && networks.empty()) return "";
  std::string what;
  if (!layers.empty()) {
    what = layers.size() < layers_.size() ? fmt::format("{} of ", layers.size()) : "";
    what += counted(std::max(layers.size(), layers_.size()), "layer");
  }
  if (!networks.empty())
    what += fmt::format("{}{}", what.empty() ? "" : " and ", counted(networks.size(), "schedule"));
  return fmt::format(
      "figures of {} differ from {}'s, by up to {:+.3g} % a rule; zz-host compare shows all "
      "(docs/deviations.md)",
      what, core::original_of(of_schedules_ ? stream : zigzag), 100 * found.most);
}

}  // namespace zz::host
