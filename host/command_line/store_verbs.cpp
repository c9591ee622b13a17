#include "host/command_line/store_verbs.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/base/new_file.hpp"
#include "core/output/csv_text.hpp"
#include "core/store/result_store.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/standard_output.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/design_page.hpp"
#include "host/report/point_story.hpp"
#include "host/report/problems.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

struct FrontOptions {
  std::string page;  ///< a file
};

using core::ResultStore;
using core::StoredTable;

std::string as_csv(const StoredTable& table) {
  std::vector<std::vector<std::string>> rows{table.columns};
  for (const auto& row : table.rows) {
    rows.emplace_back();
    for (const nlohmann::json& cell : row) rows.back().push_back(exact_cell_text(cell));
  }
  return core::csv_text(rows);
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
                                               : exact_cell_text(cell));
    shown.add_row(std::move(cells));
  }
  return shown.text();
}

/// A sentence for figures that no single mapping need reach; "" for others.
std::string note_of(const core::StoredSpace& space) {
  return has_ideal_points(space)
             ? "ideal points: each figure is of its own best mapping (figures: separate)\n"
             : "";
}

const std::string& named_by_user(const std::string& store) {
  ResultStore::trust_server(store);
  return store;
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

int run_front(const Options& options) {
  return reporting([&] {
    const ResultStore store(named_by_user(options.operands.front()), ResultStore::Access::read);
    if (const std::string& page = options.own<FrontOptions>().page; !page.empty()) {
      core::NewFile::write_whole(page, design_page(store));
      return ExitCode::done;
    }
    const StoredTable front = store.front();
    if (options.format == "json")
      fmt::print(standard_output(), "{}\n",
                 core::json_text(stored_rows_json(front), {.indent = 2, .levels = 2}));
    else if (options.format == "csv")
      fmt::print(standard_output(), "{}", as_csv(front));
    else
      fmt::print(standard_output(), "{}{}", as_table(front), note_of(store.space()));
    return ExitCode::done;
  });
}

int run_merge(const Options& options) {
  return reporting([&] {
    ResultStore target(named_by_user(options.operands.front()), ResultStore::Access::write);
    for (std::size_t i = 1; i < options.operands.size(); ++i)
      target.merge(named_by_user(options.operands[i]));
    nlohmann::ordered_json told{{"store", target.name()}};
    std::string words;
    if (target.has_space()) {
      told["points"] = target.points().size();
      told["front"] = target.front().rows.size();
      words = fmt::format("{} points, {} on the front", told["points"].dump(), told["front"].dump());
    }
    const auto tell = [&](const char* name, std::uint64_t count, const char* what) {
      if (count == 0) return;
      told[name] = count;
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, what);
    };
    tell("outcomes", target.count_outcomes(), "outcomes of runs");
    tell("answers", target.count_answers(), "answers for layers");
    if (options.format == "json")
      fmt::print(standard_output(), "{}\n", core::json_text(told, {.indent = 2}));
    else
      fmt::print(standard_output(), "{}: {}\n", target.name(), words.empty() ? "nothing yet" : words);
    return ExitCode::done;
  });
}

}  // namespace

int why_point(const Options& options) {
  return reporting([&] {
    if (options.operands.size() != 2)
      throw UsageError("'why' of a store needs the number of a point", "usage: zz-host why STORE POINT");
    const std::string& text = options.operands[1];
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size())
      throw UsageError(fmt::format("'{}' is not the number of a point; they count from 0", text));
    const PointStory story = point_story(
        ResultStore(named_by_user(options.operands.front()), ResultStore::Access::read), number);
    if (options.format == "json") {
      fmt::print(standard_output(), "{}\n", core::json_text(point_story_json(story), {.indent = 2}));
      return ExitCode::done;
    }
    StoredTable table;
    table.rows.emplace_back();
    for (const auto& [name, value] : story.point.items()) {
      table.columns.push_back(name);
      table.rows.front().push_back(value);
    }
    if (options.format == "csv")
      fmt::print(standard_output(), "{}", as_csv(table));
    else
      fmt::print(standard_output(), "{}{}\n", as_table(table), story.sentence);
    return ExitCode::done;
  });
}

const Verb front_verb("front", "STORE", "show the designs of a store that no other one beats",
                      "table|json|csv", 1, 1, run_front, [](OptionList& list, Options& given) {
                        list.add("page", "FILE", given.own<FrontOptions>().page,
                                 "write a page for the browser with all designs, in place of the table");
                      });

const Verb merge_verb("merge", "STORE...", "add to the first store what the others have of the same space",
                      "text|json", 2, INT_MAX, run_merge);

}  // namespace zz::host
