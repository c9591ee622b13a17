#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/mapping/temporal_mapping.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The searches for best temporal mappings that a stage has made. Layers that differ in their names only
/// need one search, and their results are the same to the last bit. [any]
class SearchCache {
 public:
  struct Search {
    Value context;                              ///< over which it was made
    std::vector<core::TemporalMapping> chosen;  ///< in order of production
    uint64_t evaluated = 0;                     ///< number of candidates to choose from
    uint64_t tried = 0;                         ///< loop orders, those included that fit into no memory

    /// New objects each time: what results have in common shows in archives, and must not depend on which
    /// thread searched first.
    std::vector<Value> mappings() const;
  };

  /// An earlier search over a context in which neither the stage nor the chain below, which scored, would
  /// find anything else; or nullptr.
  std::shared_ptr<const Search> find(const Stage& stage, const Value& context);
  void add(std::shared_ptr<const Search> search);

 private:
  static constexpr std::size_t most_searches = 1024;  ///< then it starts afresh

  std::mutex mutex_;
  /// By a key that equal searches have in common.
  std::unordered_map<std::uint64_t, std::vector<std::shared_ptr<const Search>>> searches_;
  std::size_t count_ = 0;
};

}  // namespace zz::plugins
