#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::plugins {

/// Reads the keys of a model's configuration. Files of different makers have different keys for one thing,
/// and many keys that say nothing about sizes.
class ConfigMap {
 public:
  /// The node and the diagnostics must outlive this.
  ConfigMap(const core::yaml::Node& node, const std::string& what, core::Diagnostics& diagnostics);

  /// The value under the first of the keys that is there and not null; else nullptr.
  const core::yaml::Node* find(std::initializer_list<const char*> keys);
  /// A whole number, at least `least`. False when no key is there, or after reporting what is wrong.
  bool number(std::initializer_list<const char*> keys, std::int64_t& target, std::int64_t least = 1);
  /// The same for a number that must be there.
  bool required(std::initializer_list<const char*> keys, std::int64_t& target);
  bool truth(std::initializer_list<const char*> keys, bool& target);

  /// Reports missing keys, and unknown ones that may matter: keys that are like one that is read, and
  /// keys that say a size or a number of parts. The others are passed over.
  void finish();

  const std::string& what() const { return map_.what(); }
  core::SourceMark mark() const { return node_.mark; }

 private:
  const core::yaml::Node& node_;
  core::Diagnostics& diagnostics_;
  core::yaml::MapReader map_;
  std::vector<std::string> read_;  ///< keys that were asked for
  std::string found_key_;          ///< the one that find() last found
};

}  // namespace zz::plugins
