#include "host/command_line/store_verbs.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/exploration/design_space.hpp"
#include "core/output/csv_text.hpp"
#include "core/store/result_store.hpp"
#include "host/base/exit_code.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/problems.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

using core::ResultStore;
using core::StoredTable;

/// The cell as text that reads back as the same value; "" for what is not known.
std::string exact_text(const nlohmann::json& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : core::json_text(cell, core::one_line);
}

std::string as_csv(const StoredTable& table) {
  std::vector<std::vector<std::string>> rows{table.columns};
  for (const auto& row : table.rows) {
    rows.emplace_back();
    for (const nlohmann::json& cell : row) rows.back().push_back(exact_text(cell));
  }
  return core::csv_text(rows);
}

nlohmann::ordered_json as_json(const StoredTable& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json named;
    for (std::size_t i = 0; i < row.size(); ++i) named[table.columns[i]] = row[i];
    rows.push_back(std::move(named));
  }
  return rows;
}

std::string as_table(const StoredTable& table) {
  std::vector<TextTable::Column> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool text = std::any_of(table.rows.begin(), table.rows.end(),
                                  [&](const auto& row) { return row[i].is_string(); });
    columns.push_back({table.columns[i], !text});
  }
  TextTable shown(std::move(columns));
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const nlohmann::json& cell : row)
      cells.push_back(cell.is_null()           ? "-"
                      : cell.is_number_float() ? figure_text(cell.get<double>())
                                               : exact_text(cell));
    shown.add_row(std::move(cells));
  }
  return shown.text();
}

/// A sentence for figures that no single mapping need reach; "" for others.
std::string note_of(const core::StoredSpace& space) {
  const auto text = nlohmann::json::parse(space.text);
  return text.value("figures", "") == "separate"
             ? "ideal points: each figure is of its own best mapping (figures: separate)\n"
             : "";
}

template <class Function>
int reporting(const Function& function) {
  try {
    return static_cast<int>(function());
  } catch (const core::InputError& error) {
    tell(error);
    return static_cast<int>(ExitCode::usage);
  }
}

nlohmann::json cell_of(const StoredTable& table, const std::vector<nlohmann::json>& row,
                       const std::string& column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  return found == table.columns.end() ? nlohmann::json()
                                      : row[static_cast<std::size_t>(found - table.columns.begin())];
}

/// What a store says of a point.
struct PointStory {
  nlohmann::ordered_json point;  ///< the row of `figures`, or number and axes
  std::string verdict;           ///< "front", "beaten", "beyond", "infeasible", "discarded", "open"
  std::string sentence;
};

/// The point of the front that beats these figures.
std::optional<std::string> who_beats(const core::StoredSpace& space, const StoredTable& front,
                                     const StoredTable& own, std::string& comparison) {
  for (const auto& row : front.rows) {
    bool worse = false, better = false;
    comparison.clear();
    for (const std::string& objective : space.objectives) {
      const nlohmann::json there = cell_of(front, row, objective),
                           here = cell_of(own, own.rows.front(), objective);
      if (!there.is_number() || !here.is_number()) return std::nullopt;
      worse = worse || there.get<double>() > here.get<double>();
      better = better || there.get<double>() < here.get<double>();
      comparison += fmt::format("{}{} {} against {}", comparison.empty() ? "" : ", ", objective,
                                figure_text(there.get<double>()), figure_text(here.get<double>()));
    }
    if (!worse && better) return exact_text(row.front());
  }
  return std::nullopt;
}

PointStory story_of(const ResultStore& store, std::uint64_t number) {
  const core::StoredSpace space = store.space();
  const core::DesignSpace points(nlohmann::ordered_json::parse(space.text)["axes"], "axes");
  if (number >= points.size())
    throw core::InputError(
        fmt::format("there is no point {}: the space has {}, counted from 0", number, points.size()));
  PointStory story;
  const StoredTable own = store.figures_of(number);
  if (own.rows.empty()) {
    story.point["point"] = number;
    const std::vector<nlohmann::json> values = points.values(number);
    for (std::size_t i = 0; i < values.size(); ++i) story.point[space.axes[i]] = values[i];
    const core::DesignSpace::Steps steps = points.steps_of(number);
    for (const core::StoredBox& box : store.boxes()) {
      bool inside = true;
      for (std::size_t i = 0; i < steps.size(); ++i)
        inside = inside && box.lower[i] <= steps[i] && steps[i] <= box.upper[i];
      if (!inside) continue;
      std::string bounds;
      for (std::size_t i = 0; i < space.objectives.size(); ++i)
        bounds += fmt::format("{}{} {}", bounds.empty() ? "" : ", ", space.objectives[i],
                              figure_text(box.bounds[i]));
      story.verdict = "discarded";
      story.sentence = fmt::format("a proof discarded it with others, none of which is below {}: {}",
                                   bounds, box.reason);
      return story;
    }
    story.verdict = "open";
    story.sentence = "nothing is known of it yet: no run has looked at it";
    return story;
  }
  story.point = as_json(own).front();
  const std::string state = cell_of(own, own.rows.front(), "state").get<std::string>();
  if (state != "done") {
    story.verdict = state;
    story.sentence = (state == "infeasible" ? "it is infeasible: " : "it ") +
                     exact_text(cell_of(own, own.rows.front(), "reason"));
    return story;
  }
  const StoredTable front = store.front();
  const bool on_front = std::any_of(front.rows.begin(), front.rows.end(),
                                    [&](const auto& row) { return row.front() == nlohmann::json(number); });
  std::string comparison;
  if (on_front) {
    story.verdict = "front";
    story.sentence = "it is on the front: no other point beats it";
  } else if (const auto other = who_beats(space, front, own, comparison)) {
    story.verdict = "beaten";
    story.sentence = fmt::format("point {} beats it: {}", *other, comparison);
  } else {
    story.verdict = "open";
    story.sentence = "it has figures, but the front is not complete yet";
  }
  return story;
}

}  // namespace

int front_verb(const Options& options) {
  return reporting([&] {
    const ResultStore store(options.operands.front(), ResultStore::Access::read);
    const StoredTable front = store.front();
    if (options.format == "json")
      fmt::print("{}\n", core::json_text(as_json(front), {.indent = 2, .levels = 2}));
    else if (options.format == "csv")
      fmt::print("{}", as_csv(front));
    else
      fmt::print("{}{}", as_table(front), note_of(store.space()));
    return ExitCode::done;
  });
}

int merge_verb(const Options& options) {
  return reporting([&] {
    ResultStore target(options.operands.front(), ResultStore::Access::write);
    for (std::size_t i = 1; i < options.operands.size(); ++i) target.merge(options.operands[i]);
    const auto count = [&](core::PointState state) { return target.count(state); };
    const std::uint64_t done = count(core::PointState::done), beyond = count(core::PointState::beyond),
                        infeasible = count(core::PointState::infeasible);
    const std::uint64_t points = done + beyond + infeasible, on_front = target.front().rows.size();
    if (options.format == "json")
      fmt::print("{}\n", core::json_text(
                             {{"store", options.operands.front()}, {"points", points}, {"front", on_front}},
                             {.indent = 2}));
    else
      fmt::print("{}: {} points, {} on the front\n", options.operands.front(), points, on_front);
    return ExitCode::done;
  });
}

int why_point(const Options& options) {
  return reporting([&] {
    if (options.operands.size() != 2)
      throw UsageError("'why' of a store needs the number of a point", "usage: zz-host why STORE POINT");
    const std::string& text = options.operands[1];
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size())
      throw UsageError(fmt::format("'{}' is not the number of a point; they count from 0", text));
    const PointStory story =
        story_of(ResultStore(options.operands.front(), ResultStore::Access::read), number);
    if (options.format == "json") {
      nlohmann::ordered_json json{
          {"verdict", story.verdict}, {"why", story.sentence}, {"point", story.point}};
      fmt::print("{}\n", core::json_text(json, {.indent = 2}));
      return ExitCode::done;
    }
    StoredTable table;
    table.rows.emplace_back();
    for (const auto& [name, value] : story.point.items()) {
      table.columns.push_back(name);
      table.rows.front().push_back(value);
    }
    if (options.format == "csv")
      fmt::print("{}", as_csv(table));
    else
      fmt::print("{}{}\n", as_table(table), story.sentence);
    return ExitCode::done;
  });
}

}  // namespace zz::host
