#include "core/multicore/schedule/schedule_deviations.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/compat/rules.hpp"
#include "core/cost/cost_model.hpp"
#include "core/hardware/interconnect.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

/// The rules of schedules are those of Stream all together: the scheduler knows no mixtures of both.
constexpr std::string_view heading = "Schedules";
constexpr std::string_view what =
    "nodes wait for their data, memory is free once its content has been used and written back, and each "
    "transfer and stream takes its time on the links; Stream's schedules of the same cores do without";

std::vector<Deviation> of_schedule(const ScheduleProblem& problem, const ScheduleChoice& choice,
                                   const Schedule& schedule) {
  ScheduleOptions options = problem.options();
  if (options.rules.starts_before_arrival) return {};
  options.rules = rules_of("stream-0.0.8");
  ScheduleChoice original;
  original.cores = choice.cores;
  Scheduler scheduler(std::make_shared<const ScheduleProblem>(problem.accelerator(), problem.graph(),
                                                              problem.costs(), std::move(options)));
  const ScheduleFigures figures = scheduler.evaluate(original);
  const Deviation found{&Rules::starts_before_arrival, heading, what,
                        change(schedule.energy, figures.energy), change(schedule.latency, figures.latency)};
  if (!figures.feasible || (found.energy == 0 && found.latency == 0)) return {};
  return {found};
}

/// `changed`: the accelerator with links as the rule has them; nothing where the rule changes none.
std::vector<Deviation> of_links(bool Rules::*rule, std::optional<MultiCoreAccelerator> changed,
                                const ScheduleProblem& problem, const ScheduleChoice& choice,
                                const Schedule& schedule) {
  if (!changed) return {};
  Scheduler scheduler(std::make_shared<const ScheduleProblem>(
      std::make_shared<const MultiCoreAccelerator>(*std::move(changed)), problem.graph(), problem.costs(),
      problem.options()));
  const ScheduleFigures figures = scheduler.evaluate(choice);
  const RuleRow& text = rule_row(rule);
  const Deviation found{text.rule, text.name, text.what, change(schedule.energy, figures.energy),
                        change(schedule.latency, figures.latency)};
  if (!figures.feasible || (found.energy == 0 && found.latency == 0)) return {};
  return {found};
}

double latency_by(const Rules& rules, const Evaluation& evaluation) {
  const CostModel model(evaluation.accelerator, evaluation.layer, evaluation.spatial_mapping,
                        evaluation.spatial_mapping_int, {.rules = rules});
  return model.latency(model.compact(*evaluation.temporal_mapping)).total();
}

std::vector<Deviation> of_loading(const Evaluation& evaluation, Rules rules) {
  std::vector<Deviation> found;
  const bool mapped = evaluation.accelerator && evaluation.layer && evaluation.spatial_mapping &&
                      evaluation.spatial_mapping_int && evaluation.temporal_mapping;
  // A figure that this model does not give is another stage's, or another rule's.
  if (!mapped || rules.loading_on_top || latency_by(rules, evaluation) != evaluation.latency_total2)
    return found;
  rules.loading_on_top = true;
  const RuleRow& text = rule_row(&Rules::loading_on_top);
  const double latency = change(evaluation.latency_total2, latency_by(rules, evaluation));
  if (latency != 0) found.push_back({text.rule, text.name, text.what, 0, latency});
  return found;
}

}  // namespace

std::vector<std::shared_ptr<const LayerDeviations>> find_deviations(const ScheduleProblem& problem,
                                                                    const ScheduleChoice& choice,
                                                                    const Schedule& schedule) {
  std::vector<std::shared_ptr<const LayerDeviations>> all;
  // Stream has no such numbers.
  const std::vector<CutLayer>& layers = problem.graph()->layers;
  if (std::any_of(layers.begin(), layers.end(), [](const CutLayer& one) { return has_blocks(*one.layer); }))
    return all;
  const auto keep = [&](const std::string& name, std::vector<Deviation> found, bool of_schedule) {
    if (!found.empty())
      all.push_back(
          std::make_shared<const LayerDeviations>(LayerDeviations{name, std::move(found), of_schedule}));
  };
  const MultiCoreAccelerator& accelerator = *problem.accelerator();
  std::vector<Deviation> of_network =
      of_links(&Rules::simd_transfers_free, with_free_simd_links(accelerator), problem, choice, schedule);
  for (const Deviation& found : of_links(&Rules::offchip_ports_free, with_free_offchip_ports(accelerator),
                                         problem, choice, schedule))
    of_network.push_back(found);
  for (const Deviation& found : of_schedule(problem, choice, schedule)) of_network.push_back(found);
  keep(problem.graph()->name, std::move(of_network), true);
  std::set<const Evaluation*> seen;
  for (const ScheduledNode& scheduled : schedule.nodes) {
    const ComputationNode& node = problem.graph()->nodes[scheduled.node];
    const CoreCost* cost = problem.costs()->find(node, scheduled.core);
    if (cost == nullptr || !cost->evaluation || !seen.insert(cost->evaluation.get()).second) continue;
    keep(problem.graph()->layers[node.layer].layer->name,
         of_loading(*cost->evaluation, problem.options().rules), false);
  }
  return all;
}

}  // namespace zz::core
