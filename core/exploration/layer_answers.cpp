#include "core/exploration/layer_answers.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/interruption.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/value/read.hpp"
#include "core/value/value.hpp"

namespace zz::core {
namespace {

/// The store has what is forgotten here.
constexpr std::size_t most_known = 1 << 17;
/// Mappings of a layer that are tried on another accelerator.
constexpr std::size_t most_tried = 8;

std::string word_of(Objective objective) {
  constexpr const char* words[] = {"energy", "latency", "edp"};
  return words[static_cast<int>(objective)];
}

/// The objects are long and part of many keys.
std::string digest_of(const Value& object) {
  const std::string json = to_json(object.ref());
  const std::string_view parts[] = {json};
  return to_string(content_key(parts));
}

}  // namespace

std::string question_text(const Layer& layer) {
  Layer anonymous = layer;
  anonymous.id = 0;
  anonymous.name.clear();
  anonymous.source_order.clear();
  for (LayerOperand& operand : anonymous.operands) operand.sources.clear();
  anonymous.mapping.name.clear();
  return digest_of(
      Value::object(std::shared_ptr<const Layer>(std::make_shared<Layer>(std::move(anonymous)))));
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
  return digest_of(Value::object(std::shared_ptr<const Accelerator>(std::move(seen))));
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

StoredAnswer LayerAnswers::answer(const ContentKey& key, const Layer& layer,
                                  const std::shared_ptr<const Accelerator>& accelerator,
                                  Objective objective) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
  }
  std::optional<StoredAnswer> answer = store_.answer(key);
  // One that was searched for a larger gap may do as well.
  const double gap = options_.limits.gap;
  if (answer && answer->gap > gap && answer->value > answer->bound * (1 + gap)) answer.reset();
  if (!answer) {
    JointOptions options = options_;
    options.objective = objective;
    const JointOptimum optimum = find_joint_optimum(layer, accelerator, options);
    end_if_interrupted();
    answer =
        StoredAnswer{optimum.certificate.value, optimum.certificate.lower_bound, gap, text_of(optimum)};
    store_.add_answer(key, *answer);
    const std::lock_guard lock(mutex_);
    ++searches_;
  }
  const std::lock_guard lock(mutex_);
  if (known_.size() >= most_known) known_.clear();
  known_.insert_or_assign(key, *answer);
  return *answer;
}

double LayerAnswers::bound(const ContentKey& key, const Layer& layer,
                           const std::shared_ptr<const Accelerator>& accelerator, Objective objective) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = bounds_.find(key); known != bounds_.end()) return known->second;
    if (const auto known = known_.find(key); known != known_.end()) return known->second.bound;
  }
  JointOptions options = options_;
  options.objective = objective;
  const double bound = joint_bound(layer, accelerator, options);
  const std::lock_guard lock(mutex_);
  bounds_.emplace(key, bound);
  return bound;
}

double LayerAnswers::known_value(const std::string& layer_text, const std::string& family,
                                 const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                 Objective objective) const {
  std::vector<KnownMapping> tried;
  {
    const std::lock_guard lock(mutex_);
    const auto known = mappings_.find(word_of(objective) + layer_text + family);
    if (known == mappings_.end()) return infinite;
    for (const auto& [text, mapping] : known->second) tried.push_back(mapping);
  }
  double least = infinite;
  for (const KnownMapping& mapping : tried)
    least = std::min(least, value_of_known(mapping, layer, accelerator, options_.model, objective));
  return least;
}

void LayerAnswers::make_known(const std::string& layer_text, const std::string& family, Objective objective,
                              const StoredAnswer& answer) {
  if (answer.mapping.empty()) return;
  const std::lock_guard lock(mutex_);
  auto& known = mappings_[word_of(objective) + layer_text + family];
  for (const auto& [text, mapping] : known)
    if (text == answer.mapping) return;
  if (known.size() == most_tried) known.erase(known.begin());
  known.emplace_back(answer.mapping, known_mapping(answer.mapping));
}

std::size_t LayerAnswers::searches() const {
  const std::lock_guard lock(mutex_);
  return searches_;
}

}  // namespace zz::core
