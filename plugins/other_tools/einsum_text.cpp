#include "plugins/other_tools/einsum_text.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/expression.hpp"
#include "core/base/text.hpp"
#include "plugins/other_tools/text_fields.hpp"

namespace zz::plugins {
namespace {

std::vector<std::string> parts_between(const std::string& text, std::string_view sign) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(sign, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + sign.size();
  }
}

[[noreturn]] void fail(const std::string& text, const std::string& what, const std::string& hint) {
  throw core::InputError({core::Diagnostic{
      core::Severity::error, {}, fmt::format("'{}' {}", core::shown_text(text), what), hint}});
}

std::int64_t whole_number(const std::string& text, const std::string& all) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stop != end || number < 1)
    fail(all, fmt::format("has '{}' where a whole number from 1 belongs", core::shown_text(text)), "");
  return number;
}

/// "r", "4*p" or "p*4".
IndexTerm term_of(const std::string& text, const std::string& all) {
  constexpr const char* expected = "a sum of loops, each maybe times a number, is expected: '4 * p + r'";
  IndexTerm made;
  for (const std::string& factor : parts_between(text, "*")) {
    if (is_name(factor) && made.loop.empty())
      made.loop = core::upper_case(factor);
    else if (!factor.empty() && std::isdigit(static_cast<unsigned char>(factor[0])))
      made.factor *= whole_number(factor, all);
    else
      fail(all, "is no index of a tensor", expected);
  }
  if (made.loop.empty()) fail(all, "is no index of a tensor", expected);
  return made;
}

TensorText tensor_of(const std::string& text, const std::string& all) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']' || !is_name(text.substr(0, open)))
    fail(all, fmt::format("has '{}' where a tensor belongs", core::shown_text(text)),
         "'Z[m, n] = A[m, k] * B[k, n]' is expected");
  TensorText made;
  made.name = text.substr(0, open);
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  if (!inside.empty())
    for (const std::string& axis : parts_between(inside, ",")) made.axes.push_back(rank_index_of(axis));
  return made;
}

/// The tensors between '*' outside of brackets.
std::vector<std::string> factors_of(const std::string& text) {
  std::vector<std::string> parts(1);
  bool inside = false;
  for (const char c : text) {
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c == '*' && !inside)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

RankIndex rank_index_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos)
    return rank_index_of(without_blanks(text.substr(0, colon)), text.substr(colon + 1));
  return rank_index_of(core::upper_case(without_blanks(text)), text);
}

RankIndex rank_index_of(const std::string& rank, const std::string& index) {
  RankIndex made;
  made.rank = rank;
  for (const std::string& term : parts_between(without_blanks(index), "+"))
    made.terms.push_back(term_of(term, index));
  return made;
}

EinsumText einsum_text_of(const std::string& text) {
  const std::vector<std::string> sides = parts_between(without_blanks(text), "=");
  if (sides.size() != 2 || sides[0].empty() || sides[1].empty())
    fail(text, "is no Einsum", "'Z[m, n] = A[m, k] * B[k, n]' is expected");
  EinsumText made;
  made.output = tensor_of(sides[0], text);
  for (const std::string& factor : factors_of(sides[1])) {
    if (factor.empty()) fail(text, "has two '*' beside each other", "");
    made.inputs.push_back(tensor_of(factor, text));
  }
  return made;
}

std::vector<LoopBound> loop_bounds_of(const std::string& text) {
  constexpr const char* expected = "'0 <= m < 128' is expected";
  std::vector<LoopBound> made;
  for (const std::string& part : parts_between(text, " and ")) {
    const std::vector<std::string> sides = parts_between(without_blanks(part), "<");
    if (sides.size() != 3 || sides[0] != "0" || !sides[1].starts_with("=") || !is_name(sides[1].substr(1)))
      fail(text, "bounds no loop", expected);
    const bool included = sides[2].starts_with("=");
    const double end =
        core::evaluate_expression(sides[2].substr(included ? 1 : 0), [&](const std::string& name) {
          fail(text, fmt::format("has the name '{}' in its bound", core::shown_text(name)), expected);
          return 0.0;
        });
    const double size = included ? end + 1 : end;
    if (!(size >= 1 && size <= 9e15) || size != std::floor(size))
      fail(text, "leaves no whole number of steps", expected);
    made.push_back({core::upper_case(sides[1].substr(1)), static_cast<std::int64_t>(size)});
  }
  return made;
}

}  // namespace zz::plugins
