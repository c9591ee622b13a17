#include "core/store/result_store.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/base/unbeaten.hpp"
#include "core/store/detail/database.hpp"
#include "core/store/detail/packed_bytes.hpp"
#include "core/store/detail/space_facts.hpp"
#include "core/store/detail/store_tables.hpp"
#include "core/store/detail/waiting_rows.hpp"

namespace zz::core {
namespace {

using Names = std::vector<std::string>;

/// Rows that come within this time are written together, because disks take theirs.
constexpr std::chrono::milliseconds time_together{250};

std::vector<nlohmann::json> row_of(const Statement& statement) {
  std::vector<nlohmann::json> row;
  for (int i = 0; i < statement.columns(); ++i) row.push_back(statement.json(i));
  return row;
}

StoredTable rows_of_figures(const StoredSpace& space, Statement& statement) {
  StoredTable table{columns_of_front(space), {}};
  table.columns.insert(table.columns.end(), {"state", "reason"});
  while (statement.step()) table.rows.push_back(row_of(statement));
  return table;
}

/// Rows with what they are compared by.
struct Candidates {
  std::vector<std::vector<nlohmann::json>> rows;
  std::vector<std::vector<double>> figures;

  void keep_unbeaten() {
    std::size_t kept = 0;
    for (const std::size_t place : unbeaten(figures)) {
      std::swap(rows[kept], rows[place]);
      std::swap(figures[kept++], figures[place]);
    }
    rows.resize(kept);
    figures.resize(kept);
  }

  /// By the figures one after another, what has none first, then by the number of the point.
  void sort() {
    const auto rank = [](double figure) {
      return std::isnan(figure) ? -std::numeric_limits<double>::infinity() : figure;
    };
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      for (std::size_t i = 0; i < figures[a].size(); ++i)
        if (rank(figures[a][i]) != rank(figures[b][i])) return rank(figures[a][i]) < rank(figures[b][i]);
      return rows[a].front() < rows[b].front();
    });
    std::vector<std::vector<nlohmann::json>> sorted;
    for (const std::size_t place : order) sorted.push_back(std::move(rows[place]));
    rows = std::move(sorted);
  }
};

double number_or_infinite(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::infinity() : number;
}

}  // namespace

const char* to_string(PointState state) {
  constexpr const char* words[] = {"done", "beyond", "infeasible"};
  return words[static_cast<int>(state)];
}

struct ResultStore::Parts {
  Parts(const std::string& place, Access access, std::chrono::milliseconds patience)
      : database(Database::open(
            place, access == Access::read ? Database::Access::read : Database::Access::write, patience)) {
    std::optional<int> found = database->layout();
    if (found == 0 && access == Access::read) database->fail(no_space);
    if (found == 0) {
      Transaction transaction(*database, Database::Change::tables);
      found = database->layout();  // another program may have been faster
      if (found == 0) {
        database->execute(lasting_tables(database->words()));
        database->set_layout(store_layout);
        transaction.commit();
        return;
      }
    }
    if (!found) database->fail("is no store of zz; name another one");
    if (*found != store_layout)
      database->fail(fmt::format("has layout {}, and this zz reads layout {}; name another one", *found,
                                 store_layout));
    check_tables(probes_of_lasting_tables());
    if (access == Access::read && !fact("text").empty()) check_tables(probes_of_tables(read_space()));
  }

  /// A table that is gone or another one is found before anything is made of the rest.
  void check_tables(const std::vector<std::string>& probes) {
    for (const std::string& probe : probes) try {
        database->prepare(probe);
      } catch (const StoreError& problem) {
        throw StoreError(fmt::format("{}; it is damaged", problem.what()));
      }
  }

  std::string fact(const char* name) {
    Statement& find = statements("SELECT value FROM space WHERE name = ?");
    find.bind(std::string_view(name));
    std::string found = find.step() ? find.text(0) : "";
    find.reset();
    return found;
  }
  void set_fact(const char* name, const std::string& value) {
    database
        ->prepare("INSERT INTO space VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
        ->bind(std::string_view(name))
        .bind(std::string_view(value))
        .run();
  }

  StoredSpace read_space() {
    if (fact("text").empty()) database->fail(no_space);
    std::map<std::string, std::string> facts;
    for (const auto& [name, unused] : facts_of({})) facts[name] = fact(name.c_str());
    try {
      return space_of_facts(facts);
    } catch (const std::runtime_error& problem) {
      database->fail(problem.what());
    }
  }

  static constexpr const char* no_space = "has no space yet: no exploration has begun with it";

  mutable std::mutex mutex;
  std::unique_ptr<Database> database;
  Statements statements{*database};
  StoredSpace space;
  WaitingRows waiting;
  std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();
};

StoredOutcome outcome_without_figures(const std::string& reason, bool proven) {
  // The arguments of the point, the reason, the stage, rows of figures, and counters.
  using Json = nlohmann::json;
  const Json said = Json::array({Json::object(), reason, "", Json::array(), Json::object()});
  return {.files = "{}",
          .status = proven ? "infeasible" : "not found",
          .seconds = 0,
          .said = said.dump(),
          .results = ""};
}

ResultStore::ResultStore(const std::string& place, Access access, std::chrono::milliseconds patience)
    : parts_(std::make_unique<Parts>(place, access, patience)) {}

ResultStore::~ResultStore() = default;

const std::string& ResultStore::name() const { return parts_->database->name(); }

void ResultStore::begin(const StoredSpace& space) {
  const std::lock_guard lock(parts_->mutex);
  Database& database = *parts_->database;
  Transaction transaction(database, Database::Change::tables);
  try {
    check_names(space);
  } catch (const std::runtime_error& problem) {
    database.fail(problem.what());
  }
  const std::string text = parts_->fact("text");
  if (text == space.text) parts_->check_tables(probes_of_tables(space));
  const std::string identity = text.empty() ? "" : parts_->read_space().identity;
  if (!identity.empty() && identity != space.identity) {
    const auto own = nlohmann::json::parse(identity), other = nlohmann::json::parse(space.identity);
    std::string differs;
    for (const auto& [name, value] : other.items())
      if (!own.contains(name) || own[name] != value) differs += (differs.empty() ? "" : ", ") + name;
    database.fail(fmt::format("is of another space: {} {} another one there; name another store", differs,
                              differs.find(',') == std::string::npos ? "is" : "are"));
  }
  parts_->space = space;
  parts_->statements.forget();
  if (text != space.text) {
    database.execute(without_tables_of_space);
    database.execute(tables_of(space, database.words()));
    for (const auto& [name, fact] : facts_of(space)) parts_->set_fact(name.c_str(), fact);
  }
  transaction.commit();
}

StoredSpace ResultStore::space() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->read_space();
}

bool ResultStore::has_space() const {
  const std::lock_guard lock(parts_->mutex);
  return !parts_->fact("text").empty();
}

std::optional<StoredFigure> ResultStore::figure(const ContentKey& key, const std::string& name) const {
  const std::lock_guard lock(parts_->mutex);
  Statement& find = parts_->statements("SELECT value, bound FROM figure WHERE key = ? AND name = ?");
  find.bind(std::span<const unsigned char>(key)).bind(std::string_view(name));
  if (!find.step()) return std::nullopt;
  const StoredFigure found{find.real(0), find.real(1)};
  find.reset();
  return found;
}

std::map<std::string, StoredFigure> ResultStore::figures_under(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  Statement& find = parts_->statements("SELECT name, value, bound FROM figure WHERE key = ?");
  find.bind(std::span<const unsigned char>(key));
  std::map<std::string, StoredFigure> found;
  while (find.step()) found[find.text(0)] = {find.real(1), find.real(2)};
  return found;
}

std::optional<std::string> ResultStore::failure(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  Statement& find = parts_->statements("SELECT reason FROM failure WHERE key = ?");
  find.bind(std::span<const unsigned char>(key));
  if (!find.step()) return std::nullopt;
  std::string found = find.text(0);
  find.reset();
  return found;
}

std::optional<StoredAnswer> ResultStore::answer(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  Statement& find = parts_->statements("SELECT value, bound, gap, mapping FROM answer WHERE key = ?");
  find.bind(std::span<const unsigned char>(key));
  if (!find.step()) return std::nullopt;
  StoredAnswer found{number_or_infinite(find.real(0)), number_or_infinite(find.real(1)), find.real(2),
                     find.text(3)};
  find.reset();
  if (constexpr double rounding = 1e-6; found.bound > found.value * (1 + rounding))
    parts_->database->fail(
        "a bound is wrong: a mapping is better than any should be; the store is damaged");
  return found;
}

std::vector<StoredOutcome> ResultStore::outcomes(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  Statement& find = parts_->statements(
      "SELECT i.files, o.status, o.seconds, o.results, o.said, i.example FROM outcome o JOIN "
      "input i ON i.key = o.input WHERE o.key = ?");
  find.bind(std::span<const unsigned char>(key));
  std::vector<StoredOutcome> found;
  while (find.step()) {
    StoredOutcome& outcome = found.emplace_back();
    outcome.files = find.text(0);
    outcome.status = find.text(1);
    outcome.seconds = find.real(2);
    if (!find.is_null(3)) outcome.results = find.bytes(3);
    const std::string said(find.bytes(4));
    std::optional<std::string> text = unpacked(said, find.bytes(5));
    if (!text) parts_->database->fail("has an outcome that cannot be read: it is damaged");
    outcome.said = std::move(*text);
  }
  return found;
}

std::optional<StoredPoint> ResultStore::point(std::uint64_t number) const {
  const std::lock_guard lock(parts_->mutex);
  const StoredSpace& space = parts_->space;
  Statement& find = parts_->statements("SELECT key, state, reason" + columns_of(space.axes, "") +
                                       columns_of(space.metrics, "") + " FROM point WHERE number = ?");
  find.bind(static_cast<std::int64_t>(number));
  if (!find.step()) return std::nullopt;
  StoredPoint found{.number = number,
                    .key = key_of_bytes(find.bytes(0)),
                    .state = {},
                    .reason = find.text(2),
                    .axes = {},
                    .metrics = {}};
  const std::string state_there = find.text(1);
  for (const PointState state : {PointState::done, PointState::beyond, PointState::infeasible})
    if (state_there == to_string(state)) found.state = state;
  if (state_there != to_string(found.state))
    parts_->database->fail(fmt::format("point {} has no state; the store is damaged", number));
  int column = 3;
  for (std::size_t i = 0; i < space.axes.size(); ++i) found.axes.push_back(find.json(column++));
  for (std::size_t i = 0; i < space.metrics.size(); ++i) found.metrics.push_back(find.real(column++));
  find.reset();
  return found;
}

void ResultStore::add_figure(const ContentKey& key, const std::string& name, const StoredFigure& figure) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.figures.insert_or_assign({key, name}, figure);
}

void ResultStore::add_failure(const ContentKey& key, const std::string& reason) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.failures.insert_or_assign(key, reason);
}

void ResultStore::add_answer(const ContentKey& key, const StoredAnswer& answer) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.answers.insert_or_assign(key, answer);
}

void ResultStore::add_outcome(const ContentKey& key, const StoredOutcome& outcome) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.add(key, outcome);
}

void ResultStore::add_point(const StoredPoint& point) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.points.insert_or_assign(point.number, point);
}

void ResultStore::add_box(const StoredBox& box) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.boxes.push_back(box);
}

void ResultStore::add_layers(std::uint64_t number, const std::vector<StoredLayer>& layers) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.layers.insert_or_assign(number, layers);
}

void ResultStore::add_candidate(std::uint64_t number) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.candidates[number] = true;
}

void ResultStore::remove_candidate(std::uint64_t number) {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.candidates[number] = false;
}

void ResultStore::remove_boxes() {
  const std::lock_guard lock(parts_->mutex);
  parts_->waiting.boxes.clear();
  parts_->waiting.without_boxes = true;
}

void ResultStore::remove_boxes(const std::vector<std::uint32_t>& lower,
                               const std::vector<std::uint32_t>& upper) {
  const auto inside = [&](const StoredBox& box) {
    bool all = box.lower.size() == lower.size() && box.upper.size() == lower.size() &&
               upper.size() == lower.size();
    for (std::size_t i = 0; all && i < lower.size(); ++i)
      all = all && lower[i] <= box.lower[i] && box.upper[i] <= upper[i];
    return all;
  };
  const std::vector<StoredBox> known = boxes();
  const std::lock_guard lock(parts_->mutex);
  std::erase_if(parts_->waiting.boxes, inside);
  Transaction transaction(*parts_->database, Database::Change::rows);
  for (const StoredBox& box : known) {
    if (!inside(box)) continue;
    const std::string first = list_text(box.lower), last = list_text(box.upper);
    parts_->statements("DELETE FROM box WHERE lower = ? AND upper = ?")
        .bind(std::string_view(first))
        .bind(std::string_view(last))
        .run();
  }
  transaction.commit();
}

void ResultStore::write() {
  const std::lock_guard lock(parts_->mutex);
  parts_->written = std::chrono::steady_clock::now();
  if (parts_->waiting.empty()) return;
  Transaction transaction(*parts_->database, Database::Change::rows);
  // Another program may have begun another space in this store since.
  if (!parts_->space.text.empty() && parts_->fact("text") != parts_->space.text)
    parts_->database->fail("has been given another space by another program since this run began");
  parts_->waiting.write(parts_->statements, parts_->space);
  transaction.commit();
  parts_->waiting = {};
}

void ResultStore::write_if_due() {
  {
    const std::lock_guard lock(parts_->mutex);
    if (std::chrono::steady_clock::now() - parts_->written <= time_together) return;
  }
  write();
}

StoredTable ResultStore::front() const {
  const std::lock_guard lock(parts_->mutex);
  const StoredSpace space = parts_->read_space();
  const Names columns = columns_of_front(space);
  std::vector<int> places;
  for (const std::string& objective : space.objectives)
    places.push_back(
        static_cast<int>(std::find(columns.begin(), columns.end(), objective) - columns.begin()));
  const auto statement = parts_->database->prepare(query_of_candidates(space));
  Candidates found;
  // Beaten rows are dropped now and then, so that memory is in proportion to the front.
  constexpr std::size_t fewest = 65536;
  std::size_t most = fewest;
  while (statement->step()) {
    if (statement->is_null(0))
      parts_->database->fail("has a candidate that is no point of its space; it is damaged");
    std::vector<double>& figures = found.figures.emplace_back();
    for (const int place : places) figures.push_back(statement->real(place));
    found.rows.push_back(row_of(*statement));
    if (found.rows.size() < most) continue;
    found.keep_unbeaten();
    most = std::max(fewest, 2 * found.rows.size());
  }
  found.keep_unbeaten();
  found.sort();
  return {columns, std::move(found.rows)};
}

StoredTable ResultStore::figures() const {
  const std::lock_guard lock(parts_->mutex);
  const StoredSpace space = parts_->read_space();
  return rows_of_figures(space, *parts_->database->prepare(query_of_figures(space) + " ORDER BY p.number"));
}

StoredTable ResultStore::figures_of(std::uint64_t number) const {
  const std::lock_guard lock(parts_->mutex);
  const StoredSpace space = parts_->read_space();
  const auto statement = parts_->database->prepare(query_of_figures(space) + " WHERE p.number = ?");
  statement->bind(static_cast<std::int64_t>(number));
  return rows_of_figures(space, *statement);
}

std::vector<std::uint64_t> ResultStore::points() const {
  const std::lock_guard lock(parts_->mutex);
  parts_->read_space();
  const auto statement = parts_->database->prepare("SELECT number FROM point ORDER BY number");
  std::vector<std::uint64_t> numbers;
  while (statement->step()) numbers.push_back(static_cast<std::uint64_t>(statement->integer(0)));
  return numbers;
}

std::vector<StoredBox> ResultStore::boxes() const {
  const std::lock_guard lock(parts_->mutex);
  const StoredSpace space = parts_->read_space();
  const nlohmann::json described = nlohmann::json::parse(space.text);
  const std::size_t axes = described.contains("axes") ? described["axes"].size() : 0;
  const auto statement = parts_->database->prepare("SELECT lower, upper, bounds, reason FROM box");
  std::vector<StoredBox> boxes;
  while (statement->step()) {
    StoredBox& box = boxes.emplace_back();
    try {
      const auto numbers = [&](int column) { return nlohmann::json::parse(statement->text(column)); };
      box.lower = numbers(0).get<std::vector<std::uint32_t>>();
      box.upper = numbers(1).get<std::vector<std::uint32_t>>();
      for (const nlohmann::json& bound : numbers(2))
        box.bounds.push_back(bound.is_number() ? bound.get<double>()
                                               : std::numeric_limits<double>::infinity());
    } catch (const nlohmann::json::exception&) {
      box.lower.clear();
    }
    if (box.lower.size() != axes || box.upper.size() != axes ||
        box.bounds.size() != space.objectives.size())
      parts_->database->fail("has a box that is none of its space; the store is damaged");
    box.reason = statement->text(3);
  }
  return boxes;
}

std::vector<StoredLayer> ResultStore::layers(std::uint64_t number) const {
  const std::lock_guard lock(parts_->mutex);
  const auto statement = parts_->database->prepare(
      "SELECT name, energy, latency, mapping FROM layer WHERE number = ? ORDER BY place");
  statement->bind(static_cast<std::int64_t>(number));
  std::vector<StoredLayer> layers;
  while (statement->step())
    layers.push_back({statement->text(0), statement->real(1), statement->real(2), statement->text(3)});
  return layers;
}

std::uint64_t ResultStore::count(PointState state) const {
  const std::lock_guard lock(parts_->mutex);
  const auto statement = parts_->database->prepare("SELECT count(*) FROM point WHERE state = ?");
  statement->bind(std::string_view(to_string(state)));
  return statement->step() ? static_cast<std::uint64_t>(statement->integer(0)) : 0;
}

bool ResultStore::has_results() const {
  const std::lock_guard lock(parts_->mutex);
  for (const char* const table : {"point", "figure", "failure"})
    if (parts_->database->number(
            fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT 1) AS one", table)) > 0)
      return true;
  return false;
}

std::uint64_t ResultStore::count_answers() const {
  const std::lock_guard lock(parts_->mutex);
  return static_cast<std::uint64_t>(parts_->database->number("SELECT count(*) FROM answer"));
}

std::uint64_t ResultStore::count_outcomes() const {
  const std::lock_guard lock(parts_->mutex);
  return static_cast<std::uint64_t>(parts_->database->number("SELECT count(*) FROM outcome"));
}

void ResultStore::merge(const std::string& other) {
  const ResultStore source(other, Access::read);
  const bool has_points = source.has_space();
  if (has_points) {
    const StoredSpace space_of_other = source.space();
    const std::string text = has_space() ? space().text : "";
    if (!text.empty() && text != space_of_other.text)
      parts_->database->fail(
          fmt::format("is of another space than '{}'; nothing of that was added", source.name()));
    begin(space_of_other);
  }
  const std::lock_guard lock(parts_->mutex);
  Transaction transaction(*parts_->database, Database::Change::rows);
  const auto copy = [&](const std::string& table, const std::string& order, bool bytes_first) {
    const auto from = source.parts_->database->prepare("SELECT * FROM " + table + order);
    std::unique_ptr<Statement> to;
    while (from->step()) {
      const int columns = from->columns();
      if (to == nullptr)
        to = parts_->database->prepare("INSERT INTO " + table + " VALUES " +
                                       parameters(static_cast<std::size_t>(columns)) +
                                       " ON CONFLICT DO NOTHING");
      to->reset();
      for (int i = 0; i < columns; ++i) {
        if (bytes_first && i == (table == "point" ? 1 : 0))
          to->bind(bytes_of(from->bytes(i)));
        else
          to->bind(from->json(i));
      }
      to->run();
    }
  };
  copy("figure", " ORDER BY key, name", true);
  for (const char* const table : {"failure", "answer"}) copy(table, " ORDER BY key", true);
  const auto outcomes = source.parts_->database->prepare("SELECT DISTINCT key FROM outcome ORDER BY key");
  while (outcomes->step()) {
    const ContentKey key = key_of_bytes(outcomes->bytes(0));
    WaitingRows own;  // packed anew: the same files may have another example here
    for (const StoredOutcome& outcome : source.outcomes(key)) own.add(key, outcome);
    own.write(parts_->statements, {});
  }
  if (!has_points) return transaction.commit();
  copy("point", " ORDER BY number", true);
  copy("candidate", " ORDER BY number", false);
  copy("layer", " ORDER BY number, place", false);
  copy("box", "", false);
  transaction.commit();
}

bool ResultStore::is_store(const std::string& place) {
  if (Database::is_url(place)) return true;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(place, unknown)) return false;  // a pipe may never end
  std::ifstream file(place, std::ios::binary);
  std::string head(15, '\0');
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == "SQLite format 3";
}

void ResultStore::trust_server(const std::string& place) { Database::trust(place); }

bool ResultStore::is_on_server(const std::string& place) { return Database::is_url(place); }

}  // namespace zz::core
