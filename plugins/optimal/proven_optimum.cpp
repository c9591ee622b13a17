#include "plugins/optimal/proven_optimum.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

/// Shows how much of the time limit is used, and tells whether the search is to stop. Time is that of the
/// limit: of the processor, on the thread that proves. [any]
std::function<bool()> stop_and_progress(const Stage& stage, double time_limit) {
  // Whole seconds would stand still in the usual searches of a few.
  constexpr double steps_a_second = 10;
  struct Shared {  // by all copies of the function
    Progress display;
    std::thread::id prover = std::this_thread::get_id();
    core::ProcessorTime time{};
    uint64_t shown = 0;
  };
  const double total = std::ceil(std::min(time_limit, 1e9) * steps_a_second);
  const auto shared = std::shared_ptr<Shared>(
      new Shared{{stage.place(), "tenths of a second of proof", static_cast<uint64_t>(total)}});
  return [&stage, shared, total] {
    if (std::this_thread::get_id() == shared->prover) {
      const auto now = static_cast<uint64_t>(std::min(shared->time.seconds() * steps_a_second, total));
      if (now > shared->shown) shared->display.advance(now - shared->shown);
      shared->shown = std::max(now, shared->shown);
    }
    return stage.cancelled();
  };
}

}  // namespace

core::SearchLimits ProofSettings::limits(const Stage& stage) const {
  core::SearchLimits limits;
  limits.seconds = time_limit;
  limits.gap = gap;
  limits.bytes = static_cast<std::size_t>(memory_limit) << 20;
  limits.cancelled = stop_and_progress(stage, time_limit);
  return limits;
}

void warn_without_chains(const Stage& stage, std::string_view setting, const core::Layer& layer,
                         const core::Accelerator& accelerator, const core::Rules& rules) {
  if (core::may_have_chains(layer, accelerator, rules)) return;
  stage.log(Level::warning,
            fmt::format("`{}` adds nothing here: with `compat`, a `temporal_ordering`, `fold`, "
                        "`instruction` or `request`, or in memory, only tiles that divide their loop are "
                        "searched",
                        setting));
}

core::Objective wanted_objective(const Stage& stage, const std::string& setting) {
  if (const auto given = core::objective_of_word(setting)) return *given;
  zz_limits limits{};
  const zz_demand demand = stage.demanded_within(limits);
  const char* const remedy = "give `objective`: energy, latency or edp";
  if (demand.keep == 0 || demand.n == 0) {
    throw Error(ZZ_E_INVALID,
                fmt::format("no stage above says by one of the figures that can be proven best "
                            "which result it keeps; {}",
                            remedy));
  }
  const Name metric(demand.metric[0]);
  if (const auto kept = core::objective_of_figure(metric.text())) return *kept;
  throw Error(ZZ_E_INVALID,
              fmt::format("the stage above keeps the result with the least {}, for which no mapping can be "
                          "proven best; {}",
                          metric.text(), remedy));
}

core::MappingLimits limits_above(const Stage& stage) {
  zz_limits limits{};
  stage.demanded_within(limits);
  core::MappingLimits within;
  for (uint32_t i = 0; i < limits.n; ++i) {
    const Name metric(limits.metric[i]);
    if (metric != "energy_total"_n && metric != "latency_total2"_n) {
      throw Error(
          ZZ_E_UNSUPPORTED,
          fmt::format("a stage above limits {}, and only energy_total and latency_total2 can be proven "
                      "best within limits; use LomaStage",
                      metric.text()));
    }
    double& most = metric == "energy_total"_n ? within.most_energy : within.most_latency;
    most = std::min(most, limits.at_most[i]);
  }
  return within;
}

core::CertificateFigures figures_of(const core::Certificate& certificate, double allowed_gap,
                                    const core::ProofSpace& space) {
  core::CertificateFigures figures;
  figures.lower_bound = certificate.lower_bound;
  figures.gap = certificate.gap();
  figures.states = static_cast<double>(certificate.states);
  if (allowed_gap > 0) figures.allowed_gap = allowed_gap;
  figures.space = core::figure_of(space);
  if (certificate.second_bound > 0) figures.second_bound = certificate.second_bound;
  return figures;
}

Value certified(const Value& evaluation, core::Objective objective, double value,
                const core::CertificateFigures& certificate,
                std::shared_ptr<const core::JointQuestion> question) {
  const auto given = object_or_null<core::Evaluation>(evaluation);
  if (!given)
    throw Error(ZZ_E_UNSUPPORTED, "what is proven holds for CostModelStage, which must stand below");
  const double figure = core::value_of(objective, given->energy_total, given->latency_total2);
  if (!(std::abs(figure - value) <= core::rounding_tolerance * value)) {
    throw Error(
        ZZ_E_INVALID,
        fmt::format("the chain below computes {} where this stage's cost model has {}, so that nothing is "
                    "proven about it. Give `compat` and `access_same_data_considered_as_no_access` to "
                    "both stages, best among `parameters`, and let nothing between them change figures",
                    figure, value));
  }
  core::Evaluation extended = *given;
  for (const core::ProvenFigure& row : core::proven_figures)
    if (const auto& figure = certificate.*row.member) extended.certificate.*row.member = figure;
  if (question) extended.question = std::move(question);
  return wrap(std::move(extended));
}

void require_uneven(const std::string& temporal_mapping_type) {
  if (temporal_mapping_type != "even") return;
  throw Error(ZZ_E_UNSUPPORTED,
              "only uneven temporal mappings can be searched for an optimum; use LomaStage for even ones");
}

bool has_no_bound(const core::Certificate& certificate, core::Objective objective,
                  const core::Rules& rules) {
  return rules.loading_below_minimum && objective != core::Objective::energy &&
         !(certificate.lower_bound > 0) && certificate.gap() > 0;
}

void report_certificate(const Stage& stage, const core::Certificate& certificate, double gap_wanted,
                        bool unbounded) {
  stage.count("states visited", certificate.states);
  stage.count(certificate.gap() == 0 ? "mappings proven best" : "mappings with a gap");
  if (certificate.gap() <= gap_wanted + core::rounding_tolerance) return;
  stage.log(Level::warning,
            unbounded ? "not proven best: with this `compat` loading may take less than no time, so that "
                        "latency and EDP have no bound above 0; see `optimum_gap`"
                      : "`time_limit` or `memory_limit` cut a proof off; see `optimum_gap`");
}

}  // namespace zz::plugins
