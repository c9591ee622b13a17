#include "core/mapping/operand_sparsity.hpp"

#include <charconv>
#include <fmt/format.h>

namespace zz::core {

ZeroPattern pattern_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  const auto number = [](std::string_view digits) {
    std::int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [read, problem] = std::from_chars(digits.data(), end, value);
    return problem == std::errc() && read == end && !digits.empty() ? value : 0;
  };
  const ZeroPattern pattern{number(text.substr(0, colon)), number(text.substr(colon + 1))};
  const bool possible = pattern.kept >= 1 && pattern.kept <= pattern.of && pattern.of <= longest_pattern;
  return possible ? pattern : ZeroPattern{};
}

double density_of(const OperandSparsity& sparsity) {
  if (sparsity.pattern.empty()) return sparsity.density;
  const ZeroPattern pattern = pattern_of(sparsity.pattern);
  return pattern.of == 0 ? 1 : static_cast<double>(pattern.kept) / static_cast<double>(pattern.of);
}

std::string to_text(const OperandSparsity& sparsity) {
  return sparsity.pattern.empty() ? fmt::format("density {}", sparsity.density)
                                  : fmt::format("{} along {}", sparsity.pattern, sparsity.along);
}

}  // namespace zz::core
