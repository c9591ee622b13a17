#include <fmt/format.h>

#include "core/input/yaml/document.hpp"
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

}  // namespace zz::core::yaml
