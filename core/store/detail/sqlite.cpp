#include "core/store/detail/sqlite.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sqlite3.h>

#include "core/base/diagnostics.hpp"
#include "core/base/new_file.hpp"

namespace zz::core {
namespace {

/// How long to wait for another program that writes.
constexpr int milliseconds_to_wait = 20000;

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

}  // namespace

SqliteFile::SqliteFile(const std::string& path, Access access) : path_(path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) fail("is a folder");
  if (access == Access::read && !std::filesystem::exists(path, problem)) fail("there is no such file");
  if (access == Access::write) {
    check_written_path(path);
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
      std::filesystem::create_directories(folder, problem);
  }
  const int flags =
      access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  try {
    if (const int code = sqlite3_open_v2(path.c_str(), &file_, flags, nullptr); code != SQLITE_OK)
      fail_by(code);
    sqlite3_busy_timeout(file_, milliseconds_to_wait);
    // What a killed program left half done is undone by the first look.
    number("SELECT count(*) FROM sqlite_master");
    if (const std::uint64_t told = bytes_told(path);
        std::filesystem::exists(path, problem) && told > std::filesystem::file_size(path, problem))
      fail("is cut off: it lacks its end");
  } catch (...) {
    sqlite3_close(file_);
    throw;
  }
}

SqliteFile::~SqliteFile() { sqlite3_close(file_); }

void SqliteFile::fail(const std::string& reason) const {
  throw InputError(fmt::format("the store '{}': {}", path_, reason));
}

void SqliteFile::fail_by(int code) const {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail(fmt::format("is locked: another program has been writing it for {} s",
                       milliseconds_to_wait / 1000));
    case SQLITE_NOTADB:
      fail("is no store of zz: it is no SQLite file; name another one");
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

void SqliteFile::execute(const std::string& statements) {
  if (const int code = sqlite3_exec(file_, statements.c_str(), nullptr, nullptr, nullptr);
      code != SQLITE_OK)
    fail_by(code);
}

std::int64_t SqliteFile::number(const std::string& query) {
  SqliteStatement statement(*this, query);
  return statement.step() ? statement.integer(0) : 0;
}

SqliteStatement::SqliteStatement(SqliteFile& file, const std::string& text) : file_(file) {
  check(sqlite3_prepare_v2(file.file_, text.c_str(), static_cast<int>(text.size()), &statement_, nullptr));
}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(statement_); }

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) file_.fail_by(code);
}

SqliteStatement& SqliteStatement::reset() {
  sqlite3_reset(statement_);  // repeats the code of the last step, which was told
  bound_ = 0;
  return *this;
}

SqliteStatement& SqliteStatement::bind(std::int64_t number) {
  check(sqlite3_bind_int64(statement_, ++bound_, number));
  return *this;
}
SqliteStatement& SqliteStatement::bind(double number) {
  check(sqlite3_bind_double(statement_, ++bound_, number));
  return *this;
}
SqliteStatement& SqliteStatement::bind(std::string_view text) {
  check(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}
SqliteStatement& SqliteStatement::bind(std::span<const unsigned char> bytes) {
  check(sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}
SqliteStatement& SqliteStatement::bind(const nlohmann::json& value) {
  if (value.is_null()) return bind_null();
  if (value.is_boolean()) return bind(std::int64_t{value.get<bool>()});
  if (value.is_number_integer()) return bind(value.get<std::int64_t>());
  if (value.is_number()) return bind(value.get<double>());
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return bind(std::string_view(text));
}
SqliteStatement& SqliteStatement::bind_null() {
  check(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  file_.fail_by(code);
}

int SqliteStatement::columns() const { return sqlite3_column_count(statement_); }
std::string SqliteStatement::name(int column) const { return sqlite3_column_name(statement_, column); }
bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
std::int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double SqliteStatement::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : sqlite3_column_double(statement_, column);
}
std::string_view SqliteStatement::bytes(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
std::string SqliteStatement::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_, column);
  return text != nullptr ? reinterpret_cast<const char*>(text) : "";
}
nlohmann::json SqliteStatement::json(int column) const {
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

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

SqliteTransaction::SqliteTransaction(SqliteFile& file) : file_(file) { file_.execute("BEGIN IMMEDIATE"); }

SqliteTransaction::~SqliteTransaction() {
  if (!open_) return;
  try {
    file_.execute("ROLLBACK");
  } catch (const InputError&) {
    // A full disk has rolled it back already.
  }
}

void SqliteTransaction::commit() {
  file_.execute("COMMIT");
  open_ = false;
}

}  // namespace zz::core
