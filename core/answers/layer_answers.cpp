#include "core/answers/layer_answers.hpp"

#include <algorithm>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/search/optimal/one_order_bound.hpp"

namespace zz::core {
namespace {

/// Bounds of each kind; those that are forgotten are worked out again.
constexpr std::size_t most_bounds = 1 << 20;
/// Limit for all that makes joint bounds.
constexpr std::size_t most_bytes = std::size_t{1} << 27;
/// Mappings of a layer that are tried on another accelerator.
constexpr std::size_t most_tried = 24;
/// Those of them that are cut anew where none fits: the latest.
constexpr std::ptrdiff_t most_cut_anew = 4;

}  // namespace

LayerAnswers::LayerAnswers(JointOptions options, Answers& answers)
    : options_(std::move(options)), limits_(text_of(options_.limits)), answers_(answers) {
  options_.within.reset();
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    options_.objective = objective;
    option_text_.emplace(objective, question_text(options_));
  }
}

ContentKey LayerAnswers::key(const std::string& layer, const std::string& accelerator,
                             Objective objective) const {
  return question_key(layer, accelerator, option_text_.at(objective));
}

std::optional<StoredAnswer> LayerAnswers::find(const ContentKey& key, double gap) {
  return answers_.find(key, std::max(gap, options_.limits.gap), limits_);
}

StoredAnswer LayerAnswers::answer(const ContentKey& key, const Layer& layer,
                                  const std::shared_ptr<const Accelerator>& accelerator,
                                  Objective objective, std::shared_ptr<const JointOptions::Start> start,
                                  double gap) {
  if (std::optional<StoredAnswer> known = find(key, gap)) {
    answers_.count(key, true);
    return *known;
  }
  JointOptions options = options_;
  options.limits.gap = std::max(options.limits.gap, gap);
  options.objective = objective;
  options.start = std::move(start);
  const JointOptimum optimum = find_joint_optimum(layer, accelerator, options);
  end_if_interrupted();
  const StoredAnswer answer = stored_answer(optimum, options.limits);
  answers_.add(key, answer);
  answers_.count(key, false);
  const std::lock_guard lock(mutex_);
  ++searches_;
  return answer;
}

double LayerAnswers::remembered(Bounds& bounds, const ContentKey& key,
                                const std::function<double()>& work_out) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = bounds.find(key); known != bounds.end()) return known->second;
  }
  const double bound = work_out();
  const std::lock_guard lock(mutex_);
  if (bounds.size() >= most_bounds) bounds.clear();
  bounds.emplace(key, bound);
  return bound;
}

double LayerAnswers::bound(const ContentKey& key, const std::string& layer_text, const std::string& family,
                           const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                           Objective objective) {
  return remembered(joint_bounds_, key, [&] {
    const std::string name = word_of(objective) + layer_text + family;
    std::unique_ptr<JointBounds> bounds = take_idle(name);
    if (bounds == nullptr) {
      JointOptions options = options_;
      options.objective = objective;
      bounds = std::make_unique<JointBounds>(layer, options, home_times_of(layer_text, layer));
    }
    const double bound = bounds->of(accelerator);
    put_idle(name, std::move(bounds));
    return bound;
  });
}

std::shared_ptr<HomeTimes> LayerAnswers::home_times_of(const std::string& layer_text, const Layer& layer) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<HomeTimes>& times = home_times_[layer_text];
  if (times == nullptr) times = home_times(layer, options_);
  return times;
}

std::unique_ptr<JointBounds> LayerAnswers::take_idle(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto idle = idle_.find(name);
  if (idle == idle_.end() || idle->second.empty()) return nullptr;
  std::unique_ptr<JointBounds> bounds = std::move(idle->second.back());
  idle->second.pop_back();
  idle_bytes_ -= bounds->bytes();
  return bounds;
}

void LayerAnswers::put_idle(const std::string& name, std::unique_ptr<JointBounds> bounds) {
  const std::lock_guard lock(mutex_);
  if (idle_bytes_ > most_bytes) {
    idle_.clear();
    idle_bytes_ = 0;
  }
  idle_bytes_ += bounds->bytes();
  idle_[name].push_back(std::move(bounds));
}

double LayerAnswers::energy_bound_in_one_order(const ContentKey& key, const Layer& layer,
                                               const std::shared_ptr<const Accelerator>& accelerator) {
  return remembered(one_order_bounds_, key, [&] { return one_order_bound(layer, accelerator, options_); });
}

LayerAnswers::Mappings LayerAnswers::mappings(const std::string& layer_text, const std::string& family,
                                              Objective objective) const {
  const std::lock_guard lock(mutex_);
  const auto known = mappings_.find(word_of(objective) + layer_text + family);
  return known == mappings_.end() ? Mappings{} : known->second;
}

LayerAnswers::Known LayerAnswers::known(const std::string& layer_text, const std::string& family,
                                        const std::shared_ptr<const Accelerator>& accelerator,
                                        Objective objective) const {
  Known best;
  for (const auto& [text, mapping] : mappings(layer_text, family, objective))
    if (const double value = mapping->value(accelerator, objective); value < best.value)
      best = {value, mapping, text};
  return best;
}

std::shared_ptr<const JointOptions::Start> LayerAnswers::start(
    const std::string& layer_text, const std::string& family, const Layer& layer,
    const std::shared_ptr<const Accelerator>& accelerator, Objective objective) const {
  Known best = known(layer_text, family, accelerator, objective);
  if (best.mapping == nullptr) {
    Mappings tried = mappings(layer_text, family, objective);
    if (std::ssize(tried) > most_cut_anew) tried.erase(tried.begin(), tried.end() - most_cut_anew);
    for (const auto& [text, mapping] : tried) {
      const auto anew = cut_anew(mapping->known(), layer, accelerator, options_.model);
      if (anew == nullptr) continue;
      if (const double value = anew->value(accelerator, objective); value < best.value)
        best = {value, anew, ""};
    }
  }
  if (best.mapping == nullptr) return nullptr;
  const KnownMapping& found = best.mapping->known();
  return std::make_shared<const JointOptions::Start>(JointOptions::Start{found.unrolling, found.mapping});
}

void LayerAnswers::keep_known(const ContentKey& key, const Known& known, double bound) {
  if (known.mapping == nullptr || find(key)) return;
  answers_.add(key, {known.value, bound, known.value / bound - 1, known.text});
}

void LayerAnswers::make_known(const std::string& layer_text, const std::string& family, const Layer& layer,
                              const std::shared_ptr<const Accelerator>& accelerator, Objective objective,
                              const StoredAnswer& answer) {
  if (answer.mapping.empty()) return;
  const std::lock_guard lock(mutex_);
  auto& known = mappings_[word_of(objective) + layer_text + family];
  try {
    const std::string pair = pair_alone(answer.mapping);
    for (const auto& [text, mapping] : known)
      if (text == pair) return;
    auto tried =
        std::make_shared<const TriedMapping>(known_mapping(pair), layer, accelerator, options_.model);
    if (known.size() == most_tried) known.erase(known.begin());
    known.emplace_back(pair, std::move(tried));
  } catch (const InputError&) {
    // Somebody else wrote the store.
  }
}

std::size_t LayerAnswers::searches() const {
  const std::lock_guard lock(mutex_);
  return searches_;
}

}  // namespace zz::core
