#include "core/multicore/explain/schedule_helps.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/multicore/explain/detail/changed_machine.hpp"
#include "core/multicore/explain/schedule_labels.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/schedule_search.hpp"

namespace zz::core {
namespace {

/// Schedules of a search, by nodes: what takes seconds for one change is of no use.
std::int64_t search_budget(const Schedule& schedule) {
  const auto nodes = static_cast<std::int64_t>(schedule.nodes.size());
  return std::clamp<std::int64_t>(200'000 / std::max<std::int64_t>(1, nodes), 16, 256);
}

constexpr std::size_t most_links = 8;

DispatchRule dispatch_of(const std::string& name) {
  for (const DispatchRule rule : {DispatchRule::earliest_start, DispatchRule::critical_path})
    if (name == dispatch_name(rule)) return rule;
  return DispatchRule::rank;
}

/// The choice of a schedule, without cores.
ScheduleChoice order_of(const Schedule& schedule) {
  ScheduleChoice choice;
  choice.dispatch = dispatch_of(schedule.dispatch);
  if (choice.dispatch == DispatchRule::critical_path) choice.weight = schedule.critical_path_weight;
  choice.back_filling = schedule.back_filling;
  choice.samples_at_once = schedule.samples_at_once;
  choice.segments = schedule.segments;
  for (const auto& [offset, slope] : schedule.layer_ranks) {
    choice.layer_offset.push_back(offset);
    choice.layer_slope.push_back(slope);
  }
  return choice;
}

/// Operands that may have been fetched ahead: none, or those whose constants were on their way before the
/// first node. What that node reads is among them in any case.
std::vector<std::vector<std::string>> possible_prefetches(const Schedule& schedule) {
  std::set<std::string> operands;
  for (const Transfer& transfer : schedule.transfers) {
    if (transfer.nodes_before != 0) continue;
    const PieceTensor& tensor = schedule.graph->tensors[transfer.tensor];
    operands.insert(schedule.graph->layers[tensor.layer].layer->operands[tensor.operand].name);
  }
  std::vector<std::vector<std::string>> possible(1);
  for (const std::string& operand : operands) possible.push_back({operand});
  if (operands.size() > 1) possible.emplace_back(operands.begin(), operands.end());
  return possible;
}

class HelpSearch {
 public:
  HelpSearch(const Schedule& schedule, const ScheduleHelpOptions& options)
      : schedule_(schedule), options_(options), order_(order_of(schedule)) {
    for (const ScheduledNode& node : schedule.nodes) {
      const ComputationNode& piece = schedule.graph->nodes[node.node];
      core_of_[{piece.layer, piece.group}] = node.core;
      at_work_.insert(node.core);
    }
  }

  ScheduleHelps find() {
    if (schedule_.period > 0) {
      helps_.not_known.emplace_back(
          "changes are judged by the latency of a network that runs once, and this one begins again and "
          "again");
      return std::move(helps_);
    }
    if (schedule_.nodes.empty() || !find_options()) {
      helps_.not_known.emplace_back(
          "the schedule cannot be made again: it does not tell its order or what was fetched ahead");
      return std::move(helps_);
    }
    helps_.repeatable = true;
    helps_.searched_again =
        std::min(schedule_.latency, shortest({schedule_.accelerator, schedule_.graph, schedule_.costs}));
    try_links();
    try_memories();
    try_cores();
    std::stable_sort(helps_.found.begin(), helps_.found.end(),
                     [](const ScheduleHelp& a, const ScheduleHelp& b) { return a.saved > b.saved; });
    return std::move(helps_);
  }

 private:
  ScheduleChoice choice(const ScheduleProblem& problem) const {
    ScheduleChoice same = order_;
    for (const Gene& gene : problem.genes()) {
      const auto core = core_of_.find({gene.layer, gene.group});
      same.cores.push_back(core == core_of_.end() ? gene.cores.front() : core->second);
    }
    return same;
  }

  std::shared_ptr<const ScheduleProblem> problem(const ChangedMachine& machine) const {
    return std::make_shared<const ScheduleProblem>(machine.accelerator, machine.graph, machine.costs,
                                                   schedule_options_);
  }

  bool gives_the_same() const {
    const auto same = problem({schedule_.accelerator, schedule_.graph, schedule_.costs});
    const ScheduleFigures figures = Scheduler(same).evaluate(choice(*same));
    return figures.feasible && std::abs(figures.latency - schedule_.latency) <= 1e-9 * schedule_.latency;
  }

  /// A schedule tells neither a given order of its nodes nor what was fetched ahead. Both show in it, and
  /// what gives the same schedule is right.
  bool find_options() {
    schedule_options_.rules = rules_of(schedule_.rules);
    std::vector<std::pair<std::int64_t, int>> order;
    for (const ScheduledNode& node : schedule_.nodes)
      order.emplace_back(schedule_.graph->layer_id(node.node), schedule_.graph->nodes[node.node].sub_id);
    for (const bool own_order : {false, true}) {
      schedule_options_.order = own_order ? order : std::vector<std::pair<std::int64_t, int>>();
      for (std::vector<std::string>& ahead : possible_prefetches(schedule_)) {
        schedule_options_.prefetch = std::move(ahead);
        if (gives_the_same()) return true;
      }
    }
    return false;
  }

  double shortest(const ChangedMachine& machine) const {
    const auto changed = problem(machine);
    ScheduleSearchOptions options;
    options.evaluation_limit = search_budget(schedule_);
    options.orders_move = schedule_.rules.empty();
    options.known = {choice(*changed)};
    options.order = order_;
    const auto one_by_one = [](std::size_t n, const std::function<void(std::size_t)>& work) {
      for (std::size_t i = 0; i < n; ++i) work(i);
    };
    const ScheduleSearchResult result = search_schedules(changed, options, one_by_one);
    if (result.front.empty()) throw NoResult(result.reason);
    return result.best.latency;
  }

  template <class Make>
  void try_change(const char* kind, const std::string& change, const Make& make) {
    if (options_.cancelled && options_.cancelled()) return;
    ++helps_.tried;
    try {
      const std::optional<ChangedMachine> machine = make();
      if (!machine) return;
      const double latency = shortest(*machine), saved = helps_.searched_again - latency;
      if (saved >= options_.least * schedule_.latency)
        helps_.found.push_back({kind, change, latency, saved});
    } catch (const std::exception& error) {
      helps_.not_known.push_back(fmt::format("{}: {}", change, error.what()));
    }
  }

  std::string times_as(const char* what) const { return fmt::format("{} x as {}", options_.factor, what); }

  void try_links() {
    const MultiCoreAccelerator& accelerator = *schedule_.accelerator;
    const std::vector<LinkActivity> activity = link_activity(schedule_);
    std::vector<int> used, between_cores;
    for (int link = 0; link < static_cast<int>(activity.size()); ++link) {
      if (activity[link].active_cycles <= 0 || !std::isfinite(accelerator.links[link].bandwidth)) continue;
      used.push_back(link);
      if (!touches_offchip(accelerator, link)) between_cores.push_back(link);
    }
    std::stable_sort(used.begin(), used.end(),
                     [&](int a, int b) { return activity[a].active_cycles > activity[b].active_cycles; });
    if (used.size() > most_links) used.resize(most_links);
    const std::vector<std::string> labels = link_labels(accelerator);
    for (const int link : used) {
      const std::string port =
          is_offchip_port(accelerator, link) ? ", and the port of the off-chip memory with it" : "";
      try_change("link", fmt::format("{} {}{}", labels[link], times_as("wide"), port),
                 [&] { return with_wider_links(schedule_, {link}, options_.factor); });
    }
    if (between_cores.size() > 1)
      try_change("link", "all links between cores " + times_as("wide"),
                 [&] { return with_wider_links(schedule_, between_cores, options_.factor); });
  }

  void try_memories() {
    std::set<std::pair<std::string, std::string>> seen;  // core, memory
    const MultiCoreAccelerator& accelerator = *schedule_.accelerator;
    for (const TopMemory& memory : accelerator.top_memories) {
      const int core = memory.cores.front();
      if (core == accelerator.offchip_core) continue;
      const std::string& kind = accelerator.cores[core]->name;
      if (!seen.emplace(kind, memory.name).second) continue;
      try_change("memory", fmt::format("{} of {} {}", memory.name, kind, times_as("large")),
                 [&] { return with_larger_memory(schedule_, kind, memory.name, options_.factor); });
    }
  }

  /// Cores without work, equal to this one, on which not all layers may run that may run on this one.
  std::vector<int> left_out_beside(int core) const {
    const MultiCoreAccelerator& accelerator = *schedule_.accelerator;
    std::vector<int> left_out;
    for (int other = 0; other < accelerator.core_count(); ++other) {
      if (at_work_.contains(other) || other == accelerator.offchip_core ||
          !(*accelerator.cores[other] == *accelerator.cores[core]))
        continue;
      const bool is_left_out =
          std::any_of(schedule_.costs->layers.begin(), schedule_.costs->layers.end(),
                      [&](const CoreCosts::OfLayer& costs) {
                        const auto runs_on = [&](int one) {
                          return std::any_of(costs.on.begin(), costs.on.end(),
                                             [&](const CoreCost& cost) { return cost.core == one; });
                        };
                        return runs_on(core) && !runs_on(other);
                      });
      if (is_left_out) left_out.push_back(other);
    }
    return left_out;
  }

  void try_cores() {
    std::set<std::string> seen;
    const MultiCoreAccelerator& accelerator = *schedule_.accelerator;
    for (int core = 0; core < accelerator.core_count(); ++core) {
      if (!at_work_.contains(core) || core == accelerator.offchip_core || core == accelerator.simd_core ||
          core == accelerator.pooling_core || !seen.insert(accelerator.cores[core]->name).second)
        continue;
      if (const std::vector<int> left_out = left_out_beside(core); !left_out.empty()) {
        helps_.left_out.insert(helps_.left_out.end(), left_out.begin(), left_out.end());
        try_change("core",
                   fmt::format("naming {} in core_allocation beside core {} ({})", cores_words(left_out),
                               core, accelerator.cores[core]->name),
                   [&] { return with_candidates(schedule_, core, left_out); });
        continue;
      }
      try_change("core",
                 fmt::format("one core more, like core {} ({})", core, accelerator.cores[core]->name),
                 [&] { return with_one_core_more(schedule_, core); });
    }
  }

  const Schedule& schedule_;
  const ScheduleHelpOptions& options_;
  ScheduleChoice order_;
  std::map<std::pair<int, int>, int> core_of_;  ///< by layer and group
  std::set<int> at_work_;                       ///< cores with nodes
  ScheduleOptions schedule_options_;
  ScheduleHelps helps_;
};

}  // namespace

ScheduleHelps schedule_helps(const Schedule& schedule, const ScheduleHelpOptions& options) {
  if (schedule.accelerator == nullptr || schedule.graph == nullptr || schedule.costs == nullptr) {
    ScheduleHelps none;
    none.not_known.emplace_back("the schedule does not tell its machine, its nodes or their costs");
    return none;
  }
  return HelpSearch(schedule, options).find();
}

}  // namespace zz::core
