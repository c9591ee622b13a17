#include "host/boundary/messages.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/base/run.hpp"
#include "host/chain/place.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

std::int32_t log_enabled(std::int32_t level) noexcept {
  return is_shown(static_cast<LogLevel>(level)) ? 1 : 0;
}

void write_log(zz_place* at, std::int32_t level, const char* text, std::size_t size) noexcept {
  if (text == nullptr) return;
  const int bounded = level < 0 ? 0 : level > 4 ? 4 : level;
  const std::string message = core::message_text({text, size});
  log(static_cast<LogLevel>(bounded), at != nullptr ? at->name + ": " + message : message);
}

void begin_progress(zz_place* at, const char* label, std::size_t size, std::uint64_t total) noexcept {
  current_run().progress.begin(at, {label != nullptr ? label : "", label != nullptr ? size : 0}, total);
}
void advance_progress(zz_place* at, std::uint64_t steps) noexcept {
  current_run().progress.advance(at, steps);
}
void end_progress(zz_place* at) noexcept { current_run().progress.end(at); }
void count_progress(zz_place*, const char* what, std::size_t size, std::uint64_t amount) noexcept {
  current_run().progress.count({what != nullptr ? what : "", what != nullptr ? size : 0}, amount);
}

/// Stages above have more below them.
int stages_below(const zz_place* at) {
  int count = 0;
  for (const zz_place* place = at; place != nullptr; place = place->below) ++count;
  return count;
}

[[noreturn]] void refuse_table(const std::string& title, const std::string& what) {
  throw core::ValueError(core::ValueError::Problem::invalid, fmt::format("table '{}': {}", title, what));
}

std::vector<std::string> texts_of(core::Ref list, const std::string& title) {
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < core::count_of(list); ++i) {
    std::string_view text;
    if (!core::read_text(core::part_at(list, i), text))
      refuse_table(title, "its columns are a list of texts");
    texts.emplace_back(text);
  }
  if (texts.empty()) refuse_table(title, "it has no columns");
  return texts;
}

std::vector<core::Value> row_of(core::Ref list, std::size_t columns, const std::string& title,
                                std::uint32_t number) {
  if (core::kind_of(list) != core::Kind::list || core::count_of(list) != columns)
    refuse_table(title, fmt::format("row {} is no list of {} cells", number, columns));
  std::vector<core::Value> cells;
  for (std::uint32_t i = 0; i < columns; ++i) {
    const core::Ref cell = core::part_at(list, i);
    const core::Kind kind = core::kind_of(cell);
    if (kind == core::Kind::list || kind == core::Kind::map || kind == core::Kind::object)
      refuse_table(title, fmt::format("cell {} of row {} is {}", i, number, core::describe(cell)));
    std::string_view text;
    cells.push_back(core::read_text(cell, text) ? core::Value::text(std::string(text))
                                                : core::value_of_part(cell));
  }
  return cells;
}

zz_status add_table(zz_place* at, zz_str title, zz_ref columns, zz_ref rows, zz_error* error) noexcept {
  try {
    ReportTable made;
    made.stage = at != nullptr ? at->label : "";
    made.title.assign(title.p, title.n);
    made.columns = texts_of(from_abi(columns), made.title);
    const core::Ref list = from_abi(rows);
    for (std::uint32_t i = 0; i < core::count_of(list); ++i)
      made.rows.push_back(row_of(core::part_at(list, i), made.columns.size(), made.title, i));
    current_run().tables.add(stages_below(at), std::move(made));
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

}  // namespace

const zz_log log_table{sizeof(zz_log), log_enabled, write_log};
const zz_progress progress_table{sizeof(zz_progress), begin_progress, advance_progress, end_progress,
                                 count_progress};
const zz_report report_table{sizeof(zz_report), add_table};

}  // namespace zz::host
