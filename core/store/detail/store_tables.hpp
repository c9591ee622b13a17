#pragma once
#include <string>
#include <vector>

#include "core/store/detail/database.hpp"
#include "core/store/result_store.hpp"

namespace zz::core {

/// The layout that these tables are.
inline constexpr int store_layout = 4;

/// Makes the tables whose rows outlive a change of the space.
std::string lasting_tables(const SqlWords& words);
/// Makes the tables and views whose columns are those of a space.
std::string tables_of(const StoredSpace& space, const SqlWords& words);
inline constexpr const char* without_tables_of_space =
    "DROP VIEW IF EXISTS front; DROP VIEW IF EXISTS figures; DROP TABLE IF EXISTS point; DROP TABLE IF "
    "EXISTS box; DROP TABLE IF EXISTS layer; DROP TABLE IF EXISTS candidate;";

/// The contents of the views, as queries of the tables alone: a store's own views may be others.
std::string query_of_figures(const StoredSpace& space);
/// The rows of `front`, and those that others beat besides, in no order; all is NULL of a candidate that is
/// no point.
std::string query_of_candidates(const StoredSpace& space);
/// The names of the columns of both; `figures` has state and reason besides. Databases cut long names.
std::vector<std::string> columns_of_front(const StoredSpace& space);

/// Queries that a store can prepare when its tables are what the above makes: those that outlive a space,
/// and those of a space.
std::vector<std::string> probes_of_lasting_tables();
std::vector<std::string> probes_of_tables(const StoredSpace& space);

/// A text as SQL takes it.
std::string quoted_text(std::string_view text);

/// The names as further columns: `, p."a", p."b"`.
std::string columns_of(const std::vector<std::string>& names, const std::string& before);

}  // namespace zz::core
