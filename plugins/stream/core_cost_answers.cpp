#include "plugins/stream/core_cost_answers.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/answers/question.hpp"
#include "core/cost/evaluation.hpp"
#include "core/output/archive/archive.hpp"
#include "core/search/temporal/prescribed_cuts.hpp"
#include "plugins/internal/first_answers.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/stored_answers.hpp"

namespace zz::plugins {
namespace {

// Words of a store for what became of a question.
constexpr const char* done = "done";
constexpr const char* not_found = "not found";  // also where a search has not looked at everything

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

/// Floors of a first answer hold for the whole answer where one pair of mappings is proven best and costed
/// by the same rules. Stages that open it several times choose among other results, and others may change
/// the figures.
bool has_floors(const Chain& stages, const Value& ctx) {
  const Value made = stages.makes(ctx);
  if (!made) return false;
  nlohmann::json optimum, cost;
  for (const nlohmann::json& one : nlohmann::json::parse(made.json())) {
    const std::string what = one.is_object() ? one.value("makes", "") : "";
    if (what == "optimum")
      optimum = one;
    else if (what == "cost")
      cost = one;
    else if (what != "least" && what != "filled_costs")
      return false;
  }
  if (!optimum.is_object() || !cost.is_object()) return false;
  const auto alike = [&](const char* rule) {
    return optimum.contains(rule) && cost.contains(rule) && optimum[rule] == cost[rule];
  };
  return alike("compat") && alike("access_same_data_considered_as_no_access");
}

}  // namespace

CoreCostAnswers::CoreCostAnswers(const Stage& stage, const Chain& stages, Value ctx,
                                 const std::optional<std::string>& path, const std::string& store)
    : stage_(stage), stages_(stages), ctx_(std::move(ctx)) {
  store_ = &answers_of_run().at(store).answers;
  if (store_->store() == nullptr) {
    store_ = nullptr;
  } else {
    chain_ = core::ChainContent(nlohmann::json::parse(stages_.describe(ctx_).json()));
  }
  has_first_ = has_floors(stages_, ctx_);
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
  find_missing(Kind::whole, questions, find_in_store(Kind::whole, questions, answers, reasons, show),
               answers, reasons, show);
  if (file_) {
    asked_.insert(asked_.end(), questions.begin(), questions.end());
    answered_.insert(answered_.end(), answers.begin(), answers.end());
  }
  return answers;
}

std::vector<std::optional<core::FirstAnswer>> CoreCostAnswers::first_to(
    const std::vector<core::CoreCostQuestion>& questions) {
  Answers found(questions.size());
  std::vector<std::string> reasons(questions.size());
  find_missing(Kind::first, questions, find_in_store(Kind::first, questions, found, reasons, false), found,
               reasons, false);
  std::vector<std::optional<core::FirstAnswer>> answers(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!found[i] || core::find_metric(*found[i], first_answers::least_energy) == nullptr) continue;
    answers[i] = {found[i], metric_of(*found[i], first_answers::least_runtime),
                  metric_of(*found[i], first_answers::least_energy)};
  }
  return answers;
}

void CoreCostAnswers::tell_of_none(const core::CoreCostQuestion& question,
                                   const std::string& reason) const {
  stage_.log(Level::warning, question.where + " has no mapping: " + reason);
}

/// A cost is what became of a run of the chain over the node and the core, as a point of a design space is.
core::ContentKey CoreCostAnswers::key(Kind kind, const core::CoreCostQuestion& question) const {
  return core::point_key(chain_,
                         {{"layer", core::question_text(*question.layer)},
                          {"accelerator", core::exact_text(*question.accelerator)}},
                         kind == Kind::first ? first_answers::asked : "");
}

/// Returns the questions that are left.
CoreCostAnswers::Open CoreCostAnswers::find_in_store(Kind kind,
                                                     const std::vector<core::CoreCostQuestion>& questions,
                                                     Answers& answers, std::vector<std::string>& reasons,
                                                     bool show) {
  Open open;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (answers[i]) continue;
    if (store_ == nullptr) {
      open.push_back(i);
      continue;
    }
    const core::ContentKey asked = key(kind, questions[i]);
    const std::optional<core::StoredOutcome> known = store_->outcome(asked);
    if (known && known->status == not_found) {
      reasons[i] = known->said;
      if (show) tell_of_none(questions[i], reasons[i]);
    } else if (known) {
      try {
        answers[i] = core::result_of_bytes(known->said).first.as<core::Evaluation>();
      } catch (const std::exception&) {
        // Somebody else wrote the store.
      }
    }
    const bool found = answers[i] != nullptr || !reasons[i].empty();
    if (!found) open.push_back(i);
    store_->count(asked, found);
  }
  return open;
}

void CoreCostAnswers::keep_in_store(Kind kind, const core::CoreCostQuestion& question,
                                    const core::Evaluation* answer, const std::string& reason) {
  if (store_ == nullptr) return;
  core::StoredOutcome outcome{
      .files = "nodes on cores", .status = done, .seconds = 0, .said = reason, .results = ""};
  if (answer == nullptr)
    outcome.status = not_found;
  else
    outcome.said = core::bytes_of_result(
        core::Value::object(std::make_shared<const core::Evaluation>(*answer)), core::Value());
  store_->add_outcome(key(kind, question), outcome);
  store_->write_if_due();
}

/// An entry serves several cores, its cuts those with the same memories.
std::shared_ptr<const core::Layer> CoreCostAnswers::layer_of(const core::CoreCostQuestion& question) const {
  const std::string other = core::cuts_of_other_memories(*question.layer, *question.accelerator);
  if (other.empty()) return question.layer;
  stage_.log(Level::warning, question.where + ": the cuts of mapping entry '" +
                                 question.layer->mapping.name + "' are of other memories (" + other +
                                 ") and count for nothing there");
  auto uncut = std::make_shared<core::Layer>(*question.layer);
  uncut->mapping.cuts.clear();
  return uncut;
}

void CoreCostAnswers::find_missing(Kind kind, const std::vector<core::CoreCostQuestion>& questions,
                                   const Open& open, Answers& answers, std::vector<std::string>& reasons,
                                   bool show) {
  if (open.empty()) return;
  const bool whole = kind == Kind::whole;
  if (whole) some_new_ = true;
  const Value above = whole ? ctx_ : with(ctx_, {{Name(first_answers::asked), true}});

  std::optional<Progress> display;
  if (show) display.emplace(stage_.place(), "costs of cores", open.size());
  auto runs = stages_.ordered(
      static_cast<uint32_t>(open.size()),
      [&](uint32_t i) {
        const core::CoreCostQuestion& question = questions[open[i]];
        return with(above,
                    {{"layer"_n, wrap(layer_of(question))}, {"accelerator"_n, wrap(question.accelerator)}});
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
      if (show) tell_of_none(questions[question], reasons[question]);
      if (failure.code == ZZ_E_NO_RESULT)
        keep_in_store(kind, questions[question], nullptr, reasons[question]);
      continue;
    }
    const std::size_t question = open[runs.index()];
    auto found = object_or_null<core::Evaluation>(result.evaluation);
    if (!found) throw Error(ZZ_E_TYPE, "a result of 'stages' is no evaluation");
    core::keep_better_cost(answers[question], std::move(found));
  }
  for (const std::size_t question : open)
    if (answers[question]) keep_in_store(kind, questions[question], answers[question].get(), "");
  stage_.count(whole ? "costs of cores computed" : "first costs of cores computed", open.size());
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
