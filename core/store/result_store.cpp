#include "core/store/result_store.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/store/detail/database.hpp"
#include "core/store/detail/store_tables.hpp"

namespace zz::core {
namespace {

using Names = std::vector<std::string>;

/// What comes within this time is written together, because disks take theirs.
constexpr std::chrono::milliseconds time_together{250};

/// "[2,3]", for columns that hold lists.
template <class Numbers>
std::string list_text(const Numbers& numbers) {
  return nlohmann::json(numbers).dump();
}

/// So many parameters.
std::string places(std::size_t count) {
  return fmt::format("({})", fmt::join(std::vector<const char*>(count, "?"), ", "));
}

StoredTable rows_of(Statement& statement) {
  StoredTable table;
  while (statement.step()) {
    auto& row = table.rows.emplace_back();
    for (int i = 0; i < statement.columns(); ++i) row.push_back(statement.json(i));
  }
  for (int i = 0; i < statement.columns(); ++i) table.columns.push_back(statement.name(i));
  return table;
}

double number_or_infinite(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::infinity() : number;
}

/// What has been added and waits to be written, in the order of keys: programs that write the same rows at
/// once then never wait for each other in a circle.
struct Waiting {
  std::map<std::pair<ContentKey, std::string>, StoredFigure> figures;
  std::map<ContentKey, std::string> failures;
  std::map<ContentKey, StoredAnswer> answers;
  std::map<std::uint64_t, StoredPoint> points;
  std::map<std::uint64_t, bool> candidates;  ///< whether it is one now
  bool without_boxes = false;                ///< those that the store has go first
  std::vector<StoredBox> boxes;
  std::map<std::uint64_t, std::vector<StoredLayer>> layers;

  bool empty() const {
    return figures.empty() && failures.empty() && answers.empty() && points.empty() && candidates.empty() &&
           !without_boxes && boxes.empty() && layers.empty();
  }
};

}  // namespace

const char* to_string(PointState state) {
  constexpr const char* words[] = {"done", "beyond", "infeasible"};
  return words[static_cast<int>(state)];
}

struct ResultStore::Parts {
  Parts(const std::string& place, Access access)
      : database(Database::open(
            place, access == Access::read ? Database::Access::read : Database::Access::write)) {
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
  }

  std::string fact(const char* name) {
    Statement& find = prepared(find_fact, "SELECT value FROM space WHERE name = ?");
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
    StoredSpace found;
    found.identity = fact("identity");
    found.text = fact("text");
    if (found.text.empty()) database->fail(no_space);
    const auto list = [&](const char* fact_name) { return nlohmann::json::parse(fact(fact_name)); };
    found.axes = list("axes").get<Names>();
    found.figures = list("figures").get<Names>();
    found.metrics = list("metrics").get<Names>();
    found.objectives = list("objectives").get<Names>();
    found.kinds = list("kinds").get<std::vector<ColumnKind>>();
    return found;
  }

  using Kept = std::unique_ptr<Statement>;
  Statement& prepared(Kept& statement, const std::string& text) {
    if (statement == nullptr) statement = database->prepare(text);
    return statement->reset();
  }

  void write_figures(const Waiting& changes);
  void write_points(const Waiting& changes);

  static constexpr const char* no_space = "has no space yet: no run has begun with it";

  mutable std::mutex mutex;
  std::unique_ptr<Database> database;
  StoredSpace space;
  Waiting waiting;
  std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();
  // Those of tables whose columns are the space's are prepared anew for another space.
  struct OfSpace {
    Kept find_point, put_point;
  };
  OfSpace of_space;
  Kept find_fact, find_figure, find_failure, find_answer;
  Kept put_figure, put_failure, put_answer, put_candidate, drop_candidate, put_box, put_layer;
};

ResultStore::ResultStore(const std::string& place, Access access)
    : parts_(std::make_unique<Parts>(place, access)) {}

ResultStore::~ResultStore() = default;

const std::string& ResultStore::name() const { return parts_->database->name(); }

void ResultStore::begin(const StoredSpace& space) {
  const std::lock_guard lock(parts_->mutex);
  Database& database = *parts_->database;
  Transaction transaction(database, Database::Change::tables);
  const std::string identity = parts_->fact("identity"), text = parts_->fact("text");
  if (!identity.empty() && identity != space.identity) {
    const auto own = nlohmann::json::parse(identity), other = nlohmann::json::parse(space.identity);
    std::string differs;
    for (const auto& [name, value] : other.items())
      if (!own.contains(name) || own[name] != value) differs += (differs.empty() ? "" : ", ") + name;
    database.fail(fmt::format("is of another space: {} {} another one there; name another store", differs,
                              differs.find(',') == std::string::npos ? "is" : "are"));
  }
  parts_->space = space;
  parts_->of_space = {};
  if (text != space.text) {
    database.execute(without_tables_of_space);
    database.execute(tables_of(space, database.words()));
    parts_->set_fact("identity", space.identity);
    parts_->set_fact("text", space.text);
    parts_->set_fact("axes", list_text(space.axes));
    parts_->set_fact("figures", list_text(space.figures));
    parts_->set_fact("metrics", list_text(space.metrics));
    parts_->set_fact("objectives", list_text(space.objectives));
    parts_->set_fact("kinds", list_text(space.kinds));
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
  Statement& find =
      parts_->prepared(parts_->find_figure, "SELECT value, bound FROM figure WHERE key = ? AND name = ?");
  find.bind(std::span<const unsigned char>(key)).bind(std::string_view(name));
  if (!find.step()) return std::nullopt;
  const StoredFigure found{find.real(0), find.real(1)};
  find.reset();
  return found;
}

std::optional<std::string> ResultStore::failure(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  Statement& find = parts_->prepared(parts_->find_failure, "SELECT reason FROM failure WHERE key = ?");
  find.bind(std::span<const unsigned char>(key));
  if (!find.step()) return std::nullopt;
  std::string found = find.text(0);
  find.reset();
  return found;
}

std::optional<StoredAnswer> ResultStore::answer(const ContentKey& key) const {
  const std::lock_guard lock(parts_->mutex);
  Statement& find =
      parts_->prepared(parts_->find_answer, "SELECT value, bound, gap, mapping FROM answer WHERE key = ?");
  find.bind(std::span<const unsigned char>(key));
  if (!find.step()) return std::nullopt;
  StoredAnswer found{number_or_infinite(find.real(0)), number_or_infinite(find.real(1)), find.real(2),
                     find.text(3)};
  find.reset();
  return found;
}

std::optional<StoredPoint> ResultStore::point(std::uint64_t number) const {
  const std::lock_guard lock(parts_->mutex);
  const StoredSpace& space = parts_->space;
  Statement& find = parts_->prepared(parts_->of_space.find_point,
                                     "SELECT key, state, reason" + columns_of(space.axes, "") +
                                         columns_of(space.metrics, "") + " FROM point WHERE number = ?");
  find.bind(static_cast<std::int64_t>(number));
  if (!find.step()) return std::nullopt;
  StoredPoint found{
      .number = number, .key = {}, .state = {}, .reason = find.text(2), .axes = {}, .metrics = {}};
  const std::string_view key = find.bytes(0);
  std::copy_n(key.begin(), std::min(key.size(), found.key.size()), found.key.begin());
  for (const PointState state : {PointState::done, PointState::beyond, PointState::infeasible})
    if (find.text(1) == to_string(state)) found.state = state;
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

void ResultStore::Parts::write_figures(const Waiting& changes) {
  for (const auto& [which, figure] : changes.figures)
    prepared(put_figure,
             "INSERT INTO figure VALUES (?, ?, ?, ?) ON CONFLICT (key, name) DO UPDATE SET value = "
             "excluded.value, bound = excluded.bound")
        .bind(std::span<const unsigned char>(which.first))
        .bind(std::string_view(which.second))
        .bind(figure.value)
        .bind(figure.bound)
        .run();
  for (const auto& [key, reason] : changes.failures)
    prepared(put_failure,
             "INSERT INTO failure VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET reason = excluded.reason")
        .bind(std::span<const unsigned char>(key))
        .bind(std::string_view(reason))
        .run();
  for (const auto& [key, answer] : changes.answers)
    prepared(put_answer,
             "INSERT INTO answer VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = "
             "excluded.value, bound = excluded.bound, gap = excluded.gap, mapping = excluded.mapping")
        .bind(std::span<const unsigned char>(key))
        .bind(answer.value)
        .bind(answer.bound)
        .bind(answer.gap)
        .bind(std::string_view(answer.mapping))
        .run();
}

void ResultStore::Parts::write_points(const Waiting& changes) {
  for (const auto& [number, point] : changes.points) {
    const auto put_text = [&] {
      std::string sets = "key = excluded.key, state = excluded.state, reason = excluded.reason";
      for (const Names* names : {&space.axes, &space.metrics})
        for (const std::string& name : *names)
          sets += fmt::format(", {0} = excluded.{0}", quoted_name(name));
      return "INSERT INTO point VALUES " + places(4 + space.axes.size() + space.metrics.size()) +
             " ON CONFLICT (number) DO UPDATE SET " + sets;
    };
    Statement& put = prepared(of_space.put_point, of_space.put_point == nullptr ? put_text() : "");
    put.bind(static_cast<std::int64_t>(number)).bind(std::span<const unsigned char>(point.key));
    put.bind(std::string_view(to_string(point.state)));
    if (point.reason.empty())
      put.bind_null();
    else
      put.bind(std::string_view(point.reason));
    for (const nlohmann::json& value : point.axes) put.bind(value);
    for (const double metric : point.metrics) put.bind(metric);
    put.run();
  }
  for (const auto& [number, is_one] : changes.candidates)
    (is_one ? prepared(put_candidate, "INSERT INTO candidate VALUES (?) ON CONFLICT (number) DO NOTHING")
            : prepared(drop_candidate, "DELETE FROM candidate WHERE number = ?"))
        .bind(static_cast<std::int64_t>(number))
        .run();
  if (changes.without_boxes) database->execute("DELETE FROM box");
  for (const StoredBox& box : changes.boxes) {
    const std::string lower = list_text(box.lower), upper = list_text(box.upper),
                      bounds = list_text(box.bounds);
    prepared(put_box, "INSERT INTO box VALUES (?, ?, ?, ?)")
        .bind(std::string_view(lower))
        .bind(std::string_view(upper))
        .bind(std::string_view(bounds))
        .bind(std::string_view(box.reason))
        .run();
  }
  for (const auto& [number, layers] : changes.layers)
    for (std::size_t place = 0; place < layers.size(); ++place)
      prepared(
          put_layer,
          "INSERT INTO layer VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number, place) DO UPDATE SET energy = "
          "excluded.energy, latency = excluded.latency, mapping = excluded.mapping")
          .bind(static_cast<std::int64_t>(number))
          .bind(static_cast<std::int64_t>(place))
          .bind(std::string_view(layers[place].name))
          .bind(layers[place].energy)
          .bind(layers[place].latency)
          .bind(std::string_view(layers[place].mapping))
          .run();
}

void ResultStore::write() {
  const std::lock_guard lock(parts_->mutex);
  parts_->written = std::chrono::steady_clock::now();
  if (parts_->waiting.empty()) return;
  Transaction transaction(*parts_->database, Database::Change::rows);
  // Another program may have begun another space in this store since.
  if (parts_->fact("text") != parts_->space.text)
    parts_->database->fail("has been given another space by another program since this run began");
  parts_->write_figures(parts_->waiting);
  parts_->write_points(parts_->waiting);
  transaction.commit();
  parts_->waiting = {};
}

void ResultStore::write_if_due() {
  if (std::chrono::steady_clock::now() - parts_->written > time_together) write();
}

StoredTable ResultStore::front() const {
  const std::lock_guard lock(parts_->mutex);
  std::string order;
  for (const std::string& objective : parts_->read_space().objectives)
    order += quoted_name(objective) + ", ";
  return rows_of(*parts_->database->prepare("SELECT * FROM front ORDER BY " + order + "point"));
}

StoredTable ResultStore::figures() const {
  const std::lock_guard lock(parts_->mutex);
  parts_->read_space();
  return rows_of(*parts_->database->prepare("SELECT * FROM figures ORDER BY point"));
}

StoredTable ResultStore::figures_of(std::uint64_t number) const {
  const std::lock_guard lock(parts_->mutex);
  parts_->read_space();
  const auto statement = parts_->database->prepare("SELECT * FROM figures WHERE point = ?");
  statement->bind(static_cast<std::int64_t>(number));
  return rows_of(*statement);
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
  parts_->read_space();
  const auto statement = parts_->database->prepare("SELECT lower, upper, bounds, reason FROM box");
  std::vector<StoredBox> boxes;
  const auto numbers = [&](int column) { return nlohmann::json::parse(statement->text(column)); };
  while (statement->step()) {
    StoredBox& box = boxes.emplace_back();
    box.lower = numbers(0).get<std::vector<std::uint32_t>>();
    box.upper = numbers(1).get<std::vector<std::uint32_t>>();
    for (const nlohmann::json& bound : numbers(2))
      box.bounds.push_back(bound.is_number() ? bound.get<double>()
                                             : std::numeric_limits<double>::infinity());
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

void ResultStore::merge(const std::string& other) {
  const ResultStore source(other, Access::read);
  const StoredSpace space_of_other = source.space();
  {
    const std::lock_guard lock(parts_->mutex);
    if (const std::string text = parts_->fact("text"); !text.empty() && text != space_of_other.text)
      parts_->database->fail(
          fmt::format("is of another space than '{}'; nothing of that was added", source.name()));
  }
  begin(space_of_other);
  const std::lock_guard lock(parts_->mutex);
  Transaction transaction(*parts_->database, Database::Change::rows);
  const auto copy = [&](const std::string& table, const std::string& order, bool bytes_first) {
    const auto from = source.parts_->database->prepare("SELECT * FROM " + table + order);
    std::unique_ptr<Statement> to;
    while (from->step()) {
      const int columns = from->columns();
      if (to == nullptr)
        to = parts_->database->prepare("INSERT INTO " + table + " VALUES " +
                                       places(static_cast<std::size_t>(columns)) +
                                       " ON CONFLICT DO NOTHING");
      to->reset();
      for (int i = 0; i < columns; ++i) {
        if (bytes_first && i == (table == "point" ? 1 : 0)) {
          const std::string_view bytes = from->bytes(i);
          to->bind(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
        } else {
          to->bind(from->json(i));
        }
      }
      to->run();
    }
  };
  copy("figure", " ORDER BY key, name", true);
  for (const char* const table : {"failure", "answer"}) copy(table, " ORDER BY key", true);
  copy("point", " ORDER BY number", true);
  copy("candidate", " ORDER BY number", false);
  copy("layer", " ORDER BY number, place", false);
  copy("box", "", false);
  transaction.commit();
}

bool ResultStore::is_store(const std::string& place) {
  if (Database::is_url(place)) return true;
  std::ifstream file(place, std::ios::binary);
  std::string head(15, '\0');
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == "SQLite format 3";
}

bool ResultStore::is_on_server(const std::string& place) { return Database::is_url(place); }

}  // namespace zz::core
