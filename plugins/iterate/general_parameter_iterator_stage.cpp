#include "plugins/iterate/general_parameter_iterator_stage.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace zz::plugins {
namespace {

Value context_at(const Value& ctx, const std::vector<PointSetting>& settings) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : settings) entries.emplace_back(name, value);
  return with(ctx, std::span<const Entry>(entries));
}

}  // namespace

void GeneralParameterIteratorStage::prepare() {
  sweep_ = Sweep(general_parameter_iterations, "general_parameter_iterations");
}

Results GeneralParameterIteratorStage::run(Value ctx) {
  Progress display = progress("points", sweep_.size());
  for (uint32_t number = 0; number < sweep_.size(); ++number) {
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    const std::vector<PointSetting> settings = sweep_.point(number);
    const Value shown = as_list(settings);
    std::optional<Substage> below;
    Result result;
    for (;;) {
      try {
        if (!below) below.emplace(substage(context_at(ctx, settings)));
        if (!below->next(result)) break;
      } catch (const Error& failure) {
        const std::string text = "with " + to_string(settings) + ": " + failure.what();
        if (failure.code == ZZ_E_CANCELLED) throw;
        // A path that leads nowhere is a mistake in the pipeline and not a property of the point.
        const bool slip = !below && (failure.code == ZZ_E_MISSING || failure.code == ZZ_E_TYPE);
        if (slip) throw Error(ZZ_E_INVALID, text);
        if (infeasible_points != "skip" || !concerns_point(failure)) throw Error(failure.code, text);
        log(Level::warning, text);
        count("infeasible points");
        break;
      }
      const Value extra = make(nullptr, list({shown, result.extra}));
      co_yield Result(std::move(result.evaluation), extra);
    }
    display.advance();
  }
  count("points", sweep_.size());
}

}  // namespace zz::plugins
