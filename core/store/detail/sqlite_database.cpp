#include "core/store/detail/sqlite_database.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sqlite3.h>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/base/new_file.hpp"

namespace zz::core {
namespace {

constexpr int application = 0x7A7A5253;  ///< "zzRS"
constexpr const char* in_memory = ":memory:";
/// Steps of SQLite's machine between looks at whether the work is to end.
constexpr int steps_between_looks = 100'000;

/// The bytes that a file of SQLite must have by its first page; 0 where that does not say it.
std::uint64_t bytes_told(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char head[32] = {};
  if (!file.read(reinterpret_cast<char*>(head), sizeof head)) return 0;
  const auto number = [&](int at, int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | head[at + i];
    return value;
  };
  const std::uint64_t page = number(16, 2) == 1 ? 65536 : number(16, 2);
  return page * number(28, 4);
}

class SqliteStatement : public Statement {
 public:
  SqliteStatement(const SqliteDatabase& database, sqlite3* file, const std::string& text)
      : database_(database) {
    check(sqlite3_prepare_v2(file, text.c_str(), static_cast<int>(text.size()), &statement_, nullptr));
  }
  SqliteStatement(const SqliteStatement&) = delete;
  ~SqliteStatement() override { sqlite3_finalize(statement_); }

  SqliteStatement& reset() override {
    sqlite3_reset(statement_);  // repeats the code of the last step, which was told
    bound_ = 0;
    return *this;
  }
  SqliteStatement& bind(std::int64_t number) override {
    return check(sqlite3_bind_int64(statement_, ++bound_, number));
  }
  SqliteStatement& bind(double number) override {
    return check(sqlite3_bind_double(statement_, ++bound_, number));
  }
  SqliteStatement& bind(std::string_view text) override {
    return check(
        sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  SqliteStatement& bind(std::span<const unsigned char> bytes) override {
    return check(sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  }
  SqliteStatement& bind_null() override { return check(sqlite3_bind_null(statement_, ++bound_)); }

  bool step() override {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    database_.fail_by(code);
  }

  int columns() const override { return sqlite3_column_count(statement_); }
  std::string name(int column) const override { return sqlite3_column_name(statement_, column); }
  bool is_null(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) const override {
    check_number(column);
    return sqlite3_column_int64(statement_, column);
  }
  double real(int column) const override {
    check_number(column);
    return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                           : sqlite3_column_double(statement_, column);
  }
  std::string_view bytes(int column) const override {
    const void* const bytes = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  std::string text(int column) const override {
    const unsigned char* const text = sqlite3_column_text(statement_, column);
    return text != nullptr ? reinterpret_cast<const char*>(text) : "";
  }
  nlohmann::json json(int column) const override {
    switch (sqlite3_column_type(statement_, column)) {
      case SQLITE_INTEGER:
        return integer(column);
      case SQLITE_FLOAT:
        return real(column);
      case SQLITE_TEXT:
        return text(column);
      default:
        return nullptr;
    }
  }

 private:
  SqliteStatement& check(int code) {
    if (code != SQLITE_OK) database_.fail_by(code);
    return *this;
  }

  /// SQLite keeps anything in any column, and takes a text for 0.
  void check_number(int column) const {
    if (const int type = sqlite3_column_type(statement_, column);
        type == SQLITE_TEXT || type == SQLITE_BLOB)
      database_.fail(fmt::format("has no number where '{}' belongs; it is damaged", name(column)));
  }

  const SqliteDatabase& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace

SqliteDatabase::SqliteDatabase(const std::string& path, Access access, std::chrono::milliseconds patience)
    : Database(path, patience) {
  std::error_code problem;
  std::string place = path;
  if (path != in_memory) {
    try {
      place = place_of_file(path);
      if (access == Access::write) check_written_path(place);
    } catch (const std::runtime_error& refused) {
      fail(refused.what());
    }
    if (access == Access::read && !std::filesystem::exists(place, problem)) fail("there is no such file");
    if (access == Access::write)
      std::filesystem::create_directories(std::filesystem::path(place).parent_path(), problem);
  }
  // The path begins with '/', so it is no URI, whatever SQLite was built to take for one. Its links were
  // followed; one that has come since is refused.
  const int flags =
      SQLITE_OPEN_NOFOLLOW |
      (access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  try {
    if (const int code = sqlite3_open_v2(place.c_str(), &file_, flags, nullptr); code != SQLITE_OK)
      fail_by(code);
    sqlite3_busy_timeout(file_, static_cast<int>(patience.count()));
    // The file may be a stranger's: its views, triggers and expressions reach no function that does more
    // than compute and no other file, and texts are never taken for names.
    sqlite3_db_config(file_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(file_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(file_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(file_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(file_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    sqlite3_limit(file_, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_progress_handler(
        file_, steps_between_looks, [](void*) { return interruption_requested() ? 1 : 0; }, nullptr);
    execute("PRAGMA cache_size = -65536");  // KiB: keys are in no order, so any page may be next
    // The first look undoes what a killed program left half done.
    number("SELECT count(*) FROM sqlite_master");
    if (const std::uint64_t told = bytes_told(place);
        std::filesystem::exists(place, problem) && told > std::filesystem::file_size(place, problem))
      fail("is cut off: it lacks its end");
  } catch (...) {
    sqlite3_close(file_);
    throw;
  }
}

SqliteDatabase::~SqliteDatabase() { sqlite3_close(file_); }

const SqlWords& SqliteDatabase::words() const {
  static constexpr SqlWords own{"BLOB", "INTEGER PRIMARY KEY", "WITHOUT ROWID", {"", "", ""}};
  return own;
}

std::optional<int> SqliteDatabase::layout() {
  const std::int64_t found = number("PRAGMA user_version");
  if (found == 0 && number("SELECT count(*) FROM sqlite_master") == 0) return 0;
  if (number("PRAGMA application_id") == application) {
    // Only tables have rows of their own; what computes them may do so for ever.
    if (number("SELECT count(*) FROM sqlite_master WHERE name IN ('space', 'point', 'figure', 'failure', "
               "'answer', 'input', 'outcome', 'box', 'candidate', 'layer') AND (type = 'view' OR sql LIKE "
               "'CREATE VIRTUAL%')") > 0)
      fail("is damaged: one of its tables is none");
    return static_cast<int>(found);
  }
  if (number("SELECT count(*) FROM sqlite_master WHERE name IN ('points', 'inputs')") == 2)
    fail("is one of zz.sweep() of an earlier zz; name another one");
  return std::nullopt;
}

void SqliteDatabase::set_layout(int layout) {
  execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, layout));
}

std::unique_ptr<Statement> SqliteDatabase::prepare(const std::string& text) {
  return std::make_unique<SqliteStatement>(*this, file_, text);
}

void SqliteDatabase::begin(Change) { execute("BEGIN IMMEDIATE"); }

void SqliteDatabase::fail_by(int code) const {
  switch (code & 0xFF) {
    case SQLITE_INTERRUPT:
      throw Interrupted();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail_locked();
    case SQLITE_NOTADB:
      fail("is no store of zz: not a database of SQLite; name another one");
    case SQLITE_CORRUPT:
      fail("is damaged or cut off; what it has left stays as it is");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      fail("may not be written");
    case SQLITE_CANTOPEN:
      fail("cannot be opened");
    case SQLITE_FULL:
      fail("the disk is full; what was kept before stays");
    default:
      fail(file_ != nullptr ? sqlite3_errmsg(file_) : sqlite3_errstr(code));
  }
}

void SqliteDatabase::execute(const std::string& statements) {
  if (const int code = sqlite3_exec(file_, statements.c_str(), nullptr, nullptr, nullptr);
      code != SQLITE_OK)
    fail_by(code);
}

}  // namespace zz::core
