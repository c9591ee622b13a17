#include "core/store/detail/database.hpp"

#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/store/detail/postgres_database.hpp"
#include "core/store/detail/sqlite_database.hpp"

namespace zz::core {

Statement& Statement::bind(const nlohmann::json& value) {
  if (value.is_null()) return bind_null();
  if (value.is_boolean()) return bind(std::int64_t{value.get<bool>()});
  if (value.is_number_integer()) return bind(value.get<std::int64_t>());
  if (value.is_number()) return bind(value.get<double>());
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return bind(std::string_view(text));
}

bool Database::is_url(std::string_view place) {
  return place.starts_with("postgresql:") || place.starts_with("postgres:");
}

std::unique_ptr<Database> Database::open(const std::string& place, Access access) {
  if (is_url(place)) return std::make_unique<PostgresDatabase>(place);
  return std::make_unique<SqliteDatabase>(place, access);
}

std::int64_t Database::number(const std::string& query) {
  const std::unique_ptr<Statement> statement = prepare(query);
  return statement->step() ? statement->integer(0) : 0;
}

void Database::fail(const std::string& reason) const {
  throw InputError(fmt::format("the store '{}': {}", name_, reason));
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

Transaction::Transaction(Database& database, Database::Change change) : database_(database) {
  database_.begin(change);
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.roll_back();
  } catch (const InputError&) {
    // A full disk or a server that is gone has rolled it back already.
  }
}

void Transaction::commit() {
  database_.commit();
  open_ = false;
}

}  // namespace zz::core
