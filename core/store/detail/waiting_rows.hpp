#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/store/detail/database.hpp"
#include "core/store/result_store.hpp"

namespace zz::core {

/// "[2,3]", for columns that hold lists.
template <class Numbers>
std::string list_text(const Numbers& numbers) {
  return nlohmann::json(numbers).dump();
}

/// Rows that have been added and wait to be written, in the order of keys: programs that write the same
/// rows at once then never wait for each other in a circle.
struct WaitingRows {
  std::map<std::pair<ContentKey, std::string>, StoredFigure> figures;
  std::map<ContentKey, std::string> failures;
  std::map<ContentKey, StoredAnswer> answers;
  std::map<std::pair<ContentKey, ContentKey>, StoredOutcome> outcomes;  ///< by the key, then that of inputs
  std::map<std::uint64_t, StoredPoint> points;
  std::map<std::uint64_t, bool> candidates;  ///< true: it is one now
  bool without_boxes = false;                ///< those that the store has go first
  std::vector<StoredBox> boxes;
  std::map<std::uint64_t, std::vector<StoredLayer>> layers;

  void add(const ContentKey& key, const StoredOutcome& outcome);
  bool empty() const;
  /// Inside of a transaction.
  void write(Statements& statements, const StoredSpace& space) const;
};

}  // namespace zz::core
