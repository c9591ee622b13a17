#include "core/input/yaml/node.hpp"

#include <fmt/format.h>

#include "core/input/yaml/scalar.hpp"

namespace zz::core::yaml {

Node::Node() = default;
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::optional<bool> Node::as_bool() const {
  if (!is_scalar() || quoted) return std::nullopt;
  return parse_bool(text);
}

std::optional<std::int64_t> Node::as_int() const {
  if (!is_scalar() || quoted) return std::nullopt;
  return parse_int(text);
}

std::optional<double> Node::as_double() const {
  if (!is_scalar() || quoted) return std::nullopt;
  if (const auto integer = parse_int(text)) return static_cast<double>(*integer);
  return parse_float(text);
}

std::optional<std::string> Node::as_text() const {
  if (!is_scalar()) return std::nullopt;
  if (!quoted && (parse_bool(text) || looks_like_int(text) || parse_float(text))) return std::nullopt;
  return text;
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return items.empty() ? "an empty list" : "a list";
    case Kind::map:
      return entries.empty() ? "an empty map" : "a map";
    case Kind::scalar:
      break;
  }
  if (!quoted) {
    if (const auto truth = parse_bool(text)) {
      return fmt::format("the truth value {}{}", *truth ? "true" : "false",
                         text == "true" || text == "false" ? "" : " ('" + text + "')");
    }
    if (looks_like_int(text) && !parse_int(text)) return "the number " + text + ", which is too large";
    if (looks_like_int(text) || parse_float(text)) return "the number " + text;
  }
  return "the text '" + text + "'";
}

std::string number_hint(const Node& node) {
  if (!node.is_scalar()) return "";
  if (node.quoted) return looks_like_int(node.text) || parse_float(node.text) ? "remove the quotes" : "";
  const std::size_t exponent = node.text.find_first_of("eE");
  if (exponent != std::string::npos && exponent > 0 && !parse_float(node.text) &&
      node.text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
    return "YAML wants a point and a signed exponent, as in 1.0e+3";
  }
  return "";
}

}  // namespace zz::core::yaml
