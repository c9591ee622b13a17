#pragma once
#include "core/store/detail/database.hpp"

struct sqlite3;

namespace zz::core {

/// A store in a file of SQLite.
class SqliteDatabase : public Database {
 public:
  SqliteDatabase(const std::string& path, Access access, std::chrono::milliseconds patience);
  ~SqliteDatabase() override;

  const SqlWords& words() const override;
  std::optional<int> layout() override;
  void set_layout(int layout) override;
  void execute(const std::string& statements) override;
  std::unique_ptr<Statement> prepare(const std::string& text) override;

  [[noreturn]] void fail_by(int code) const;

 private:
  void begin(Change change) override;
  void commit() override { execute("COMMIT"); }
  void roll_back() override { execute("ROLLBACK"); }

  sqlite3* file_ = nullptr;
};

}  // namespace zz::core
