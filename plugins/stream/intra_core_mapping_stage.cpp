#include "plugins/stream/intra_core_mapping_stage.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/cost/evaluation.hpp"
#include "core/fusion/computation_node_graph.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/output/core_costs_page.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

/// One text for each setting of each stage, so that a message can name the one that changed.
void add_texts(core::CostModelTexts& texts, const std::string& prefix, Ref chain) {
  for (uint32_t i = 0; i < chain.size(); ++i) {
    const Ref stage = chain.at(i);
    const std::string place = prefix + std::to_string(i + 1);
    texts.emplace_back("stage " + place,
                       std::string(stage["stage"].str()) + " of " + std::string(stage["plugin"].str()));
    for (const char* kind : {"settings", "reads"}) {
      const Ref entries = stage[kind];
      for (uint32_t j = 0; j < entries.size(); ++j)
        texts.emplace_back(std::string(entries.key(j)) + " of stage " + place, entries.at(j).json());
    }
    for (uint32_t j = 0; j < stage["chains"].size(); ++j)
      add_texts(texts, place + ".", stage["chains"].at(j));
  }
}

}  // namespace

Results IntraCoreMappingStage::run(Value ctx) {
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  const auto graph =
      object<core::ComputationNodeGraph>(ctx, "computation_nodes"_n, "computation_node_graph");
  core::CoreCosts found = costs(ctx, core::CoreCostPlan(accelerator, graph, rules()));
  if (const auto& page = visualize_node_hw_performances_path; page && !page->empty())
    output(*page, core::core_costs_page(found, *graph, *accelerator));
  const Value below = with(ctx, {{"core_costs"_n, wrap(std::move(found))}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

core::CoreCosts IntraCoreMappingStage::costs(const Value& ctx, const core::CoreCostPlan& plan) const {
  const std::vector<core::CoreCostQuestion>& questions = plan.questions();
  if (!node_hw_performances_path || node_hw_performances_path->empty()) {
    Answers answers(questions.size());
    const std::vector<std::string> reasons = answer(ctx, questions, answers);
    return plan.costs(answers, reasons);
  }
  const core::CostFile file(*node_hw_performances_path);
  std::vector<std::string> warnings;
  const core::CostModelTexts found_with = texts(ctx);
  Answers answers = file.answers(questions, found_with, warnings);
  for (const std::string& warning : warnings) log(Level::warning, warning);
  const auto known =
      std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a != nullptr; });
  if (known > 0) count("costs of cores read", static_cast<uint64_t>(known));
  const std::vector<std::string> reasons = answer(ctx, questions, answers);
  core::CoreCosts costs = plan.costs(answers, reasons);
  if (static_cast<std::size_t>(known) < questions.size()) {
    try {
      file.write(questions, found_with, answers);
    } catch (const std::exception& error) {
      throw Error(ZZ_E_INTERNAL, error.what());
    }
  }
  return costs;
}

std::vector<std::string> IntraCoreMappingStage::answer(const Value& ctx,
                                                       const std::vector<core::CoreCostQuestion>& questions,
                                                       Answers& answers) const {
  std::vector<std::string> reasons(questions.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < questions.size(); ++i)
    if (!answers[i]) open.push_back(i);
  if (open.empty()) return reasons;

  Progress display = progress("costs of cores", open.size());
  auto runs = stages.ordered(
      static_cast<uint32_t>(open.size()),
      [&](uint32_t i) {
        const core::CoreCostQuestion& question = questions[open[i]];
        return with(ctx,
                    {{"layer"_n, wrap(question.layer)}, {"accelerator"_n, wrap(question.accelerator)}});
      },
      &display, AfterFailure::go_on);
  for (;;) {
    Result result;
    try {
      if (!runs.next(result)) break;
    } catch (const Below& failure) {
      const std::size_t question = open[runs.index()];
      if (failure.code != ZZ_E_NO_RESULT)
        throw Error(failure.code, questions[question].where + ": " + failure.what(), failure.failure);
      reasons[question] = failure.what();
      log(Level::warning, questions[question].where + " has no mapping: " + failure.what());
      continue;
    }
    const std::size_t question = open[runs.index()];
    auto found = object_or_null<core::Evaluation>(result.evaluation);
    if (!found) throw Error(ZZ_E_TYPE, "a result of 'stages' is no evaluation");
    core::keep_better_cost(answers[question], std::move(found));
  }
  count("costs of cores computed", open.size());
  return reasons;
}

core::CostModelTexts IntraCoreMappingStage::texts(const Value& ctx) const {
  core::CostModelTexts texts{{"build of zz", host().build}};
  const Value description = stages.describe(ctx);
  add_texts(texts, "", description);
  return texts;
}

}  // namespace zz::plugins
