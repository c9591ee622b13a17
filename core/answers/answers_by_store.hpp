#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/answers/answers.hpp"
#include "core/answers/optima.hpp"

namespace zz::core {

/// All answers of a run, or of a session of several runs: those of each store that a setting names, and
/// those without a store. [any]
class AnswersByStore {
 public:
  /// `session`: later runs have the answers too, and carry optima over (Optima). `store`: for what no
  /// setting names a store for.
  explicit AnswersByStore(bool session, std::string store = "")
      : session_(session), store_(std::move(store)) {}

  struct Place {
    Place(const std::string& store, bool session) : answers(store), optima(answers, session) {}
    Answers answers;
    Optima optima;
  };
  /// Those with that store; "": none is named. They live as long as this. Throws StoreError.
  Place& at(const std::string& store);
  /// For what comes after a run: the place that it used where it used one alone, else the one without a
  /// name.
  Place& in_use();

  /// A run begins: questions are counted anew.
  void begin_count();
  /// The sum over all stores.
  Answers::Count counted() const;
  /// Writes what all stores have to keep. Throws StoreError.
  void write();

 private:
  bool session_;
  std::string store_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Place>> places_;
};

}  // namespace zz::core
