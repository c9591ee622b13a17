#include "core/answers/answers_by_store.hpp"

namespace zz::core {

AnswersByStore::Place& AnswersByStore::at(const std::string& named) {
  const std::string& store = named.empty() ? store_ : named;
  const std::lock_guard lock(mutex_);
  auto place = places_.find(store);
  if (place == places_.end())
    place = places_.emplace(store, std::make_unique<Place>(store, session_)).first;
  return *place->second;
}

AnswersByStore::Place& AnswersByStore::in_use() {
  {
    const std::lock_guard lock(mutex_);
    if (places_.size() == 1) return *places_.begin()->second;
  }
  return at("");
}

void AnswersByStore::begin_count() {
  const std::lock_guard lock(mutex_);
  for (const auto& [store, place] : places_) place->answers.begin_count();
}

Answers::Count AnswersByStore::counted() const {
  const std::lock_guard lock(mutex_);
  Answers::Count all;
  for (const auto& [store, place] : places_) {
    const Answers::Count one = place->answers.counted();
    all.asked += one.asked;
    all.found += one.found;
  }
  return all;
}

void AnswersByStore::write() {
  const std::lock_guard lock(mutex_);
  for (const auto& [store, place] : places_) place->answers.write();
}

}  // namespace zz::core
