#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace zz::plugins {

/// The set expressions of AccelForge over at most 64 things: names, ~ & | -, parentheses,
/// "A if TEST else B", where a test is a set that is not empty, or "len(A) == 3".
class NamedSets {
 public:
  using Set = std::uint64_t;  ///< a bit for each thing

  explicit NamedSets(Set all) : all_(all) {}

  /// A name may be defined again.
  void define(const std::string& name, Set set) { sets_[name] = set; }
  bool knows(const std::string& name) const { return sets_.count(name) != 0; }
  const std::map<std::string, Set>& all_names() const { return sets_; }

  // Both throw InputError for what is no such expression, with the nearest name.
  Set evaluate(const std::string& text) const;
  bool test(const std::string& text) const;

 private:
  class Reader;

  Set all_;
  std::map<std::string, Set> sets_;
};

}  // namespace zz::plugins
