#include "core/multicore/search/detail/choice_evaluator.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

/// Mixes one word into a hash (the finaliser of splitmix64).
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t x = hash + 0x9e3779b97f4a7c15ULL + word;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t mix(std::uint64_t hash, double number) {
  std::uint64_t word = 0;
  if (number != 0) std::memcpy(&word, &number, sizeof word);  // 0 and -0 are equal
  return mix(hash, word);
}

constexpr std::size_t most_slots = 64;
/// Evaluations that take as long as making a schedule with all its transfers, and checking it.
constexpr double evaluations_for_the_result = 2.5;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::size_t ChoiceMemo::Hash::operator()(const ScheduleChoice& choice) const {
  std::uint64_t hash = mix(choice.cores.size(), static_cast<std::uint64_t>(choice.dispatch));
  for (const int core : choice.cores) hash = mix(hash, static_cast<std::uint64_t>(core));
  hash = mix(hash, choice.weight);
  hash = mix(hash, static_cast<std::uint64_t>(choice.back_filling));
  for (const double offset : choice.layer_offset) hash = mix(hash, offset);
  for (const double slope : choice.layer_slope) hash = mix(hash, slope);
  return hash;
}

const ScheduleFigures* ChoiceMemo::find(const ScheduleChoice& choice) const {
  const auto found = figures_.find(choice);
  return found == figures_.end() ? nullptr : &found->second;
}

ChoiceEvaluator::ChoiceEvaluator(std::function<EvaluateChoice()> make_evaluate, CoreSymmetry symmetry,
                                 ParallelFor parallel, EvaluationLimits limits)
    : make_evaluate_(std::move(make_evaluate)),
      symmetry_(std::move(symmetry)),
      parallel_(std::move(parallel)),
      limits_(std::move(limits)),
      begin_(std::chrono::steady_clock::now()) {}

std::int64_t ChoiceEvaluator::remaining() const {
  if (limits_.evaluations <= 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, limits_.evaluations - evaluations_);
}

bool ChoiceEvaluator::out_of_time() const {
  return limits_.seconds > 0 &&
         seconds_since(begin_) + evaluations_for_the_result * slowest_ > limits_.seconds;
}

bool ChoiceEvaluator::exhausted() {
  stopped_ =
      stopped_ || remaining() == 0 || (evaluations_ > 0 && out_of_time()) || interruption_requested();
  return stopped_;
}

bool ChoiceEvaluator::known(ScheduleChoice choice) const {
  choice.cores = symmetry_.canonical(choice.cores);
  return memo_.find(choice) != nullptr;
}

EvaluateChoice ChoiceEvaluator::take_evaluator() {
  {
    const std::lock_guard lock(idle_mutex_);
    if (!idle_.empty()) {
      EvaluateChoice evaluate = std::move(idle_.back());
      idle_.pop_back();
      return evaluate;
    }
  }
  return make_evaluate_();
}

void ChoiceEvaluator::give_back(EvaluateChoice evaluate) {
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(evaluate));
}

void ChoiceEvaluator::evaluate_new(const std::vector<const ScheduleChoice*>& choices,
                                   std::vector<ScheduleFigures>& figures, std::vector<char>& done) {
  const std::size_t slots = std::min(choices.size(), most_slots);
  std::atomic<std::size_t> next = 0;
  std::vector<std::string> reasons(choices.size());
  // A free thread takes the next choice. Figures depend on the choice alone, not on the thread.
  parallel_(slots, [&](std::size_t) {
    EvaluateChoice evaluate;
    for (std::size_t i = next++; i < choices.size(); i = next++) {
      // The first one is made however short the limit is, unless it is interrupted: without it there would
      // be nothing to hand on.
      const bool first = i == 0 && evaluations_ == 0;
      if (interruption_requested() || (!first && out_of_time())) break;
      const auto begin = std::chrono::steady_clock::now();
      if (!evaluate) evaluate = take_evaluator();
      try {
        figures[i] = evaluate(*choices[i], &reasons[i]);
      } catch (const Interrupted&) {
        return;  // the evaluator is amid a schedule
      }
      done[i] = 1;
      const double seconds = seconds_since(begin);
      for (double before = slowest_;
           before < seconds && !slowest_.compare_exchange_weak(before, seconds);) {
      }
    }
    if (evaluate) give_back(std::move(evaluate));
  });
  for (std::size_t i = 0; i < choices.size() && reason_.empty(); ++i) {
    if (done[i] && !figures[i].feasible) reason_ = reasons[i];
  }
}

std::vector<ScheduleFigures> ChoiceEvaluator::evaluate(std::vector<ScheduleChoice>& choices) {
  std::vector<const ScheduleChoice*> fresh;
  ChoiceMemo here;
  const auto limit = static_cast<std::size_t>(
      std::min<std::int64_t>(remaining(), static_cast<std::int64_t>(std::numeric_limits<int>::max())));
  for (ScheduleChoice& choice : choices) {
    choice.cores = symmetry_.canonical(choice.cores);
    if (memo_.find(choice) || here.find(choice) || fresh.size() >= limit) continue;
    here.insert(choice, {});
    fresh.push_back(&choice);
  }
  std::vector<ScheduleFigures> made(fresh.size());
  std::vector<char> done(fresh.size(), 0);
  if (!fresh.empty()) evaluate_new(fresh, made, done);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (!done[i]) continue;
    ++evaluations_;
    if (!made[i].feasible) ++infeasible_;
    if (made[i].feasible) front_.add(*fresh[i], made[i].latency, made[i].energy);
    memo_.insert(*fresh[i], made[i]);
  }
  std::vector<ScheduleFigures> figures;
  for (const ScheduleChoice& choice : choices) {
    const ScheduleFigures* known = memo_.find(choice);
    figures.push_back(known ? *known : ScheduleFigures{});
  }
  return figures;
}

}  // namespace zz::core
