#include "core/search/optimal/machine_limit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/cost/part_words.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/latency_bound.hpp"
#include "core/search/optimal/detail/traffic.hpp"
#include "core/search/optimal/joint_question.hpp"

namespace zz::core {
namespace {

constexpr const char* units = "units";

/// "C 64, FX 3".
std::string text_of(const std::vector<SpatialLoop>& loops) {
  std::string text;
  for (const SpatialLoop& loop : loops)
    if (loop.factor > 1)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", loop.dimension, loop.factor);
  return text;
}

double steps_of(const CostTables& tables, const std::vector<RemainingLoop>& loops) {
  double steps = tables.step.each();
  for (const RemainingLoop& loop : loops) steps *= static_cast<double>(loop.size);
  return steps;
}

/// The steps of the unrolling, and what it uses, where it has fewer than what is there.
void add_units(MachineLimit& limit, const MappingProblem& problem, const SpatialUnrolling& unrolling) {
  const Accelerator& accelerator = *problem.accelerator;
  const Rules& rules = problem.options.rules;
  const CostTables tables(accelerator, *problem.layer, *problem.fractional, *problem.integral, rules);
  const std::vector<RemainingLoop> loops = remaining_loops(*problem.layer, *problem.fractional, rules);
  const double steps = steps_of(tables, loops);
  if (!limit.floors.empty() && limit.floors.front().cycles <= steps) return;
  limit.floors = {{units, steps, false}};
  limit.units_used = static_cast<double>(problem.layer->mac_count()) * tables.step.each() /
                     (steps * static_cast<double>(accelerator.array.unit_count()));
  limit.used.clear();
  for (const ArrayDimension& dimension : accelerator.array.dimensions) {
    MachineLimit::DimensionUse used{dimension.name, "", 1, dimension.size};
    if (const ArrayUnrolling* along = unrolling.find(dimension.name)) {
      used.loops = text_of(along->loops);
      for (const SpatialLoop& loop : along->loops) used.units *= static_cast<double>(loop.factor);
    }
    limit.used.push_back(std::move(used));
  }
  const auto longest = std::max_element(loops.begin(), loops.end(),
                                        [](const auto& a, const auto& b) { return a.size < b.size; });
  limit.left_in_time = longest == loops.end() || longest->size == 1
                           ? ""
                           : problem.layer->loops[static_cast<std::size_t>(longest->dimension)].name;
}

/// The unrolling of most units that the mapping file leaves.
std::optional<SpatialUnrolling> fullest(const JointQuestion& question, const Accelerator& accelerator) {
  const JointOptions& options = question.options;
  SpatialSpace space(question.layer, accelerator, {options.mixed, options.factors, options.model.rules});
  if (space.prescribed()) return space.prescription();
  const auto choice = space.next();
  return choice ? std::optional(space.unrolling(*choice)) : std::nullopt;
}

void add_floor(MachineLimit& limit, const CostTables& tables, std::size_t port,
               const Accelerator& accelerator, double cycles, bool of_unrolling) {
  if (cycles <= 0) return;
  const Memory& memory = accelerator.memories[static_cast<std::size_t>(tables.ports[port].memory)];
  const std::string name =
      memory.name + "." + memory.ports[static_cast<std::size_t>(tables.ports[port].port)].name;
  for (MachineLimit::Floor& floor : limit.floors) {
    if (floor.limiter != name) continue;
    constexpr double same = 1.05;
    floor.of_unrolling = of_unrolling && cycles > same * floor.cycles;
    floor.cycles = std::max(floor.cycles, cycles);
    return;
  }
  limit.floors.push_back({name, cycles, of_unrolling});
}

/// The floors of ports of topmost memories: data that pass in any mapping.
void add_topmost_ports(MachineLimit& limit, const JointQuestion& question,
                       const std::shared_ptr<const Accelerator>& accelerator) {
  if (accelerator->array.imc) return;
  SpatialUnrolling nothing;
  for (const ArrayDimension& dimension : accelerator->array.dimensions)
    nothing.dimensions.push_back({dimension.name, {}});
  const MappingProblem problem =
      unrolled_problem(question.layer, accelerator, nothing, question.options.model);
  const CompulsoryCost once = compulsory_cost(problem);
  const CostTables tables(*accelerator, *problem.layer, *problem.fractional, *problem.integral,
                          question.options.model.rules);
  for (std::size_t port = 0; port < tables.ports.size(); ++port)
    add_floor(limit, tables, port, *accelerator,
              std::accumulate(once.ports[port].begin(), once.ports[port].end(), 0.0), false);
}

/// Cycles of each port (CostTables::ports) for data that pass in every loop order under one unrolling.
std::vector<double> least_traffic(const MappingProblem& problem, const CostTables& tables) {
  const Rules& rules = problem.options.rules;
  const std::vector<RemainingLoop> loops = remaining_loops(*problem.layer, *problem.fractional, rules);
  const std::vector<FactorTable> factors = loop_factors(*problem.layer, loops, {}, 0, rules);
  std::vector<double> cycles(tables.ports.size());
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    OperandTraffic traffic(tables, loops, operand, factors, problem.options.same_data_free, true);
    const OperandLatency times = operand_latency(traffic, tables, operand);
    for (std::size_t port = 0; port < cycles.size(); ++port) {
      double least = infinite;
      for (const OperandLatency::Residency& residency : times.residencies)
        if (residency.possible) least = std::min(least, residency.ports[port].traffic);
      if (least < infinite) cycles[port] += least;
    }
  }
  return cycles;
}

std::vector<double> least_traffic(const MappingProblem& problem) {
  return least_traffic(problem, CostTables(*problem.accelerator, *problem.layer, *problem.fractional,
                                           *problem.integral, problem.options.rules));
}

MappingProblem with_wider_ports(MappingProblem problem) {
  Accelerator wider = *problem.accelerator;
  for (Memory& memory : wider.memories)
    for (Port& port : memory.ports) port.bandwidth_max *= 2;
  problem.accelerator = std::make_shared<const Accelerator>(std::move(wider));
  return problem;
}

/// The floors of all ports under one unrolling. A port that is asked for an access each step, or each time
/// however wide it is, limits nothing: the steps do.
void add_ports_under(MachineLimit& limit, const MappingProblem& problem) {
  const CostTables tables(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral,
                          problem.options.rules);
  const std::vector<double> cycles = least_traffic(problem, tables);
  const std::vector<double> if_wider = least_traffic(with_wider_ports(problem));
  const double steps =
      steps_of(tables, remaining_loops(*problem.layer, *problem.fractional, problem.options.rules));
  constexpr double hardly_less = 0.9, nearly_equal = 0.01;
  const auto follows_the_steps = [&](std::size_t port) {
    return if_wider[port] >= hardly_less * cycles[port] ||
           std::abs(cycles[port] - steps) <= nearly_equal * steps;
  };
  for (std::size_t port = 0; port < cycles.size(); ++port)
    if (!follows_the_steps(port)) add_floor(limit, tables, port, *problem.accelerator, cycles[port], true);
}

void sort_floors(MachineLimit& limit) {
  std::stable_sort(limit.floors.begin(), limit.floors.end(),
                   [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
}

/// That of a sum whose typical layer has `limit`.
MachineLimit of_typical(MachineLimit limit, const Evaluation& sum) {
  const double of_all = sum.latency_total2 / sum.typical->latency_total2;
  for (MachineLimit::Floor& floor : limit.floors) floor.cycles *= of_all;
  limit.latency = sum.latency_total2;
  return limit;
}

bool has_limit(const Evaluation& evaluation) {
  return evaluation.accelerator && evaluation.layer && evaluation.cost_model && !evaluation.fused &&
         !evaluation.cost_model->rules.faster_than_ports;
}

}  // namespace

MachineLimit machine_limit(const Evaluation& evaluation) {
  if (evaluation.typical) return of_typical(machine_limit(*evaluation.typical), evaluation);
  MachineLimit limit;
  if (!has_limit(evaluation)) return limit;
  limit.latency = evaluation.latency_total2;
  const JointQuestion question = question_of(evaluation);
  // An interrupted run tells what it has in full.
  const InterruptedBy nothing{Interruption{}};
  const auto problem_of = [&](const SpatialUnrolling& unrolling) {
    return unrolled_problem(question.layer, evaluation.accelerator, unrolling, question.options.model);
  };
  try {
    const SpatialUnrolling& own = evaluation.layer->mapping.spatial_mapping;
    const MappingProblem kept = problem_of(own);
    add_units(limit, kept, own);
    const double steps = limit.floors.front().cycles;
    if (const auto unrolling = fullest(question, *evaluation.accelerator))
      add_units(limit, problem_of(*unrolling), *unrolling);
    limit.of_mapping = limit.floors.front().cycles == steps;
    add_topmost_ports(limit, question, evaluation.accelerator);
    add_ports_under(limit, kept);
  } catch (const InputError&) {
    return {};
  } catch (const NoResult&) {
    return {};
  }
  for (MachineLimit::Floor& floor : limit.floors) floor.cycles *= evaluation.times;
  sort_floors(limit);
  return limit;
}

MachineLimit MachineLimits::of(const Evaluation& evaluation) {
  constexpr std::size_t most_known = 8;
  if (evaluation.typical) return of_typical(of(*evaluation.typical), evaluation);
  if (!has_limit(evaluation)) return {};
  auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
    return one.layer == evaluation.layer && one.accelerator == evaluation.accelerator &&
           one.question == evaluation.question && one.options == *evaluation.cost_model &&
           one.times == evaluation.times;
  });
  if (known == known_.end()) {
    if (known_.size() == most_known) known_.pop_back();
    known_.push_front({evaluation.accelerator, evaluation.layer, evaluation.question,
                       *evaluation.cost_model, evaluation.times, machine_limit(evaluation)});
    known = known_.begin();
  }
  MachineLimit limit = known->limit;
  if (limit.known()) limit.latency = evaluation.latency_total2;
  return limit;
}

MachineLimit sum_of(std::span<const MachineLimit> layers) {
  MachineLimit sum;
  double at_work = 0, steps = 0;
  for (const MachineLimit& layer : layers) {
    if (!layer.known()) return {};
    sum.latency += layer.latency;
    for (const MachineLimit::Floor& floor : layer.floors) {
      auto same = std::find_if(sum.floors.begin(), sum.floors.end(),
                               [&](const auto& one) { return one.limiter == floor.limiter; });
      if (same == sum.floors.end()) same = sum.floors.insert(same, {floor.limiter, 0, false});
      same->cycles += floor.cycles;
      same->of_unrolling = same->of_unrolling || floor.of_unrolling;
      if (floor.limiter != units) continue;
      steps += floor.cycles;
      at_work += floor.cycles * layer.units_used;
    }
  }
  if (steps > 0) sum.units_used = at_work / steps;
  sort_floors(sum);
  return sum;
}

namespace {

std::string words_of_units(const MachineLimit& limit) {
  std::string idle;
  for (const MachineLimit::DimensionUse& used : limit.used)
    if (used.units < static_cast<double>(used.size))
      idle += fmt::format("{}{} of {}", idle.empty() ? "" : ", ",
                          used.loops.empty() ? used.array_dimension + " 1" : used.loops, used.size);
  return fmt::format("units {:.0f} % used{}", 100 * limit.units_used, idle.empty() ? "" : ": " + idle);
}

}  // namespace

std::string words_of(const MachineLimit& limit) {
  constexpr double large = 0.8, nearly_all = 0.9, as_large = 0.9, half = 0.5;
  if (!limit.known()) return "not known";
  const auto share = [&](std::size_t i) {
    return fmt::format("{} {:.0f} %", limiter_words(limit.floors[i].limiter), 100 * limit.share(i));
  };
  const auto words = [&](std::size_t i) {
    const bool idle = limit.floors[i].limiter == units && limit.units_used < nearly_all;
    return idle && limit.share(i) >= large ? words_of_units(limit) : share(i);
  };
  const bool alone = limit.floors.size() == 1 ||
                     (limit.share(0) >= large &&
                      (limit.floors[1].of_unrolling || limit.share(1) < as_large * limit.share(0)));
  if (alone) return words(0);
  return (limit.share(0) < half ? "several: " : "") + words(0) + ", " + words(1);
}

}  // namespace zz::core
