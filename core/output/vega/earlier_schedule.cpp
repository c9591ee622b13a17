#include "core/output/vega/earlier_schedule.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"

namespace zz::core {
namespace {

// docs/limits.md names this limit.
constexpr std::uintmax_t most_picture_bytes = 268'435'456;

/// Lists and maps within each other in a picture: rows of tables with a few lists, and marks.
constexpr int most_levels = 32;

constexpr const char* expected = "the schedule.vg.json of an earlier run";

/// Columns that are numbers and texts. What else a row has is for the picture alone.
struct Columns {
  const char* table;
  std::vector<const char*> numbers, texts;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(fmt::format("{}: {}; {} is expected", path, why, expected));
}

void check_rows(const std::string& path, const VegaTables& tables, const Columns& columns) {
  const auto table = tables.find(columns.table);
  if (table == tables.end()) refuse(path, fmt::format("there is no data set '{}'", columns.table));
  for (std::size_t row = 0; row < table->size(); ++row) {
    const auto check = [&](const char* column, bool number) {
      const auto cell = table->at(row).find(column);
      if (cell == table->at(row).end() || (number ? !cell->is_number() : !cell->is_string()))
        refuse(path, fmt::format("row {} of '{}' has no {} '{}'", row + 1, columns.table,
                                 number ? "number" : "text", column));
    };
    for (const char* column : columns.numbers) check(column, true);
    for (const char* column : columns.texts) check(column, false);
  }
}

/// The data sets with rows, which are objects.
VegaTables tables_of(const std::string& path, VegaTables& picture) {
  VegaTables tables = VegaTables::object();
  if (!picture.is_object() || !picture.contains("data") || !picture["data"].is_array())
    refuse(path, "it has no 'data'");
  for (VegaTables& data : picture["data"]) {
    if (!data.is_object() || !data.contains("name") || !data["name"].is_string())
      refuse(path, "a data set has no name");
    if (!data.contains("values") || !data["values"].is_array()) continue;
    for (const VegaTables& row : data["values"])
      if (!row.is_object())
        refuse(path, fmt::format("a row of '{}' is no map", data["name"].get<std::string>()));
    tables[data["name"].get<std::string>()] = std::move(data["values"]);
  }
  return tables;
}

}  // namespace

VegaTables read_earlier_schedule(const std::string& path, const Files& files) {
  const std::string text = files.read(path, most_picture_bytes, expected);
  bool deep = false;
  VegaTables picture = VegaTables::parse(
      text,
      [&deep](int depth, VegaTables::parse_event_t, VegaTables&) {
        deep = deep || depth > most_levels;
        return depth <= most_levels;
      },
      false);
  if (picture.is_discarded() || deep) refuse(path, "this is not the JSON of a picture");
  VegaTables tables = tables_of(path, picture);
  for (const Columns& columns :
       {Columns{"schedule", {"latency", "energy", "until", "bound"}, {"title"}},
        Columns{"layers", {}, {"label"}}, Columns{"rows", {"row", "lanes", "share"}, {"label"}},
        Columns{"nodes", {"node", "start", "end"}, {}}, Columns{"transfers", {"start", "end"}, {}},
        Columns{"blocks", {"start", "end"}, {}}, Columns{"dependencies", {"from", "to"}, {}},
        Columns{"memories", {"memory", "capacity"}, {"label"}},
        Columns{"steps", {"memory", "start", "end", "bits"}, {}},
        Columns{"times", {"cycles"}, {"resource", "use"}}, Columns{"cuts", {"pieces"}, {"layer", "loops"}}})
    check_rows(path, tables, columns);
  if (tables["schedule"].size() != 1) refuse(path, "it does not show one schedule");
  return tables;
}

}  // namespace zz::core
