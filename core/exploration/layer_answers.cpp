#include "core/exploration/layer_answers.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/search/optimal/one_order_bound.hpp"
#include "core/value/read.hpp"
#include "core/value/value.hpp"

namespace zz::core {
namespace {

/// The store has what is forgotten here.
constexpr std::size_t most_known = 1 << 17;
/// Of each kind. What is forgotten is worked out again.
constexpr std::size_t most_bounds = 1 << 20;
/// Of what is kept to make joint bounds.
constexpr std::size_t most_bytes = std::size_t{1} << 27;
/// Mappings of a layer that are tried on another accelerator.
constexpr std::size_t most_tried = 24;
/// Those of them that are cut anew where none fits: the latest.
constexpr std::ptrdiff_t most_cut_anew = 4;

}  // namespace

std::string question_text(const Layer& layer) {
  Layer anonymous = layer;
  anonymous.id = 0;
  anonymous.name.clear();
  anonymous.source_order.clear();
  for (LayerOperand& operand : anonymous.operands) operand.sources.clear();
  anonymous.mapping.name.clear();
  return digest_of(to_json(
      Value::object(std::shared_ptr<const Layer>(std::make_shared<Layer>(std::move(anonymous)))).ref()));
}

std::string question_text(const Accelerator& accelerator, Objective objective) {
  auto seen = std::make_shared<Accelerator>(accelerator);
  seen->name.clear();
  seen->array.unit_area = 0;
  // Arrays that compute in memory follow from costs in ways of their own.
  const bool costs_count = objective != Objective::latency || accelerator.array.imc.has_value();
  if (!costs_count) seen->array.unit_energy = 0;
  for (Memory& memory : seen->memories) {
    memory.area = 0;
    memory.latency = 0;
    if (!costs_count) memory.read_cost = memory.write_cost = 0;
  }
  return digest_of(to_json(Value::object(std::shared_ptr<const Accelerator>(std::move(seen))).ref()));
}

LayerAnswers::LayerAnswers(JointOptions options, std::string text, ResultStore& store)
    : options_(std::move(options)), text_(std::move(text)), store_(store) {
  options_.within.reset();
}

ContentKey LayerAnswers::key(const std::string& layer, const std::string& accelerator,
                             Objective objective) const {
  const std::string word = word_of(objective);
  const std::array<std::string_view, 5> parts{"layer", layer, accelerator, word, text_};
  return content_key(parts);
}

std::optional<StoredAnswer> LayerAnswers::find(const ContentKey& key, double gap) {
  gap = std::max(gap, options_.limits.gap);
  // One that was searched for a larger gap may do as well.
  const auto serves = [&](const StoredAnswer& answer) {
    return answer.gap <= gap || answer.value <= answer.bound * (1 + gap);
  };
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end() && serves(known->second))
      return known->second;
  }
  std::optional<StoredAnswer> answer = store_.answer(key);
  if (!answer || !serves(*answer)) return std::nullopt;
  remember(key, *answer);
  const std::lock_guard lock(mutex_);
  used_store_ = true;
  return answer;
}

void LayerAnswers::remember(const ContentKey& key, const StoredAnswer& answer) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= most_known) known_.clear();
  known_.insert_or_assign(key, answer);
}

StoredAnswer LayerAnswers::answer(const ContentKey& key, const Layer& layer,
                                  const std::shared_ptr<const Accelerator>& accelerator,
                                  Objective objective, std::shared_ptr<const JointOptions::Start> start,
                                  double gap) {
  if (std::optional<StoredAnswer> known = find(key, gap)) return *known;
  JointOptions options = options_;
  options.limits.gap = std::max(options.limits.gap, gap);
  options.objective = objective;
  options.start = std::move(start);
  const JointOptimum optimum = find_joint_optimum(layer, accelerator, options);
  end_if_interrupted();
  const StoredAnswer answer{optimum.certificate.value, optimum.certificate.lower_bound, options.limits.gap,
                            text_of(optimum)};
  store_.add_answer(key, answer);
  {
    const std::lock_guard lock(mutex_);
    ++searches_;
  }
  remember(key, answer);
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
  store_.add_answer(key, {known.value, bound, known.value / bound - 1, known.text});
}

void LayerAnswers::make_known(const std::string& layer_text, const std::string& family, const Layer& layer,
                              const std::shared_ptr<const Accelerator>& accelerator, Objective objective,
                              const StoredAnswer& answer) {
  if (answer.mapping.empty()) return;
  const std::lock_guard lock(mutex_);
  auto& known = mappings_[word_of(objective) + layer_text + family];
  for (const auto& [text, mapping] : known)
    if (text == answer.mapping) return;
  try {
    auto tried = std::make_shared<const TriedMapping>(known_mapping(answer.mapping), layer, accelerator,
                                                      options_.model);
    if (known.size() == most_tried) known.erase(known.begin());
    known.emplace_back(answer.mapping, std::move(tried));
  } catch (const InputError&) {
    // Of a store that somebody else wrote.
  }
}

std::size_t LayerAnswers::searches() const {
  const std::lock_guard lock(mutex_);
  return searches_;
}

bool LayerAnswers::used_store() const {
  const std::lock_guard lock(mutex_);
  return used_store_;
}

}  // namespace zz::core
