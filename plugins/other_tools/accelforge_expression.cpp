#include "plugins/other_tools/accelforge_expression.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/expression.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"

namespace zz::plugins {
namespace {

/// The part of "A if TEST else B" that counts.
std::string chosen(std::string text, const AccelForgeProduct& product) {
  for (;;) {
    const std::size_t begin = text.find(" if "), other = text.find(" else ");
    if (begin == std::string::npos || other == std::string::npos || other < begin) return text;
    if (product.tensors.test(text.substr(begin + 4, other - begin - 4))) return text.substr(0, begin);
    text.erase(0, other + 6);
  }
}

}  // namespace

double value_for(const std::string& text, const AccelForgeProduct& product,
                 const std::map<std::string, double>& variables) {
  return core::evaluate_expression(chosen(text, product), [&](const std::string& name) {
    if (name == "inf") return std::numeric_limits<double>::infinity();
    constexpr std::string_view of_bits = ".bits_per_value";
    if (name.ends_with(of_bits)) {
      const auto bits = product.bits.find(name.substr(0, name.size() - of_bits.size()));
      if (bits != product.bits.end()) return static_cast<double>(bits->second);
    }
    const auto found = variables.find(name);
    if (found != variables.end()) return found->second;
    std::vector<std::string> known = {"inf"};
    for (const auto& [one, value] : variables) known.push_back(one);
    for (const auto& [one, bits] : product.bits) known.push_back(one + std::string(of_bits));
    throw core::InputError(fmt::format("'{}' is no number of the architecture; {}", core::shown_text(name),
                                       core::suggestion(name, known)));
  });
}

}  // namespace zz::plugins
