#include "host/report/point_story.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/base/unbeaten.hpp"
#include "core/exploration/design_space.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

using core::ResultStore;
using core::StoredTable;

std::string exact_cell_text(const nlohmann::json& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : core::json_text(cell, core::one_line);
}

nlohmann::ordered_json stored_rows_json(const StoredTable& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json named;
    for (std::size_t i = 0; i < row.size(); ++i) named[table.columns[i]] = row[i];
    rows.push_back(std::move(named));
  }
  return rows;
}

namespace {

nlohmann::json cell_of(const StoredTable& table, const std::vector<nlohmann::json>& row,
                       const std::string& column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  return found == table.columns.end() ? nlohmann::json()
                                      : row[static_cast<std::size_t>(found - table.columns.begin())];
}

/// The point of the front that beats these figures.
std::optional<std::string> who_beats(const core::StoredSpace& space, const StoredTable& front,
                                     const StoredTable& own, std::string& comparison) {
  for (const auto& row : front.rows) {
    std::vector<double> theirs, ours;
    comparison.clear();
    for (const std::string& objective : space.objectives) {
      const nlohmann::json there = cell_of(front, row, objective),
                           here = cell_of(own, own.rows.front(), objective);
      if (!there.is_number() || !here.is_number()) return std::nullopt;
      theirs.push_back(there.get<double>());
      ours.push_back(here.get<double>());
      comparison += fmt::format("{}{} {} against {}", comparison.empty() ? "" : ", ", objective,
                                figure_text(theirs.back()), figure_text(ours.back()));
    }
    if (core::beats(theirs, ours)) return exact_cell_text(row.front());
  }
  return std::nullopt;
}

}  // namespace

core::DesignSpace described_space(const ResultStore& store) {
  const core::StoredSpace space = store.space();
  const auto damaged = [&](const std::string& why) {
    return core::InputError(fmt::format("the store '{}': its space is damaged: {}", store.name(), why));
  };
  core::DesignSpace points;
  try {
    points = core::DesignSpace(nlohmann::ordered_json::parse(space.text).at("axes"), "axes");
  } catch (const core::InputError& problem) {
    throw damaged(problem.what());
  } catch (const nlohmann::json::exception&) {
    throw damaged("it has no axes");
  }
  if (points.names() != space.axes) throw damaged("its axes are not the columns of its points");
  return points;
}

bool has_ideal_points(const core::StoredSpace& space) {
  const nlohmann::json text = nlohmann::json::parse(space.text);
  const auto figures = text.find("figures");
  return figures != text.end() && *figures == "separate";
}

PointStory point_story(const ResultStore& store, std::uint64_t number) {
  const core::StoredSpace space = store.space();
  const core::DesignSpace points = described_space(store);
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
  story.point = stored_rows_json(own).front();
  const std::string state = exact_cell_text(cell_of(own, own.rows.front(), "state"));
  if (state != "done") {
    story.verdict = state;
    story.sentence = (state == "infeasible" ? "it is infeasible: " : "it ") +
                     exact_cell_text(cell_of(own, own.rows.front(), "reason"));
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

nlohmann::ordered_json point_story_json(const PointStory& story) {
  return {{"verdict", story.verdict}, {"why", story.sentence}, {"point", story.point}};
}

}  // namespace zz::host
