#include "plugins/stream/core_cost_answers.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "core/cost/evaluation.hpp"
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

CoreCostAnswers::CoreCostAnswers(const Stage& stage, const Chain& stages, Value ctx,
                                 const std::optional<std::string>& path)
    : stage_(stage), stages_(stages), ctx_(std::move(ctx)) {
  if (!path || path->empty()) return;
  file_.emplace(*path, files_of_run());
  texts_ = texts();
}

CoreCostAnswers::Answers CoreCostAnswers::to(const std::vector<core::CoreCostQuestion>& questions,
                                             std::vector<std::string>& reasons, bool show) {
  Answers answers(questions.size());
  if (file_) {
    std::vector<std::string> warnings;
    answers = file_->answers(questions, texts_, warnings);
    if (!warnings.empty() && !std::exchange(warned_, true))
      for (const std::string& warning : warnings) stage_.log(Level::warning, warning);
    const auto known =
        std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a != nullptr; });
    if (known > 0) stage_.count("costs of cores read", static_cast<uint64_t>(known));
  }
  reasons.assign(questions.size(), "");
  find_missing(questions, answers, reasons, show);
  if (file_) {
    asked_.insert(asked_.end(), questions.begin(), questions.end());
    answered_.insert(answered_.end(), answers.begin(), answers.end());
  }
  return answers;
}

void CoreCostAnswers::find_missing(const std::vector<core::CoreCostQuestion>& questions, Answers& answers,
                                   std::vector<std::string>& reasons, bool show) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < questions.size(); ++i)
    if (!answers[i]) open.push_back(i);
  if (open.empty()) return;
  some_new_ = true;

  std::optional<Progress> display;
  if (show) display.emplace(stage_.place(), "costs of cores", open.size());
  auto runs = stages_.ordered(
      static_cast<uint32_t>(open.size()),
      [&](uint32_t i) {
        const core::CoreCostQuestion& question = questions[open[i]];
        return with(ctx_,
                    {{"layer"_n, wrap(question.layer)}, {"accelerator"_n, wrap(question.accelerator)}});
      },
      display ? &*display : nullptr, AfterFailure::go_on);
  for (;;) {
    Result result;
    try {
      if (!runs.next(result)) break;
    } catch (const Below& failure) {
      const std::size_t question = open[runs.index()];
      const bool of_this_node = failure.code == ZZ_E_NO_RESULT || (!show && failure.code == ZZ_E_INVALID);
      if (!of_this_node)
        throw Error(failure.code, questions[question].where + ": " + failure.what(), failure.failure);
      reasons[question] = failure.what();
      if (show)
        stage_.log(Level::warning, questions[question].where + " has no mapping: " + failure.what());
      continue;
    }
    const std::size_t question = open[runs.index()];
    auto found = object_or_null<core::Evaluation>(result.evaluation);
    if (!found) throw Error(ZZ_E_TYPE, "a result of 'stages' is no evaluation");
    core::keep_better_cost(answers[question], std::move(found));
  }
  stage_.count("costs of cores computed", open.size());
}

void CoreCostAnswers::write() const {
  if (!file_ || !some_new_) return;
  try {
    file_->write(asked_, texts_, answered_);
  } catch (const std::exception& error) {
    throw Error(ZZ_E_INTERNAL, error.what());
  }
}

core::CostModelTexts CoreCostAnswers::texts() const {
  core::CostModelTexts texts{{"build of zz", host().build}};
  const Value description = stages_.describe(ctx_);
  add_texts(texts, "", description);
  return texts;
}

}  // namespace zz::plugins
