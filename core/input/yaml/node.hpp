#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/source_mark.hpp"

namespace zz::core::yaml {

// The meaning of an unquoted scalar by the rules of YAML 1.1 as PyYAML applies them (yaml/resolver.py).
// yaml-cpp differs: it takes "1e3" for a number and "y" for true. Each function returns nothing when the
// text is of another type, or when the number does not fit.

bool is_null_text(std::string_view text);
std::optional<bool> parse_bool(std::string_view text);
/// Decimal, 0b..., 0x..., 0... (octal) and base 60 ("1:30"), with underscores.
std::optional<std::int64_t> parse_int(std::string_view text);
/// Needs a point, and a sign in the exponent: "1e3" is text.
std::optional<double> parse_float(std::string_view text);
/// True when the text is an integer by its form, whether or not it fits.
bool looks_like_int(std::string_view text);

/// A node of a YAML document, with its place in the file. A node owns the nodes below it. Aliases and merge
/// keys ("<<") are expanded; the copies keep the places of the originals.
struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  SourceMark mark;
  std::string text;  ///< scalar: as written; map or list: its own tag, "Container" of "!Container", or ""
  bool quoted = false;      ///< scalar: was in quotes, hence is text and never a number
  std::vector<Node> items;  ///< list
  std::vector<std::pair<std::string, Node>> entries;  ///< map, in file order
  std::vector<SourceMark> key_marks;                  ///< map: the place of each key

  // Defined in node.cpp, where std::pair<std::string, Node> is complete.
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
  /// The scalar by the rules of YAML 1.1 as PyYAML applies them: "yes" is true, "010" is 8, "1e3" is text,
  /// "1.0e+3" a number. Empty when the node is of another type.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_int() const;
  std::optional<double> as_double() const;  ///< integers convert
  std::optional<std::string> as_text() const;
  /// "a list", "the text 'abc'", "the number 3": for messages.
  std::string describe() const;
};

/// The hint for a text that looks like a number and is none in YAML 1.1 ("remove the quotes"); else "".
std::string number_hint(const Node& node);

}  // namespace zz::core::yaml
