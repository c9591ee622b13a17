#include "core/answers/answers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/answers/known_mapping.hpp"

namespace zz::core {
namespace {

bool serves(const StoredAnswer& answer, double gap, const std::string& limits) {
  return answer.gap <= gap || answer.value <= answer.bound * (1 + gap) ||
         is_cut_off_by(answer.mapping, limits, gap);
}

}  // namespace

Answers::Answers(const std::string& store) {
  if (!store.empty()) store_ = std::make_unique<ResultStore>(store, ResultStore::Access::write);
}

std::optional<StoredAnswer> Answers::find(const ContentKey& key, double gap, const std::string& limits) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end() && serves(known->second, gap, limits))
      return known->second;
  }
  if (store_ == nullptr) return std::nullopt;
  std::optional<StoredAnswer> answer = store_->answer(key);
  if (!answer || !serves(*answer, gap, limits)) return std::nullopt;
  remember(key, *answer);
  const std::lock_guard lock(mutex_);
  used_store_ = true;
  return answer;
}

void Answers::add(const ContentKey& key, const StoredAnswer& answer) {
  if (store_ != nullptr) store_->add_answer(key, answer);
  remember(key, answer);
}

void Answers::remember(const ContentKey& key, const StoredAnswer& answer) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= most_known) known_.clear();
  known_.insert_or_assign(key, answer);
}

std::optional<StoredOutcome> Answers::outcome(const ContentKey& key) {
  if (store_ == nullptr) return std::nullopt;
  std::vector<StoredOutcome> outcomes = store_->outcomes(key);
  if (outcomes.empty()) return std::nullopt;
  return std::move(outcomes.front());
}

void Answers::add_outcome(const ContentKey& key, const StoredOutcome& outcome) {
  if (store_ != nullptr) store_->add_outcome(key, outcome);
}

void Answers::write() {
  if (store_ != nullptr) store_->write();
}

void Answers::write_if_due() {
  if (store_ != nullptr) store_->write_if_due();
}

bool Answers::used_store() const {
  const std::lock_guard lock(mutex_);
  return used_store_;
}

void Answers::begin_count() {
  const std::lock_guard lock(mutex_);
  asked_.clear();
}

bool Answers::count(const ContentKey& key, bool found) {
  const std::lock_guard lock(mutex_);
  return asked_.emplace(key, found).second;  // asked again, it is found at any rate
}

Answers::Count Answers::counted() const {
  if (store_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  const auto found =
      std::count_if(asked_.begin(), asked_.end(), [](const auto& one) { return one.second; });
  return {asked_.size(), static_cast<std::size_t>(found)};
}

}  // namespace zz::core
