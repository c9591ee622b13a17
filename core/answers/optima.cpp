#include "core/answers/optima.hpp"

#include "core/answers/known_mapping.hpp"
#include "core/answers/question.hpp"
#include "core/base/diagnostics.hpp"
#include "core/search/optimal/cost_relations.hpp"

namespace zz::core {
namespace {

std::size_t bytes_of(const JointOptimum& optimum) {
  constexpr std::size_t of_the_rest = 8192;
  return (optimum.bounds.size() + optimum.uneven_bounds.size()) * sizeof(double) + of_the_rest;
}

}  // namespace

/// A question with its keys.
struct Optima::Question {
  const Layer& layer;
  const std::shared_ptr<const Accelerator>& accelerator;
  const JointOptions& options;
  std::string limits;
  ContentKey key{};       ///< of all of it
  ContentKey first{};     ///< the same without `within`: what is best by the objective alone
  ContentKey of_layer{};  ///< the same without the accelerator
};

std::string Optima::text_of_accelerator(const std::shared_ptr<const Accelerator>& accelerator,
                                        Objective objective) {
  {
    const std::lock_guard lock(mutex_);
    for (const Text& text : texts_)
      if (text.of == accelerator && text.objective == objective) return text.text;
  }
  std::string text = question_text(*accelerator, objective);
  const std::lock_guard lock(mutex_);
  if (texts_.size() == most_accelerators) texts_.pop_back();
  texts_.push_front({accelerator, objective, text});
  return text;
}

Optima::Question Optima::question(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                  const JointOptions& options) {
  Question asked{layer, accelerator, options, text_of(options.limits), {}, {}, {}};
  const std::string work = question_text(layer);
  JointOptions first = options;
  first.within.reset();
  const std::string rules_of_first = question_text(first);
  asked.of_layer = question_key(work, "", rules_of_first);
  asked.first = question_key(work, text_of_accelerator(accelerator, options.objective), rules_of_first);
  // The second search weighs costs also where the first does not.
  asked.key = has_second(options) ? question_key(work, text_of_accelerator(accelerator, Objective::edp),
                                                 question_text(options))
                                  : asked.first;
  return asked;
}

std::shared_ptr<const JointOptimum> Optima::remembered(const Question& asked) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(asked.key);
  if (known == known_.end()) return nullptr;
  const Entry& entry = known->second;
  const double gap = asked.options.limits.gap;
  const bool serves =
      is_finished(*entry.optimum, gap) || (entry.limits == asked.limits && entry.gap <= gap);
  return serves ? entry.optimum : nullptr;
}

std::shared_ptr<const JointOptimum> Optima::stored(const Question& asked) {
  const auto answer = answers_.find(asked.key, asked.options.limits.gap, asked.limits);
  if (!answer) return nullptr;
  try {
    auto optimum = std::make_shared<const JointOptimum>(
        known_optimum(*answer, asked.layer, asked.accelerator, asked.options));
    const double gap = asked.options.limits.gap;
    if (!is_finished(*optimum, gap) && !is_cut_off_by(answer->mapping, asked.limits, gap)) return nullptr;
    return optimum;
  } catch (const InputError&) {
    return nullptr;  // of a store that somebody else wrote, or an answer to less than was asked
  } catch (const NoResult&) {
    return nullptr;
  }
}

Optima::Found Optima::carried(const Question& asked) const {
  if (!carries_ || asked.options.allowed.any()) return {};
  const std::lock_guard lock(mutex_);
  const auto entries = of_layer_.find(asked.of_layer);
  if (entries == of_layer_.end()) return {};
  Found found;
  double most = -1;
  for (const Entry& entry : entries->second) {
    if (!is_finished(*entry.optimum, asked.options.limits.gap)) continue;
    const auto change = cost_change(entry.optimum->problem, *asked.accelerator);
    if (!change) continue;
    if (change->none && entry.within == asked.options.within) return {entry.optimum, Source::earlier_run};
    const double kept = change->kept * entry.optimum->certificate.lower_bound;
    if (kept <= most) continue;
    most = kept;
    found = {entry.optimum, Source::earlier_optimum};
  }
  return found;
}

void Optima::remember(const Question& asked, std::shared_ptr<const JointOptimum> optimum) {
  const std::lock_guard lock(mutex_);
  if (bytes_ > most_bytes) {
    known_.clear();
    of_layer_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes_of(*optimum);
  const Entry entry{std::move(optimum), asked.options.within, asked.limits, asked.options.limits.gap};
  known_.insert_or_assign(asked.key, entry);
  // Bounds are what a later search begins with; an answer of a store has none.
  if (!carries_ || asked.options.allowed.any() || entry.optimum->bounds.empty()) return;
  std::deque<Entry>& entries = of_layer_[asked.of_layer];
  if (entries.size() >= most_of_a_layer) entries.pop_back();
  entries.push_front(entry);
}

void Optima::keep(const Question& asked, std::shared_ptr<const JointOptimum> optimum) {
  remember(asked, optimum);
  if (answers_.store() == nullptr) return;
  answers_.add(asked.key, stored_answer(*optimum, asked.options.limits));
  if (asked.key == asked.first) return;
  JointOptimum first = *optimum;
  first.second.reset();
  answers_.add(asked.first, stored_answer(first, asked.options.limits));
}

Optima::Found Optima::of(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                         const JointOptions& options) {
  const Question asked = question(layer, accelerator, options);
  std::shared_ptr<const JointOptimum> known = remembered(asked);
  if (known == nullptr && (known = stored(asked)) != nullptr) remember(asked, known);
  if (known != nullptr)
    return {known, answers_.count(asked.key, true) ? Source::earlier_run : Source::this_run};
  Found found = carried(asked);
  if (found.source != Source::earlier_run) {
    found.optimum = std::make_shared<const JointOptimum>(
        find_joint_optimum(layer, accelerator, options, found.optimum.get()));
    if (options.limits.cancelled && options.limits.cancelled()) return found;
  }
  answers_.count(asked.key, found.source == Source::earlier_run);
  keep(asked, found.optimum);
  return found;
}

}  // namespace zz::core
