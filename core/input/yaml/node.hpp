#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/source_mark.hpp"

namespace zz::core::yaml {

/// A node of a YAML document with its place in the file. Aliases and merge keys ("<<") are expanded; their
/// parts keep the places where they are written. A node owns all that is below it.
struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  SourceMark mark;
  std::string text;         ///< scalar: as written
  bool quoted = false;      ///< scalar: was in quotes, hence is text and never a number
  std::vector<Node> items;  ///< list
  std::vector<std::pair<std::string, Node>> entries;  ///< map, in file order
  std::vector<SourceMark> key_marks;                  ///< map: the place of each key

  // Defined elsewhere because a pair with a node in it must be complete before it can be destroyed.
  Node();
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  /// The entry of a map, or nullptr.
  const Node* find(std::string_view key) const;
  /// Scalar readings by the rules of YAML 1.1 as PyYAML applies them ("yes" is true, "010" is 8, "1e3"
  /// is text, "1.0e+3" a number); empty when it is something else.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_int() const;
  std::optional<double> as_double() const;  ///< integers convert
  std::optional<std::string> as_text() const;
  /// "a list", "the text 'abc'", "the number 3": for messages.
  std::string describe() const;
};

/// Why a text that looks like a number is none in YAML 1.1 ("remove the quotes"), as a hint for a message;
/// "" when it does not look like a number.
std::string number_hint(const Node& node);

}  // namespace zz::core::yaml
