#include "core/store/detail/database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/store/detail/postgres_database.hpp"
#include "core/store/detail/sqlite_database.hpp"
#include "core/store/result_store.hpp"

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

namespace {

struct TrustedServers {
  std::mutex mutex;
  std::set<std::string> urls;
};
/// Never destroyed: threads may open stores until the end.
TrustedServers& trusted_servers() {
  static auto* const all = new TrustedServers;
  return *all;
}

}  // namespace

void Database::trust(const std::string& url) {
  if (!is_url(url)) return;
  const std::lock_guard lock(trusted_servers().mutex);
  trusted_servers().urls.insert(url);
}

bool Database::is_trusted(const std::string& url) {
  const std::lock_guard lock(trusted_servers().mutex);
  return trusted_servers().urls.contains(url);
}

std::unique_ptr<Database> Database::open(const std::string& place, Access access,
                                         std::chrono::milliseconds patience) {
  if (is_url(place)) return std::make_unique<PostgresDatabase>(place, patience);
  return std::make_unique<SqliteDatabase>(place, access, patience);
}

std::int64_t Database::number(const std::string& query) {
  const std::unique_ptr<Statement> statement = prepare(query);
  return statement->step() ? statement->integer(0) : 0;
}

void Database::fail(const std::string& reason) const {
  throw StoreError(fmt::format("the store '{}': {}", name_, reason));
}

void Database::fail_locked() const {
  const double seconds = std::chrono::duration<double>(patience_).count();
  fail(fmt::format("is locked: another program has been writing it for {:g} s; nothing was changed",
                   seconds));
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string parameters(std::size_t count) {
  return fmt::format("({})", fmt::join(std::vector<const char*>(count, "?"), ", "));
}

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

Statement& Statements::operator()(const std::string& text) {
  std::unique_ptr<Statement>& kept = kept_[text];
  if (kept == nullptr) kept = database_.prepare(text);
  return kept->reset();
}

Transaction::Transaction(Database& database, Database::Change change) : database_(database) {
  database_.begin(change);
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.roll_back();
  } catch (const std::exception&) {
    // A full disk, a server that is gone or an interrupt has rolled it back already.
  }
}

void Transaction::commit() {
  database_.commit();
  open_ = false;
}

}  // namespace zz::core
