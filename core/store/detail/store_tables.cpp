#include "core/store/detail/store_tables.hpp"

#include <fmt/format.h>

namespace zz::core {

std::string lasting_tables(const SqlWords& words) {
  return fmt::format(
      "CREATE TABLE space (name TEXT PRIMARY KEY, value TEXT NOT NULL) {1};"
      "CREATE TABLE figure (key {0} NOT NULL, name TEXT NOT NULL, value DOUBLE PRECISION, bound DOUBLE "
      "PRECISION, PRIMARY KEY (key, name)) {1};"
      "CREATE TABLE failure (key {0} PRIMARY KEY, reason TEXT NOT NULL) {1};"
      "CREATE TABLE answer (key {0} PRIMARY KEY, value DOUBLE PRECISION, bound DOUBLE PRECISION, gap "
      "DOUBLE "
      "PRECISION, mapping TEXT) {1};"
      "CREATE TABLE input (key {0} PRIMARY KEY, files TEXT NOT NULL, example {0} NOT NULL) {1};"
      "CREATE TABLE outcome (key {0} NOT NULL, input {0} NOT NULL REFERENCES input, status TEXT NOT NULL, "
      "seconds DOUBLE PRECISION, said {0} NOT NULL, results {0}, PRIMARY KEY (key, input)) {1};",
      words.bytes, words.without_number);
}

std::string quoted_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += c;
    quoted += c;
  }
  return quoted + '\'';
}

std::string columns_of(const std::vector<std::string>& names, const std::string& before) {
  std::string text;
  for (const std::string& name : names) text += ", " + before + quoted_name(name);
  return text;
}

namespace {

constexpr const char* bound_ending = "_bound";

/// Parts of the queries of a space.
struct Columns {
  std::string figures, bounds, joins;

  explicit Columns(const StoredSpace& space) {
    for (std::size_t i = 0; i < space.figures.size(); ++i) {
      figures += fmt::format(", f{}.value AS {}", i, quoted_name(space.figures[i]));
      bounds += fmt::format(", f{}.bound AS {}", i, quoted_name(space.figures[i] + bound_ending));
      joins += fmt::format(" LEFT JOIN figure f{0} ON f{0}.key = p.key AND f{0}.name = {1}", i,
                           quoted_text(space.figures[i]));
    }
  }
};

}  // namespace

std::vector<std::string> columns_of_front(const StoredSpace& space) {
  std::vector<std::string> names{"point"};
  for (const auto* more : {&space.axes, &space.figures, &space.metrics})
    names.insert(names.end(), more->begin(), more->end());
  for (const std::string& figure : space.figures) names.push_back(figure + bound_ending);
  return names;
}

std::vector<std::string> probes_of_lasting_tables() {
  return {"SELECT name, value FROM space",
          "SELECT key, name, value, bound FROM figure",
          "SELECT key, reason FROM failure",
          "SELECT key, value, bound, gap, mapping FROM answer",
          "SELECT key, files, example FROM input",
          "SELECT key, input, status, seconds, said, results FROM outcome"};
}

std::vector<std::string> probes_of_tables(const StoredSpace& space) {
  return {"SELECT number, key, state, reason" + columns_of(space.axes, "p.") +
              columns_of(space.metrics, "p.") + " FROM point p",
          "SELECT lower, upper, bounds, reason FROM box",
          "SELECT number, place, name, energy, latency, mapping FROM layer",
          "SELECT number FROM candidate"};
}

std::string query_of_figures(const StoredSpace& space) {
  const Columns columns(space);
  return "SELECT p.number AS point" + columns_of(space.axes, "p.") + columns.figures +
         columns_of(space.metrics, "p.") + columns.bounds + ", p.state, p.reason FROM point p" +
         columns.joins;
}

std::string query_of_candidates(const StoredSpace& space) {
  const Columns columns(space);
  // LEFT: a database then begins with the candidates, which are few, and not with all points.
  return "SELECT p.number AS point" + columns_of(space.axes, "p.") + columns.figures +
         columns_of(space.metrics, "p.") + columns.bounds +
         " FROM candidate c LEFT JOIN point p ON p.number = c.number" + columns.joins;
}

std::string tables_of(const StoredSpace& space, const SqlWords& words) {
  std::string text =
      fmt::format("CREATE TABLE point (number {}, key {} NOT NULL, state TEXT NOT NULL, reason TEXT",
                  words.number_key, words.bytes);
  for (std::size_t i = 0; i < space.axes.size(); ++i)
    text += fmt::format(
        ", {} {}", quoted_name(space.axes[i]),
        words.kinds[static_cast<int>(i < space.kinds.size() ? space.kinds[i] : ColumnKind::any)]);
  for (const std::string& metric : space.metrics) text += ", " + quoted_name(metric) + " DOUBLE PRECISION";
  text +=
      "); CREATE TABLE box (lower TEXT NOT NULL, upper TEXT NOT NULL, bounds TEXT NOT NULL, reason TEXT "
      "NOT "
      "NULL);";
  text +=
      "CREATE TABLE layer (number BIGINT NOT NULL, place BIGINT NOT NULL, name TEXT NOT NULL, energy "
      "DOUBLE "
      "PRECISION, latency DOUBLE PRECISION, mapping TEXT, PRIMARY KEY (number, place));";
  text += fmt::format("CREATE TABLE candidate (number {});", words.number_key);

  text += "CREATE VIEW figures AS " + query_of_figures(space) + ";";

  std::string no_worse, better;
  for (const std::string& objective : space.objectives) {
    const std::string name = quoted_name(objective);
    no_worse += fmt::format(" AND g.{0} <= f.{0}", name);
    better += fmt::format("{0}g.{1} < f.{1}", better.empty() ? "" : " OR ", name);
  }
  std::string front = fmt::format("SELECT f.* FROM ({}) f", query_of_candidates(space));
  if (!no_worse.empty())
    front += fmt::format(" WHERE NOT EXISTS (SELECT 1 FROM ({}) g WHERE ({}){})",
                         query_of_candidates(space), better, no_worse);
  return text + "CREATE VIEW front AS " + front + ";";
}

}  // namespace zz::core
