#include "host/services/report_tables.hpp"

#include <fmt/format.h>
#include <utility>

#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/chain/place.hpp"
#include "host/services/run.hpp"
#include "host/values/error_sink.hpp"
#include "host/values/handle.hpp"

namespace zz::host {
namespace {

/// Stages above have more below them.
int stages_below(const zz_place* at) {
  int count = 0;
  for (const zz_place* place = at; place != nullptr; place = place->below) ++count;
  return count;
}

[[noreturn]] void refuse(const std::string& title, const std::string& what) {
  throw core::ValueError(core::ValueError::Problem::invalid, fmt::format("table '{}': {}", title, what));
}

std::vector<std::string> texts_of(core::Ref list, const std::string& title) {
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < core::count_of(list); ++i) {
    std::string_view text;
    if (!core::read_text(core::part_at(list, i), text)) refuse(title, "its columns are a list of texts");
    texts.emplace_back(text);
  }
  if (texts.empty()) refuse(title, "it has no columns");
  return texts;
}

std::vector<core::Value> row_of(core::Ref list, std::size_t columns, const std::string& title,
                                std::uint32_t number) {
  if (core::kind_of(list) != core::Kind::list || core::count_of(list) != columns)
    refuse(title, fmt::format("row {} is no list of {} cells", number, columns));
  std::vector<core::Value> cells;
  for (std::uint32_t i = 0; i < columns; ++i) {
    const core::Ref cell = core::part_at(list, i);
    const core::Kind kind = core::kind_of(cell);
    if (kind == core::Kind::list || kind == core::Kind::map || kind == core::Kind::object)
      refuse(title, fmt::format("cell {} of row {} is {}", i, number, core::describe(cell)));
    std::string_view text;
    cells.push_back(core::read_text(cell, text) ? core::Value::text(std::string(text))
                                                : core::value_of_part(cell));
  }
  return cells;
}

zz_status table(zz_place* at, zz_str title, zz_ref columns, zz_ref rows, zz_error* error) noexcept {
  try {
    ReportTable made;
    made.stage = at != nullptr ? at->label : "";
    made.title.assign(title.p, title.n);
    made.columns = texts_of(from_abi(columns), made.title);
    const core::Ref list = from_abi(rows);
    for (std::uint32_t i = 0; i < core::count_of(list); ++i)
      made.rows.push_back(row_of(core::part_at(list, i), made.columns.size(), made.title, i));
    current_run().tables.add(at, std::move(made));
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

}  // namespace

void ReportTables::add(const zz_place* at, ReportTable table) {
  Key key{-stages_below(at), table.stage, table.title};
  const std::lock_guard lock(mutex_);
  tables_.insert_or_assign(std::move(key), std::move(table));
}

std::vector<ReportTable> ReportTables::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<ReportTable> tables;
  for (const auto& [key, table] : tables_) tables.push_back(table);
  return tables;
}

const zz_report report_table{sizeof(zz_report), table};

}  // namespace zz::host
