#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/store/result_store.hpp"

namespace zz::core {

/// The answers to questions about layers by their content keys, in one memory with a store behind it. What
/// was answered before, in this process or by another one with the same store, need not be searched again.
/// [any]
///
/// Functions throw StoreError where the store fails.
class Answers {
 public:
  /// Without a store.
  Answers() = default;
  /// `store`: the path of a file or a URL, as ResultStore takes it; "": none. It is made where it is not
  /// there.
  explicit Answers(const std::string& store);

  /// The answer, if it serves: proven within that gap, or cut off by the same limits, as text_of() has
  /// them, in a search for as small a gap.
  std::optional<StoredAnswer> find(const ContentKey& key, double gap, const std::string& limits);
  void add(const ContentKey& key, const StoredAnswer& answer);

  /// The outcomes of runs of chains that map one layer (ResultStore::outcomes).
  std::optional<StoredOutcome> outcome(const ContentKey& key);
  void add_outcome(const ContentKey& key, const StoredOutcome& outcome);

  /// Writes what was added: at the end of a run, and now and then.
  void write();
  void write_if_due();

  /// nullptr: there is none.
  ResultStore* store() { return store_.get(); }
  /// True when answers came from the store, where others may have written them.
  bool used_store() const;

  /// Questions that a run has asked of the store, each once, and those of them that needed no search.
  struct Count {
    std::size_t asked = 0, found = 0;
  };
  void begin_count();
  /// True the first time that the run asks it.
  bool count(const ContentKey& key, bool found);
  /// Zeros without a store.
  Count counted() const;

 private:
  static constexpr std::size_t most_known = 1 << 17;  ///< the store has what is forgotten

  void remember(const ContentKey& key, const StoredAnswer& answer);

  std::unique_ptr<ResultStore> store_;
  mutable std::mutex mutex_;
  std::map<ContentKey, StoredAnswer> known_;
  std::map<ContentKey, bool> asked_;  ///< with whether it was found
  bool used_store_ = false;
};

}  // namespace zz::core
