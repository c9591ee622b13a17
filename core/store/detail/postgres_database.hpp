#pragma once
#include "core/store/detail/database.hpp"

namespace zz::core {

/// A store in a database of a PostgreSQL server: the tables of the first schema of its search path. libpq
/// is loaded when the first of them is opened, so that nothing else needs it.
class PostgresDatabase : public Database {
 public:
  PostgresDatabase(const std::string& url, std::chrono::milliseconds patience);
  ~PostgresDatabase() override;

  const SqlWords& words() const override;
  std::optional<int> layout() override;
  void set_layout(int layout) override;
  void execute(const std::string& statements) override;
  std::unique_ptr<Statement> prepare(const std::string& text) override;

 private:
  class Connection;
  class PreparedStatement;

  void begin(Change change) override;
  void commit() override { execute("COMMIT"); }
  void roll_back() override { execute("ROLLBACK"); }

  std::unique_ptr<Connection> connection_;
  int prepared_ = 0;  ///< statements so far: each has a name of its own
};

/// A URL as messages show it.
std::string without_password(const std::string& url);

}  // namespace zz::core
