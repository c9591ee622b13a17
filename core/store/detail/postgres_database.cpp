#include "core/store/detail/postgres_database.hpp"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/new_file.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/store/result_store.hpp"

namespace zz::core {
namespace {

/// SKIP LOCKED and ON CONFLICT came with it.
constexpr int oldest_server = 90500;
/// The lock that changes of tables have for themselves and changes of rows share: "zzRS".
constexpr int lock_of_stores = 0x7A7A5253;

/// The functions of libpq that are called.
struct Libpq {
  boost::dll::shared_library library{"libpq.so.5", boost::dll::load_mode::rtld_now |
                                                       boost::dll::load_mode::rtld_local |
                                                       boost::dll::load_mode::search_system_folders};
  template <class Function>
  Function* function(const char* name) {
    return &library.get<Function>(name);
  }
  decltype(PQconnectdbParams)* connect = function<decltype(PQconnectdbParams)>("PQconnectdbParams");
  decltype(PQconninfoParse)* parse = function<decltype(PQconninfoParse)>("PQconninfoParse");
  decltype(PQconninfoFree)* free_options = function<decltype(PQconninfoFree)>("PQconninfoFree");
  decltype(PQfreemem)* free_text = function<decltype(PQfreemem)>("PQfreemem");
  decltype(PQstatus)* status = function<decltype(PQstatus)>("PQstatus");
  decltype(PQfinish)* finish = function<decltype(PQfinish)>("PQfinish");
  decltype(PQerrorMessage)* error = function<decltype(PQerrorMessage)>("PQerrorMessage");
  decltype(PQserverVersion)* version = function<decltype(PQserverVersion)>("PQserverVersion");
  decltype(PQsetNoticeProcessor)* set_notices =
      function<decltype(PQsetNoticeProcessor)>("PQsetNoticeProcessor");
  decltype(PQexec)* exec = function<decltype(PQexec)>("PQexec");
  decltype(PQprepare)* prepare = function<decltype(PQprepare)>("PQprepare");
  decltype(PQexecPrepared)* exec_prepared = function<decltype(PQexecPrepared)>("PQexecPrepared");
  decltype(PQresultStatus)* result_status = function<decltype(PQresultStatus)>("PQresultStatus");
  decltype(PQresultErrorField)* error_field = function<decltype(PQresultErrorField)>("PQresultErrorField");
  decltype(PQclear)* clear = function<decltype(PQclear)>("PQclear");
  decltype(PQntuples)* rows = function<decltype(PQntuples)>("PQntuples");
  decltype(PQnfields)* columns = function<decltype(PQnfields)>("PQnfields");
  decltype(PQfname)* column_name = function<decltype(PQfname)>("PQfname");
  decltype(PQftype)* column_type = function<decltype(PQftype)>("PQftype");
  decltype(PQgetisnull)* is_null = function<decltype(PQgetisnull)>("PQgetisnull");
  decltype(PQgetvalue)* value = function<decltype(PQgetvalue)>("PQgetvalue");
  decltype(PQgetlength)* length = function<decltype(PQgetlength)>("PQgetlength");
};

/// Loaded once and never unloaded.
const Libpq& libpq() {
  static const auto* const loaded = [] {
    try {
      return new Libpq;
    } catch (const std::exception&) {
      throw StoreError(
          "a store on a PostgreSQL server needs libpq, which this system does not have; install it "
          "(Debian: the package libpq5)");
    }
  }();
  return *loaded;
}

struct ClearResult {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using ResultPointer = std::unique_ptr<PGresult, ClearResult>;

/// Parameters as PostgreSQL numbers them. A '?' in a quoted name is none.
std::string with_numbers(const std::string& text) {
  std::string numbered;
  char quote = 0;
  int number = 0;
  for (const char c : text) {
    if (quote == 0 && c == '?') {
      numbered += fmt::format("${}", ++number);
      continue;
    }
    if (c == '"' || c == '\'') quote = quote == 0 ? c : quote == c ? 0 : quote;
    numbered += c;
  }
  return numbered;
}

/// Oids of types, as the server's catalogue numbers them.
enum TypeOid : Oid {
  of_bool = 16,
  of_bytea = 17,
  of_int8 = 20,
  of_int2 = 21,
  of_int4 = 23,
  of_float4 = 700,
  of_float8 = 701,
  of_numeric = 1700
};

}  // namespace

std::string without_password(const std::string& url) {
  std::string shown = url;
  const std::size_t scheme = shown.find("://");
  if (scheme != std::string::npos) {
    const std::size_t begin = scheme + 3, end = std::min(shown.find_first_of("/?", begin), shown.size());
    const std::size_t at = shown.rfind('@', end), colon = shown.find(':', begin);
    if (at != std::string::npos && at >= begin && colon < at) shown.erase(colon, at - colon);
  }
  if (const std::size_t given = shown.find("password="); given != std::string::npos)
    shown.replace(given + 9, std::min(shown.find('&', given), shown.size()) - given - 9, "...");
  return shown;
}

class PostgresDatabase::Connection {
 public:
  Connection(const PostgresDatabase& database, const std::string& url) : database_(database) {
    const bool trusted = is_trusted(url);
    if (!trusted) refuse_secrets(url);
    // Parameters before the URL are for what that does not say; those behind it hold all the same.
    constexpr const char* nowhere = "/dev/null/none";
    const std::string timeout =
        std::to_string(std::chrono::ceil<std::chrono::seconds>(database_.patience()).count());
    std::vector<const char*> names{"connect_timeout", "fallback_application_name", "dbname",
                                   "client_encoding"},
        values{timeout.c_str(), "zz-host", url.c_str(), "UTF8"};
    if (!trusted) {
      names.insert(names.end(), {"passfile", "sslcert", "sslkey", "gssencmode"});
      values.insert(values.end(), {nowhere, nowhere, nowhere, "disable"});
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    connection_ = libpq().connect(names.data(), values.data(), 1);
    if (libpq().status(connection_) != CONNECTION_OK) {
      std::string reason = on_one_line(libpq().error(connection_));
      if (const std::size_t at = reason.find(url); at != std::string::npos)
        reason.replace(at, url.size(), database_.name());
      libpq().finish(connection_);
      database_.fail("cannot be reached: " + reason);
    }
    libpq().set_notices(
        connection_, [](void*, const char*) {}, nullptr);
  }
  Connection(const Connection&) = delete;
  ~Connection() { libpq().finish(connection_); }

  PGconn* get() const { return connection_; }

  /// A server that only a pipeline names gets no password that the user keeps for others: libpq would take
  /// it from the environment or from a service, whoever asks.
  void refuse_secrets(const std::string& url) const {
    const auto refuse = [&](const std::string& what) {
      database_.fail(
          fmt::format("only the pipeline names this server, and {}; to connect with it, name the server "
                      "yourself, as by "
                      "--set ExplorationStage.store=URL",
                      what));
    };
    char* wrong = nullptr;
    PQconninfoOption* const given = libpq().parse(url.c_str(), &wrong);
    std::string file;
    for (const PQconninfoOption* option = given; option != nullptr && option->keyword != nullptr; ++option)
      for (const std::string_view name : {"service", "servicefile", "passfile", "sslkey", "sslcert"})
        if (option->val != nullptr && name == option->keyword) file = name;
    libpq().free_options(given);
    libpq().free_text(wrong);
    if (!file.empty()) refuse(fmt::format("its URL has '{}', which reads a file of yours", file));
    for (const char* const variable : {"PGSERVICE", "PGSERVICEFILE", "PGPASSWORD"})
      if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0')
        refuse(fmt::format("the environment has {}, which it would get", variable));
  }

  /// The outcome of a command, if it is well.
  ResultPointer checked(PGresult* raw) const {
    ResultPointer result(raw);
    const ExecStatusType status = libpq().result_status(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY)
      return result;
    const auto field = [&](int code) {
      const char* const text = libpq().error_field(result.get(), code);
      return std::string_view(text != nullptr ? text : "");
    };
    const std::string_view state = field(PG_DIAG_SQLSTATE);
    // Without a state the words are those of libpq, because no server answered.
    if (libpq().status(connection_) != CONNECTION_OK || state.empty() || state.starts_with("57P"))
      database_.fail(
          fmt::format("the server is gone: {}; what was kept before stays, and another run goes on from it",
                      on_one_line(libpq().error(connection_))));
    if (state == "55P03") database_.fail_locked();
    if (state == "42501")
      database_.fail(fmt::format("may not be written: {}", field(PG_DIAG_MESSAGE_PRIMARY)));
    if (state.starts_with("53"))
      database_.fail(fmt::format("{}; what was kept before stays", field(PG_DIAG_MESSAGE_PRIMARY)));
    database_.fail(std::string(field(PG_DIAG_MESSAGE_PRIMARY)));
  }

 private:
  const PostgresDatabase& database_;
  PGconn* connection_ = nullptr;
};

class PostgresDatabase::PreparedStatement : public Statement {
 public:
  PreparedStatement(const Connection& connection, std::string name, const std::string& text)
      : connection_(connection), name_(std::move(name)) {
    connection_.checked(
        libpq().prepare(connection_.get(), name_.c_str(), with_numbers(text).c_str(), 0, nullptr));
  }
  PreparedStatement(const PreparedStatement&) = delete;
  ~PreparedStatement() override {
    result_.reset();
    ResultPointer(libpq().exec(connection_.get(), ("DEALLOCATE " + name_).c_str()));
  }

  Statement& reset() override {
    values_.clear();
    result_.reset();
    return *this;
  }
  Statement& bind(std::int64_t number) override { return add(std::to_string(number)); }
  Statement& bind(double number) override {
    if (std::isnan(number)) return bind_null();
    return add(std::isinf(number) ? (number > 0 ? "Infinity" : "-Infinity") : fmt::format("{}", number));
  }
  Statement& bind(std::string_view text) override { return add(std::string(text)); }
  Statement& bind(std::span<const unsigned char> bytes) override {
    values_.push_back({std::string(bytes.begin(), bytes.end()), true, false});
    return *this;
  }
  Statement& bind_null() override {
    values_.push_back({"", false, true});
    return *this;
  }

  bool step() override {
    if (result_ == nullptr) execute();
    return ++row_ < libpq().rows(result_.get());
  }

  int columns() const override { return libpq().columns(result_.get()); }
  std::string name(int column) const override { return libpq().column_name(result_.get(), column); }
  bool is_null(int column) const override { return libpq().is_null(result_.get(), row_, column) != 0; }
  std::int64_t integer(int column) const override {
    const std::string_view digits = raw(column);
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }
  double real(int column) const override {
    return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                           : number_of(raw(column)).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  std::string text(int column) const override { return std::string(raw(column)); }
  /// They come as "\x" and digits.
  std::string_view bytes(int column) const override {
    const std::string_view digits = raw(column);
    bytes_.clear();
    for (std::size_t i = 2; i + 1 < digits.size(); i += 2) {
      unsigned value = 0;
      std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
      bytes_ += static_cast<char>(value);
    }
    return bytes_;
  }
  nlohmann::json json(int column) const override {
    if (is_null(column)) return nullptr;
    switch (libpq().column_type(result_.get(), column)) {
      case of_int8:
      case of_int4:
      case of_int2:
        return integer(column);
      case of_float8:
      case of_float4:
      case of_numeric:
        return real(column);
      case of_bytea:
        return nullptr;
      default:
        return text(column);
    }
  }

 private:
  struct Value {
    std::string bytes;
    bool binary, null;
  };

  Statement& add(std::string text) {
    values_.push_back({std::move(text), false, false});
    return *this;
  }

  void execute() {
    std::vector<const char*> values;
    std::vector<int> lengths, formats;
    for (const Value& value : values_) {
      values.push_back(value.null ? nullptr : value.bytes.c_str());
      lengths.push_back(static_cast<int>(value.bytes.size()));
      formats.push_back(value.binary ? 1 : 0);
    }
    result_ = connection_.checked(libpq().exec_prepared(connection_.get(), name_.c_str(),
                                                        static_cast<int>(values.size()), values.data(),
                                                        lengths.data(), formats.data(), 0));
    row_ = -1;
  }

  std::string_view raw(int column) const {
    return {libpq().value(result_.get(), row_, column),
            static_cast<std::size_t>(libpq().length(result_.get(), row_, column))};
  }

  const Connection& connection_;
  std::string name_;
  std::vector<Value> values_;
  ResultPointer result_;
  int row_ = -1;
  mutable std::string bytes_;
};

PostgresDatabase::PostgresDatabase(const std::string& url, std::chrono::milliseconds patience)
    : Database(without_password(url), patience) {
  try {
    check_written_path("/");  // like the root, a server is below no folder
  } catch (const std::runtime_error&) {
    fail("this process writes below one folder only, and keeps stores in files there");
  }
  connection_ = std::make_unique<Connection>(*this, url);
  if (const int version = libpq().version(connection_->get()); version < oldest_server)
    fail(fmt::format("the server is PostgreSQL {}.{}; zz needs 9.5 or later", version / 10000,
                     version / 100 % 100));
  execute(
      fmt::format("SET lock_timeout = '{}ms'; SET client_min_messages = warning; SET "
                  "standard_conforming_strings = on",
                  patience.count()));
  if (number("SELECT (current_schema() IS NOT NULL)::int") == 0)
    fail("has no schema that tables could go to; create that of its search_path");
}

PostgresDatabase::~PostgresDatabase() = default;

const SqlWords& PostgresDatabase::words() const {
  static constexpr SqlWords own{"BYTEA", "BIGINT PRIMARY KEY", "", {"BIGINT", "DOUBLE PRECISION", "TEXT"}};
  return own;
}

std::optional<int> PostgresDatabase::layout() {
  constexpr const char* names =
      "table_schema = current_schema() AND table_name IN ('space', 'point', 'figure', "
      "'failure', 'answer', 'input', 'outcome', 'box', 'candidate', 'figures', 'front')";
  const std::string tables = std::string("SELECT count(*) FROM information_schema.tables WHERE ") + names;
  if (number(tables) == 0) return 0;
  const std::string columns =
      "SELECT count(*) FROM information_schema.columns WHERE table_schema = "
      "current_schema() AND table_name = 'space' AND column_name IN ('name', 'value')";
  if (number(columns) != 2) return std::nullopt;
  const std::int64_t found =
      number("SELECT value::int FROM space WHERE name = 'layout' AND value ~ '^[0-9]+$'");
  return found == 0 ? std::nullopt : std::optional(static_cast<int>(found));
}

void PostgresDatabase::set_layout(int layout) {
  execute(fmt::format("INSERT INTO space VALUES ('layout', '{}')", layout));
}

void PostgresDatabase::execute(const std::string& statements) {
  connection_->checked(libpq().exec(connection_->get(), statements.c_str()));
}

std::unique_ptr<Statement> PostgresDatabase::prepare(const std::string& text) {
  return std::make_unique<PreparedStatement>(*connection_, fmt::format("zz{}", ++prepared_), text);
}

void PostgresDatabase::begin(Change change) {
  execute("BEGIN");
  try {
    execute(fmt::format("SELECT pg_advisory_xact_lock{}({})", change == Change::rows ? "_shared" : "",
                        lock_of_stores));
  } catch (...) {
    roll_back();
    throw;
  }
}

}  // namespace zz::core
