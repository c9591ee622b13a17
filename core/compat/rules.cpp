#include "core/compat/rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

#define ZZ_RULE(name, of, what) {&Rules::name, #name, RuleOf::of, what},
constexpr RuleRow rows[] = {
#include "core/compat/rules.def"
};
#undef ZZ_RULE

constexpr std::string_view originals[] = {"zigzag-3.8.5", "zigzag-3.9", "stream-0.0.8"};
constexpr std::string_view exceptions_begin = " but ";

bool is_of_stream(RuleOf of) { return of == RuleOf::stream || of == RuleOf::stream_schedules; }

bool is_kept(RuleOf of, std::string_view original) {
  if (original == "stream-0.0.8") return of != RuleOf::zigzag_3_9;
  return !is_of_stream(of) && of != (original == "zigzag-3.9" ? RuleOf::zigzag_3_8_5 : RuleOf::zigzag_3_9);
}

void check_original(std::string_view original) {
  if (std::find(std::begin(originals), std::end(originals), original) != std::end(originals)) return;
  throw InputError(
      fmt::format("compat: '{}' is none of 'zigzag-3.8.5', 'zigzag-3.9', 'stream-0.0.8'", original));
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

void drop(Rules& rules, std::string_view original, std::string_view name) {
  std::vector<std::string> known;
  for (const RuleRow& row : rows) {
    if (!is_kept(row.of, original)) continue;
    known.emplace_back(row.name);
    if (row.name != name) continue;
    rules.*row.rule = false;
    for (const RuleRow& other : rows)
      if (row.of == RuleOf::stream_schedules && other.of == row.of) rules.*other.rule = false;
    return;
  }
  const std::string near = nearest_name(std::string(name), known);
  throw InputError(fmt::format(
      "compat: '{}' has no rule '{}'{}", original, name,
      near.empty() ? "; docs/deviations.md lists them" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace

std::span<const RuleRow> rule_rows() { return rows; }

const RuleRow& rule_row(bool Rules::*rule) {
  for (const RuleRow& row : rows)
    if (row.rule == rule) return row;
  throw std::logic_error("a rule without a row");
}

std::string_view without_exceptions(std::string_view compat) {
  return compat.substr(0, compat.find(exceptions_begin));
}

bool gives_original_figures(const Rules& rules) {
  return std::any_of(std::begin(rows), std::end(rows), [&](const RuleRow& row) { return rules.*row.rule; });
}

Rules rules_of(std::string_view compat) {
  Rules rules;
  if (compat.empty()) return rules;
  const std::string_view original = without_exceptions(compat);
  check_original(original);
  for (const RuleRow& row : rows) rules.*row.rule = is_kept(row.of, original);
  if (original.size() == compat.size()) return rules;
  for (std::string_view rest = compat.substr(original.size() + exceptions_begin.size());;) {
    const std::size_t comma = rest.find(',');
    drop(rules, original, trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return rules;
    rest.remove_prefix(comma + 1);
  }
}

std::string compat_of(const Rules& rules) {
  if (!gives_original_figures(rules)) return "";
  std::optional<std::string> shortest;
  std::size_t fewest = 0;
  for (const std::string_view original : originals) {
    std::vector<std::string_view> exceptions;
    bool given = true, schedules_dropped = false;
    for (const RuleRow& row : rows) {
      const bool kept = is_kept(row.of, original);
      given = given && (kept || !(rules.*row.rule));
      if (!kept || rules.*row.rule) continue;
      // One of these drops them all.
      if (row.of == RuleOf::stream_schedules && std::exchange(schedules_dropped, true)) continue;
      exceptions.push_back(row.name);
    }
    if (!given || (shortest && exceptions.size() >= fewest)) continue;
    fewest = exceptions.size();
    shortest = std::string(original);
    for (const std::string_view name : exceptions)
      *shortest += fmt::format("{}{}", name == exceptions.front() ? exceptions_begin : ", ", name);
  }
  if (!shortest || rules_of(*shortest) != rules) throw std::logic_error("rules that no 'compat' gives");
  return *shortest;
}

std::string_view original_of(std::string_view compat) {
  return compat.starts_with("stream") ? "Stream" : "ZigZag";
}

}  // namespace zz::core
