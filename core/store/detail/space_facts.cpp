#include "core/store/detail/space_facts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/base/text.hpp"

namespace zz::core {
namespace {

using Names = std::vector<std::string>;

/// The longest name that becomes a column.
constexpr std::size_t longest_name = 1000;

[[noreturn]] void refuse(const char* fact, const std::string& why) {
  throw std::runtime_error(fmt::format("its fact '{}' {}; the store is damaged", fact, why));
}

nlohmann::json parsed(const char* name, const std::string& text) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) refuse(name, "is no JSON");
  return value;
}

Names names_in(const char* name, const std::string& text) {
  const nlohmann::json list = parsed(name, text);
  if (!list.is_array()) refuse(name, "is no list of names");
  Names names;
  for (const nlohmann::json& one : list) {
    if (!one.is_string()) refuse(name, "is no list of names");
    names.push_back(one.get<std::string>());
  }
  return names;
}

std::vector<ColumnKind> kinds_in(const std::string& text, std::size_t axes) {
  const nlohmann::json list = parsed("kinds", text);
  const auto is_kind = [](const nlohmann::json& kind) {
    return kind.is_number_integer() && kind >= 0 && kind <= static_cast<int>(ColumnKind::any);
  };
  if (!list.is_array() || list.size() > axes || !std::all_of(list.begin(), list.end(), is_kind))
    refuse("kinds", "has no kind for each axis");
  std::vector<ColumnKind> kinds;
  for (const nlohmann::json& kind : list) kinds.push_back(static_cast<ColumnKind>(kind.get<int>()));
  return kinds;
}

bool is_column(const std::string& name) {
  return !name.empty() && name.size() <= longest_name && is_utf8(name) && printable_line(name) == name;
}

}  // namespace

std::vector<NameClash> name_clashes(const StoredSpace& space) {
  std::map<std::string, std::string> known;
  std::vector<NameClash> clashes;
  const auto add = [&](const std::string& name) {
    const auto [entry, fresh] = known.try_emplace(lower_case(name), name);
    if (!fresh) clashes.push_back({name, entry->second});
  };
  for (const char* const name : {"point", "number", "key", "state", "reason"}) add(name);
  for (const std::string& figure : space.figures) add(figure);
  for (const std::string& figure : space.figures) add(figure + "_bound");
  for (const std::string& axis : space.axes) add(axis);
  for (const std::string& metric : space.metrics) add(metric);
  return clashes;
}

void check_names(const StoredSpace& space) {
  for (const Names* names : {&space.axes, &space.figures, &space.metrics})
    for (const std::string& name : *names)
      if (!is_column(name))
        throw std::runtime_error(fmt::format("'{}' can be the name of no column", shown_text(name)));
  for (const NameClash& clash : name_clashes(space))
    throw std::runtime_error(fmt::format("the names '{}' and '{}' are one to a database",
                                         shown_text(clash.name), shown_text(clash.earlier)));
  const auto has = [](const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& objective : space.objectives)
    if (!has(space.figures, objective) && !has(space.metrics, objective))
      throw std::runtime_error(
          fmt::format("the objective '{}' is none of its figures and metrics", shown_text(objective)));
}

std::map<std::string, std::string> facts_of(const StoredSpace& space) {
  const auto text = [](const auto& list) { return nlohmann::json(list).dump(); };
  return {{"identity", space.identity},     {"text", space.text},
          {"axes", text(space.axes)},       {"figures", text(space.figures)},
          {"metrics", text(space.metrics)}, {"objectives", text(space.objectives)},
          {"kinds", text(space.kinds)}};
}

StoredSpace space_of_facts(const std::map<std::string, std::string>& facts) {
  const auto fact = [&](const char* name) { return facts.at(name); };
  StoredSpace found;
  found.identity = fact("identity");
  found.text = fact("text");
  for (const char* const name : {"identity", "text"})
    if (!parsed(name, std::string_view(name) == "text" ? found.text : found.identity).is_object())
      refuse(name, "is no map");
  const auto names = [&](const char* name) { return names_in(name, fact(name)); };
  found.axes = names("axes");
  found.figures = names("figures");
  found.metrics = names("metrics");
  found.objectives = names("objectives");
  found.kinds = kinds_in(fact("kinds"), found.axes.size());
  try {
    check_names(found);
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(fmt::format("{}; the store is damaged", problem.what()));
  }
  return found;
}

}  // namespace zz::core
