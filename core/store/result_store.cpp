#include "core/store/result_store.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/store/detail/sqlite.hpp"

namespace zz::core {
namespace {

using Names = std::vector<std::string>;

constexpr int layout = 2;
constexpr int application = 0x7A7A5253;  ///< "zzRS"
/// What comes within this time is written together, because disks take theirs.
constexpr std::chrono::milliseconds time_together{250};

constexpr const char* lasting_tables =
    "CREATE TABLE space (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE figure (key BLOB NOT NULL, name TEXT NOT NULL, value REAL, bound REAL, PRIMARY KEY (key, "
    "name)) "
    "WITHOUT ROWID;"
    "CREATE TABLE failure (key BLOB PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE answer (key BLOB PRIMARY KEY, value REAL, bound REAL, gap REAL, mapping TEXT) WITHOUT "
    "ROWID;";

constexpr const char* without_space =
    "DROP VIEW IF EXISTS front; DROP VIEW IF EXISTS figures; DROP TABLE IF EXISTS point; DROP TABLE IF "
    "EXISTS box; "
    "DROP TABLE IF EXISTS candidate;";

/// "(2, 3)" as text, for columns that hold lists.
template <class Numbers>
std::string list_text(const Numbers& numbers) {
  return nlohmann::json(numbers).dump();
}

std::string columns_of(const Names& names, const std::string& before, const std::string& after = "") {
  std::string text;
  for (const std::string& name : names) text += ", " + before + quoted_name(name) + after;
  return text;
}

/// The tables and views whose columns are those of a space.
std::string tables_of(const StoredSpace& space) {
  std::string text =
      "CREATE TABLE point (number INTEGER PRIMARY KEY, key BLOB NOT NULL, state TEXT NOT NULL, reason "
      "TEXT" +
      columns_of(space.axes, "") + columns_of(space.metrics, "", " REAL") + ");";
  text +=
      "CREATE TABLE box (lower TEXT NOT NULL, upper TEXT NOT NULL, bounds TEXT NOT NULL, reason TEXT NOT "
      "NULL);";
  text += "CREATE TABLE candidate (number INTEGER PRIMARY KEY);";
  std::string figures, bounds, joins;
  for (std::size_t i = 0; i < space.figures.size(); ++i) {
    const std::string alias = fmt::format("f{}", i);
    figures += fmt::format(", {}.value AS {}", alias, quoted_name(space.figures[i]));
    bounds += fmt::format(", {}.bound AS {}", alias, quoted_name(space.figures[i] + "_bound"));
    joins += fmt::format(" LEFT JOIN figure {0} ON {0}.key = p.key AND {0}.name = '{1}'", alias,
                         space.figures[i]);
  }
  text += "CREATE VIEW figures AS SELECT p.number AS point" + columns_of(space.axes, "p.") + figures +
          columns_of(space.metrics, "p.") + bounds + ", p.state, p.reason FROM point p" + joins + ";";
  std::string no_worse, better;
  for (const std::string& objective : space.objectives) {
    const std::string name = quoted_name(objective);
    no_worse += fmt::format("{}g.{} <= f.{}", no_worse.empty() ? "" : " AND ", name, name);
    better += fmt::format("{}g.{} < f.{}", better.empty() ? "" : " OR ", name, name);
  }
  Names bound_names;
  for (const std::string& figure : space.figures) bound_names.push_back(figure + "_bound");
  text += "CREATE VIEW front AS SELECT f.point" + columns_of(space.axes, "f.") +
          columns_of(space.figures, "f.") + columns_of(space.metrics, "f.") +
          columns_of(bound_names, "f.") + " FROM candidate c JOIN figures f ON f.point = c.number";
  if (!no_worse.empty())
    text += " WHERE NOT EXISTS (SELECT 1 FROM candidate d JOIN figures g ON g.point = d.number WHERE " +
            no_worse + " AND (" + better + "))";
  return text + ";";
}

StoredTable rows_of(SqliteStatement& statement) {
  StoredTable table;
  for (int i = 0; i < statement.columns(); ++i) table.columns.push_back(statement.name(i));
  while (statement.step()) {
    auto& row = table.rows.emplace_back();
    for (int i = 0; i < statement.columns(); ++i) row.push_back(statement.json(i));
  }
  return table;
}

void bind_or_null(SqliteStatement& statement, double number) {
  if (std::isnan(number))
    statement.bind_null();
  else
    statement.bind(number);
}

}  // namespace

const char* to_string(PointState state) {
  constexpr const char* words[] = {"done", "beyond", "infeasible"};
  return words[static_cast<int>(state)];
}

struct ResultStore::Parts {
  Parts(const std::string& path, Access access)
      : file(path, access == Access::read ? SqliteFile::Access::read : SqliteFile::Access::write) {
    if (access == Access::write) make_tables();
    const std::int64_t found = file.number("PRAGMA user_version");
    if (file.number("PRAGMA application_id") != application) {
      if (file.number("SELECT count(*) FROM sqlite_master WHERE name IN ('points', 'inputs')") == 2)
        file.fail("is one of zz.sweep(), which a design space does not share; name another one");
      file.fail("is no store of zz; name another one");
    }
    if (found != layout)
      file.fail(fmt::format("has layout {}, and this zz reads layout {}; name another one", found, layout));
  }

  void make_tables() {
    if (file.number("PRAGMA user_version") != 0 || file.number("SELECT count(*) FROM sqlite_master") != 0)
      return;
    SqliteTransaction transaction(file);
    if (file.number("SELECT count(*) FROM sqlite_master") != 0) return;  // another program was faster
    file.execute(lasting_tables);
    file.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, layout));
    transaction.commit();
  }

  std::string fact(const char* name) {
    SqliteStatement statement(file, "SELECT value FROM space WHERE name = ?");
    statement.bind(std::string_view(name));
    return statement.step() ? statement.text(0) : "";
  }
  void set_fact(const char* name, const std::string& value) {
    SqliteStatement statement(file, "INSERT OR REPLACE INTO space VALUES (?, ?)");
    statement.bind(std::string_view(name)).bind(std::string_view(value)).run();
  }

  StoredSpace read_space() {
    StoredSpace found;
    found.identity = fact("identity");
    found.text = fact("text");
    if (found.text.empty()) file.fail("has no space yet: no run has begun with it");
    const auto names = [&](const char* fact_name) {
      return nlohmann::json::parse(fact(fact_name)).get<Names>();
    };
    found.axes = names("axes");
    found.figures = names("figures");
    found.metrics = names("metrics");
    found.objectives = names("objectives");
    return found;
  }

  SqliteStatement& prepared(std::unique_ptr<SqliteStatement>& statement, const std::string& text) {
    if (statement == nullptr) statement = std::make_unique<SqliteStatement>(file, text);
    return statement->reset();
  }

  mutable std::mutex mutex;
  SqliteFile file;
  StoredSpace space;
  std::vector<std::function<void()>> waiting;
  std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();
  std::unique_ptr<SqliteStatement> find_figure, find_failure, find_answer, find_point;
  std::unique_ptr<SqliteStatement> put_figure, put_failure, put_answer, put_point, put_candidate,
      drop_candidate;
};

ResultStore::ResultStore(const std::string& path, Access access) {
  if (path.starts_with("postgresql:") || path.starts_with("postgres:"))
    throw InputError("the store '" + path + "': this zz keeps results in SQLite files; name one");
  parts_ = std::make_unique<Parts>(path, access);
}

ResultStore::~ResultStore() = default;

void ResultStore::begin(const StoredSpace& space) {
  const std::lock_guard lock(parts_->mutex);
  SqliteTransaction transaction(parts_->file);
  const std::string identity = parts_->fact("identity"), text = parts_->fact("text");
  if (!identity.empty() && identity != space.identity) {
    const auto own = nlohmann::json::parse(identity), other = nlohmann::json::parse(space.identity);
    std::string differs;
    for (const auto& [name, value] : other.items())
      if (!own.contains(name) || own[name] != value) differs += (differs.empty() ? "" : ", ") + name;
    parts_->file.fail(fmt::format("is of another space: {} {} another one there; name another store",
                                  differs, differs.find(',') == std::string::npos ? "is" : "are"));
  }
  parts_->space = space;
  if (text != space.text) {
    parts_->file.execute(without_space);
    parts_->file.execute(tables_of(space));
    parts_->set_fact("identity", space.identity);
    parts_->set_fact("text", space.text);
    parts_->set_fact("axes", list_text(space.axes));
    parts_->set_fact("figures", list_text(space.figures));
    parts_->set_fact("metrics", list_text(space.metrics));
    parts_->set_fact("objectives", list_text(space.objectives));
  }
  transaction.commit();
}

StoredSpace ResultStore::space() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->read_space();
}

std::optional<StoredFigure> ResultStore::figure(const ContentKey& key, const std::string& name) const {
  const std::lock_guard lock(parts_->mutex);
  SqliteStatement& find =
      parts_->prepared(parts_->find_figure, "SELECT value, bound FROM figure WHERE key = ? AND name = ?");
  find.bind(std::span<const unsigned char>(key)).bind(std::string_view(name));
  if (!find.step()) return std::nullopt;
  const StoredFigure found{find.real(0), find.real(1)};
  find.reset();
  return found;
}

std::optional<std::string> ResultStore::failure(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  SqliteStatement& find =
      parts_->prepared(parts_->find_failure, "SELECT reason FROM failure WHERE key = ?");
  find.bind(std::span<const unsigned char>(key));
  if (!find.step()) return std::nullopt;
  std::string found = find.text(0);
  find.reset();
  return found;
}

std::optional<StoredAnswer> ResultStore::answer(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  SqliteStatement& find =
      parts_->prepared(parts_->find_answer, "SELECT value, bound, gap, mapping FROM answer WHERE key = ?");
  find.bind(std::span<const unsigned char>(key));
  if (!find.step()) return std::nullopt;
  StoredAnswer found{find.real(0), find.real(1), find.real(2), find.text(3)};
  if (std::isnan(found.value)) found.value = std::numeric_limits<double>::infinity();
  if (std::isnan(found.bound)) found.bound = std::numeric_limits<double>::infinity();
  find.reset();
  return found;
}

std::optional<StoredPoint> ResultStore::point(std::uint64_t number) const {
  const std::lock_guard lock(parts_->mutex);
  SqliteStatement& find = parts_->prepared(
      parts_->find_point, "SELECT key, state, reason" + columns_of(parts_->space.axes, "") +
                              columns_of(parts_->space.metrics, "") + " FROM point WHERE number = ?");
  find.bind(static_cast<std::int64_t>(number));
  if (!find.step()) return std::nullopt;
  StoredPoint found{
      .number = number, .key = {}, .state = {}, .reason = find.text(2), .axes = {}, .metrics = {}};
  const std::string_view key = find.bytes(0);
  std::copy_n(key.begin(), std::min(key.size(), found.key.size()), found.key.begin());
  for (const PointState state : {PointState::done, PointState::beyond, PointState::infeasible})
    if (find.text(1) == to_string(state)) found.state = state;
  int column = 3;
  for (std::size_t i = 0; i < parts_->space.axes.size(); ++i) found.axes.push_back(find.json(column++));
  for (std::size_t i = 0; i < parts_->space.metrics.size(); ++i)
    found.metrics.push_back(find.real(column++));
  find.reset();
  return found;
}

void ResultStore::add_figure(const ContentKey& key, const std::string& name, const StoredFigure& figure) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this, key, name, figure] {
    SqliteStatement& put =
        parts_->prepared(parts_->put_figure, "INSERT OR REPLACE INTO figure VALUES (?, ?, ?, ?)");
    put.bind(std::span<const unsigned char>(key)).bind(std::string_view(name));
    bind_or_null(put, figure.value);
    bind_or_null(put, figure.bound);
    put.run();
  });
}

void ResultStore::add_failure(const ContentKey& key, const std::string& reason) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this, key, reason] {
    SqliteStatement& put =
        parts_->prepared(parts_->put_failure, "INSERT OR REPLACE INTO failure VALUES (?, ?)");
    put.bind(std::span<const unsigned char>(key)).bind(std::string_view(reason)).run();
  });
}

void ResultStore::add_answer(const ContentKey& key, const StoredAnswer& answer) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this, key, answer] {
    SqliteStatement& put =
        parts_->prepared(parts_->put_answer, "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)");
    put.bind(std::span<const unsigned char>(key));
    put.bind(answer.value).bind(answer.bound).bind(answer.gap).bind(std::string_view(answer.mapping)).run();
  });
}

void ResultStore::add_point(const StoredPoint& point) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this, point] {
    std::string places = "?, ?, ?, ?";
    for (std::size_t i = 0; i < point.axes.size() + point.metrics.size(); ++i) places += ", ?";
    SqliteStatement& put =
        parts_->prepared(parts_->put_point, "INSERT OR REPLACE INTO point VALUES (" + places + ")");
    put.bind(static_cast<std::int64_t>(point.number)).bind(std::span<const unsigned char>(point.key));
    put.bind(std::string_view(to_string(point.state)));
    if (point.reason.empty())
      put.bind_null();
    else
      put.bind(std::string_view(point.reason));
    for (const nlohmann::json& value : point.axes) put.bind(value);
    for (const double metric : point.metrics) bind_or_null(put, metric);
    put.run();
  });
}

void ResultStore::add_box(const StoredBox& box) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this, box] {
    SqliteStatement put(parts_->file, "INSERT INTO box VALUES (?, ?, ?, ?)");
    const std::string lower = list_text(box.lower), upper = list_text(box.upper),
                      bounds = list_text(box.bounds);
    put.bind(std::string_view(lower)).bind(std::string_view(upper)).bind(std::string_view(bounds));
    put.bind(std::string_view(box.reason)).run();
  });
}

void ResultStore::add_candidate(std::uint64_t number) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this, number] {
    parts_->prepared(parts_->put_candidate, "INSERT OR IGNORE INTO candidate VALUES (?)")
        .bind(static_cast<std::int64_t>(number))
        .run();
  });
}

void ResultStore::remove_candidate(std::uint64_t number) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this, number] {
    parts_->prepared(parts_->drop_candidate, "DELETE FROM candidate WHERE number = ?")
        .bind(static_cast<std::int64_t>(number))
        .run();
  });
}

void ResultStore::remove_boxes() {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.emplace_back([this] { parts_->file.execute("DELETE FROM box"); });
}

void ResultStore::write() {
  const std::lock_guard lock(parts_->mutex);
  parts_->written = std::chrono::steady_clock::now();
  if (parts_->waiting.empty()) return;
  SqliteTransaction transaction(parts_->file);
  // Another program may have begun another space in this file since.
  if (parts_->fact("text") != parts_->space.text)
    parts_->file.fail("has been given another space by another program since this run began");
  for (const auto& change : parts_->waiting) change();
  transaction.commit();
  parts_->waiting.clear();
}

void ResultStore::write_if_due() {
  if (std::chrono::steady_clock::now() - parts_->written > time_together) write();
}

StoredTable ResultStore::front() const {
  const std::lock_guard lock(parts_->mutex);
  std::string order;
  for (const std::string& objective : parts_->read_space().objectives)
    order += quoted_name(objective) + ", ";
  SqliteStatement statement(parts_->file, "SELECT * FROM front ORDER BY " + order + "point");
  return rows_of(statement);
}

StoredTable ResultStore::figures_of(std::uint64_t number) const {
  const std::lock_guard lock(parts_->mutex);
  parts_->read_space();
  SqliteStatement statement(parts_->file, "SELECT * FROM figures WHERE point = ?");
  statement.bind(static_cast<std::int64_t>(number));
  return rows_of(statement);
}

std::vector<StoredBox> ResultStore::boxes() const {
  const std::lock_guard lock(parts_->mutex);
  parts_->read_space();
  SqliteStatement statement(parts_->file, "SELECT lower, upper, bounds, reason FROM box");
  std::vector<StoredBox> boxes;
  const auto numbers = [&](int column) { return nlohmann::json::parse(statement.text(column)); };
  while (statement.step()) {
    StoredBox& box = boxes.emplace_back();
    box.lower = numbers(0).get<std::vector<std::uint32_t>>();
    box.upper = numbers(1).get<std::vector<std::uint32_t>>();
    for (const nlohmann::json& bound : numbers(2))
      box.bounds.push_back(bound.is_number() ? bound.get<double>()
                                             : std::numeric_limits<double>::infinity());
    box.reason = statement.text(3);
  }
  return boxes;
}

std::uint64_t ResultStore::count(PointState state) const {
  const std::lock_guard lock(parts_->mutex);
  SqliteStatement statement(parts_->file, "SELECT count(*) FROM point WHERE state = ?");
  statement.bind(std::string_view(to_string(state)));
  return statement.step() ? static_cast<std::uint64_t>(statement.integer(0)) : 0;
}

void ResultStore::merge(const std::string& other) {
  const StoredSpace space_of_other = ResultStore(other, Access::read).space();
  {
    const std::lock_guard lock(parts_->mutex);
    if (const std::string text = parts_->fact("text"); !text.empty() && text != space_of_other.text)
      parts_->file.fail(fmt::format("is of another space than '{}'; nothing of that was added", other));
  }
  begin(space_of_other);
  const std::lock_guard lock(parts_->mutex);
  {
    SqliteStatement attach(parts_->file, "ATTACH DATABASE ? AS other");
    attach.bind(std::string_view(other)).run();
  }
  try {
    SqliteTransaction transaction(parts_->file);
    parts_->file.execute(
        "INSERT OR IGNORE INTO figure SELECT * FROM other.figure;"
        "INSERT OR IGNORE INTO failure SELECT * FROM other.failure;"
        "INSERT OR IGNORE INTO answer SELECT * FROM other.answer;"
        "INSERT OR IGNORE INTO point SELECT * FROM other.point;"
        "INSERT OR IGNORE INTO candidate SELECT * FROM other.candidate;"
        "INSERT INTO box SELECT * FROM other.box;");
    transaction.commit();
  } catch (...) {
    parts_->file.execute("DETACH DATABASE other");
    throw;
  }
  parts_->file.execute("DETACH DATABASE other");
}

bool ResultStore::is_store(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(15, '\0');
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == "SQLite format 3";
}

}  // namespace zz::core
