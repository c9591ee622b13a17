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

std::string columns_of(const std::vector<std::string>& names, const std::string& before) {
  std::string text;
  for (const std::string& name : names) text += ", " + before + quoted_name(name);
  return text;
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

  std::string figures, bounds, joins;
  std::vector<std::string> bound_names;
  for (std::size_t i = 0; i < space.figures.size(); ++i) {
    bound_names.push_back(space.figures[i] + "_bound");
    figures += fmt::format(", f{}.value AS {}", i, quoted_name(space.figures[i]));
    bounds += fmt::format(", f{}.bound AS {}", i, quoted_name(bound_names.back()));
    joins += fmt::format(" LEFT JOIN figure f{0} ON f{0}.key = p.key AND f{0}.name = '{1}'", i,
                         space.figures[i]);
  }
  text += "CREATE VIEW figures AS SELECT p.number AS point" + columns_of(space.axes, "p.") + figures +
          columns_of(space.metrics, "p.") + bounds + ", p.state, p.reason FROM point p" + joins + ";";

  std::string no_worse, better;
  for (const std::string& objective : space.objectives) {
    const std::string name = quoted_name(objective);
    no_worse += fmt::format("{}g.{} <= f.{}", no_worse.empty() ? "" : " AND ", name, name);
    better += fmt::format("{}g.{} < f.{}", better.empty() ? "" : " OR ", name, name);
  }
  text += "CREATE VIEW front AS SELECT f.point" + columns_of(space.axes, "f.") +
          columns_of(space.figures, "f.") + columns_of(space.metrics, "f.") +
          columns_of(bound_names, "f.") + " FROM candidate c JOIN figures f ON f.point = c.number";
  if (!no_worse.empty())
    text += " WHERE NOT EXISTS (SELECT 1 FROM candidate d JOIN figures g ON g.point = d.number WHERE " +
            no_worse + " AND (" + better + "))";
  return text + ";";
}

}  // namespace zz::core
