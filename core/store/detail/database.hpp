#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zz::core {

/// A prepared statement: bind its parameters in order, then step through its rows. [serial]
class Statement {
 public:
  virtual ~Statement() = default;

  /// Begins anew, without parameters.
  virtual Statement& reset() = 0;
  virtual Statement& bind(std::int64_t number) = 0;
  virtual Statement& bind(double number) = 0;  ///< NULL for what is no number
  virtual Statement& bind(std::string_view text) = 0;
  virtual Statement& bind(std::span<const unsigned char> bytes) = 0;
  virtual Statement& bind_null() = 0;
  Statement& bind(const nlohmann::json& value);  ///< lists and maps as their text

  /// False at the end.
  virtual bool step() = 0;
  /// For statements without rows.
  void run() {
    while (step()) {
    }
  }

  virtual int columns() const = 0;
  virtual std::string name(int column) const = 0;
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;  ///< not a number where it is NULL
  virtual std::string text(int column) const = 0;
  virtual std::string_view bytes(int column) const = 0;  ///< until the next step
  virtual nlohmann::json json(int column) const = 0;     ///< null for bytes
};

/// Words that databases have differently, where one text of SQL serves both.
struct SqlWords {
  const char* bytes;           ///< a type
  const char* number_key;      ///< a type, with what makes it the key of a table
  const char* without_number;  ///< after a table whose key is bytes
  const char* kinds[3];        ///< types of columns of integers, of numbers and of anything
};

/// A connection to the database of a store: a file of SQLite, or a server of PostgreSQL. Functions throw
/// StoreError with the name of the store and the reason; what it has is then as it was before the change.
/// [serial]
class Database {
 public:
  enum class Access { read, write };
  /// A change concerns tables, which nobody else may use meanwhile, or rows. With SQLite one
  /// program writes at a time in any case.
  enum class Change { tables, rows };

  /// `place`: a path, or the URL of a server. With `write` a file is made where there is none. `patience`:
  /// how long to wait for another program that writes.
  static std::unique_ptr<Database> open(const std::string& place, Access access,
                                        std::chrono::milliseconds patience);
  /// The user's word for the URL of a server, see ResultStore::trust_server(). [any]
  static void trust(const std::string& url);
  static bool is_trusted(const std::string& url);
  /// True for the URL of a server.
  static bool is_url(std::string_view place);

  virtual ~Database() = default;
  Database(const Database&) = delete;

  /// For messages: without a password.
  const std::string& name() const { return name_; }
  virtual const SqlWords& words() const = 0;
  /// Which layout it says it has; 0: it is empty; nothing: it is no store of zz.
  virtual std::optional<int> layout() = 0;
  virtual void set_layout(int layout) = 0;

  /// Runs statements without parameters that give no rows.
  virtual void execute(const std::string& statements) = 0;
  /// Parameters are written as '?'.
  virtual std::unique_ptr<Statement> prepare(const std::string& text) = 0;
  std::int64_t number(const std::string& query);

  [[noreturn]] void fail(const std::string& reason) const;
  /// When the patience is at its end.
  [[noreturn]] void fail_locked() const;
  std::chrono::milliseconds patience() const { return patience_; }

 protected:
  Database(std::string name, std::chrono::milliseconds patience)
      : name_(std::move(name)), patience_(patience) {}

 private:
  friend class Transaction;
  virtual void begin(Change change) = 0;
  virtual void commit() = 0;
  virtual void roll_back() = 0;

  std::string name_;
  std::chrono::milliseconds patience_;
};

/// Statements that are used again and again, prepared once each. It must not outlive the database. [serial]
class Statements {
 public:
  explicit Statements(Database& database) : database_(database) {}
  /// Begun anew.
  Statement& operator()(const std::string& text);
  /// Where tables change, their statements are no longer right.
  void forget() { kept_.clear(); }

 private:
  Database& database_;
  std::map<std::string, std::unique_ptr<Statement>> kept_;
};

/// A name of a table or a column as SQL takes it.
std::string quoted_name(std::string_view name);
/// So many parameters in parentheses.
std::string parameters(std::size_t count);
std::span<const unsigned char> bytes_of(std::string_view text);

/// Changes that are kept together or not at all: dropped unless commit() is called.
class Transaction {
 public:
  Transaction(Database& database, Database::Change change);
  Transaction(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace zz::core
