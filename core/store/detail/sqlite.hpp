#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace zz::core {

/// A connection to an SQLite file. Functions throw InputError with the file and the reason; what the file
/// has is then as it was before the transaction. [serial]
class SqliteFile {
 public:
  enum class Access { read, write };

  /// With `write` the file is made where there is none.
  SqliteFile(const std::string& path, Access access);
  SqliteFile(const SqliteFile&) = delete;
  ~SqliteFile();

  const std::string& path() const { return path_; }
  /// Runs statements that give no rows.
  void execute(const std::string& statements);
  std::int64_t number(const std::string& query);

  [[noreturn]] void fail(const std::string& reason) const;

 private:
  friend class SqliteStatement;
  [[noreturn]] void fail_by(int code) const;

  std::string path_;
  sqlite3* file_ = nullptr;
};

/// A prepared statement: bind its parameters in order, then step through its rows. [serial]
class SqliteStatement {
 public:
  SqliteStatement(SqliteFile& file, const std::string& text);
  SqliteStatement(const SqliteStatement&) = delete;
  ~SqliteStatement();

  /// Begins anew, without parameters.
  SqliteStatement& reset();
  SqliteStatement& bind(std::int64_t number);
  SqliteStatement& bind(double number);  ///< NULL for what is no number
  SqliteStatement& bind(std::string_view text);
  SqliteStatement& bind(std::span<const unsigned char> bytes);
  SqliteStatement& bind(const nlohmann::json& value);  ///< lists and maps as their text
  SqliteStatement& bind_null();

  /// False at the end.
  bool step();
  /// For statements without rows.
  void run() {
    while (step()) {
    }
  }

  int columns() const;
  std::string name(int column) const;
  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;  ///< not a number where it is NULL
  std::string text(int column) const;
  std::string_view bytes(int column) const;  ///< until the next step
  nlohmann::json json(int column) const;

 private:
  void check(int code) const;

  SqliteFile& file_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// A name of a table or a column as SQL takes it.
std::string quoted_name(std::string_view name);

/// Changes of a file that are kept together or not at all: dropped unless commit() is called.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteFile& file);
  SqliteTransaction(const SqliteTransaction&) = delete;
  ~SqliteTransaction();
  void commit();

 private:
  SqliteFile& file_;
  bool open_ = true;
};

}  // namespace zz::core
