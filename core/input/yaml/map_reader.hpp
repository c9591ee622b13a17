#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core::yaml {

// Each function reads one value. `what` names it in messages: "'size' of memory 'l1'". When the value has
// another type, the function adds the problem to `diagnostics` ("'size' of memory 'l1' must be a whole
// number, but found ..."), leaves the target alone, and returns false.

bool read(const Node& node, const std::string& what, std::int64_t& target, Diagnostics& diagnostics);
bool read(const Node& node, const std::string& what, double& target, Diagnostics& diagnostics);
bool read(const Node& node, const std::string& what, bool& target, Diagnostics& diagnostics);
bool read(const Node& node, const std::string& what, std::string& target, Diagnostics& diagnostics);
/// Lists of at most `most_items`. Every item is read, so that all wrong ones are reported.
bool read(const Node& node, const std::string& what, std::vector<std::string>& target,
          Diagnostics& diagnostics);
bool read(const Node& node, const std::string& what, std::vector<std::int64_t>& target,
          Diagnostics& diagnostics);

/// The most items of lists and maps whose parts are compared with each other. More is an error
/// (docs/limits.md).
inline constexpr std::size_t most_items = 1024;

// These report a node of another kind, the short ones also one with more than `most_items`.
bool expect_list(const Node& node, const std::string& what, Diagnostics& diagnostics);
bool expect_short_list(const Node& node, const std::string& what, Diagnostics& diagnostics);
bool expect_short_map(const Node& node, const std::string& what, Diagnostics& diagnostics);
bool expect_map(const Node& node, const std::string& what, Diagnostics& diagnostics);

struct KeyTable;  // core/input/yaml/form.hpp

/// Reads a map with known keys: those of a table, which says of each whether it must be there, or those
/// that the caller asks for. finish() reports all others, with the nearest known key.
///
///     MapReader map(node, "memory 'l1'", memory_keys, diagnostics);
///     map.find("size", memory.size);
///     map.find("latency", memory.latency);
///     map.finish();
///
/// The node, the table and the diagnostics must outlive the reader.
class MapReader {
 public:
  /// Reports a node that is no map. Every key is then absent, and none is reported as missing.
  MapReader(const Node& node, std::string what, Diagnostics& diagnostics);
  MapReader(const Node& node, std::string what, const KeyTable& table, Diagnostics& diagnostics);

  /// The value of a key of the table; nullptr where it is absent, or empty and may be, or after reporting
  /// that it is missing. Throws std::logic_error for a key that the table has not, and for one that it
  /// gives to values of another type.
  const Node* find(const std::string& key);
  template <class T>
  bool find(const std::string& key, T& target) {
    const Node* const node = find(key);
    refuse_other_type(key, T());
    return take(node, key, target);
  }

  /// The value of a key that must be there, or nullptr after reporting that it is missing.
  const Node* required(const std::string& key);
  /// The value of a key that may be absent, or nullptr.
  const Node* optional(const std::string& key);
  /// Like optional(), but an empty value ("key:", "null") counts as no key.
  const Node* nullable(const std::string& key);

  // The same with the value read into `target`; false when it is absent or was reported.
  template <class T>
  bool required(const std::string& key, T& target) {
    return take(required(key), key, target);
  }
  template <class T>
  bool optional(const std::string& key, T& target) {
    return take(optional(key), key, target);
  }
  template <class T>
  bool nullable(const std::string& key, T& target) {
    return take(nullable(key), key, target);
  }

  /// Reports the keys that were never asked for.
  void finish();

  /// "'size' of memory 'l1'".
  std::string what(std::string_view key) const;
  const std::string& what() const { return what_; }

 private:
  // The table must give the key to values of the type of the second argument.
  void refuse_other_type(const std::string& key, std::int64_t) const;
  void refuse_other_type(const std::string& key, double) const;
  void refuse_other_type(const std::string& key, bool) const;
  void refuse_other_type(const std::string& key, const std::string&) const;
  void refuse_other_type(const std::string& key, const std::vector<std::string>&) const;
  void refuse_other_type(const std::string& key, const std::vector<std::int64_t>&) const;

  template <class T>
  bool take(const Node* node, const std::string& key, T& target) {
    return node != nullptr && read(*node, what(key), target, diagnostics_);
  }

  const Node& node_;
  std::string what_;
  Diagnostics& diagnostics_;
  const KeyTable* table_ = nullptr;
  std::vector<std::string> known_;
  /// Missing keys are reported by finish(), where a misspelt one can be told from an absent one.
  std::vector<std::string> missing_;
};

/// Adds the warnings of `found` to `diagnostics`; throws InputError when `found` holds errors.
void hand_over(const Diagnostics& found, Diagnostics& diagnostics);

}  // namespace zz::core::yaml
