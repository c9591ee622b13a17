#include "core/input/yaml/number_hint.hpp"

#include "core/input/yaml/scalar.hpp"

namespace zz::core::yaml {

std::string number_hint(const Node& node) {
  if (!node.is_scalar()) return "";
  if (node.quoted) {
    return looks_like_int(node.text) || parse_float(node.text) ? "remove the quotes" : "";
  }
  const std::size_t exponent = node.text.find_first_of("eE");
  if (exponent != std::string::npos && exponent > 0 && !parse_float(node.text) &&
      node.text.find_first_not_of("+-.0123456789eE") == std::string::npos) {
    return "YAML wants a point and a signed exponent, as in 1.0e+3";
  }
  return "";
}

}  // namespace zz::core::yaml
