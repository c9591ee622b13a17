#include "core/store/result_store.hpp"

#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/texts.hpp"

namespace {

using namespace zz::core;

/// The name of a file in a folder of its own.
struct FreePath {
  zz::test::Folder folder;
  std::string path = (folder.path() / "store.sqlite").string();
};

StoredSpace small_space(const std::string& text = R"({"axes": {"a.\"b": [1, 2, 3]}})") {
  return {R"({"axes": 1})", text, {"a.\"b"}, {"energy", "latency"}, {"area"}, {"latency", "area"}};
}

ContentKey key_of(unsigned char number) {
  ContentKey key{};
  key[0] = number;
  return key;
}

void add(ResultStore& store, unsigned char number, double latency, double area) {
  store.add_figure(key_of(number), "latency", {latency, latency - 1});
  store.add_point({number, key_of(number), PointState::done, "", {nlohmann::json(number)}, {area}});
  store.add_candidate(number);
}

std::string reason_of(const std::string& path) {
  try {
    ResultStore(path, ResultStore::Access::write);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("result store: what was written is there again, and the front is of those that none beats") {
  const FreePath file;
  {
    ResultStore store(file.path, ResultStore::Access::write);
    store.begin(small_space());
    add(store, 0, 10, 1);
    add(store, 1, 5, 2);
    add(store, 2, 12, 1);
    store.add_failure(key_of(7), "nothing fits");
    store.add_answer(key_of(8), {3, 2.5, 0.1, "{}"});
    store.write();
    add(store, 3, 1, 1);  // not written
  }
  const ResultStore store(file.path, ResultStore::Access::read);
  CHECK(store.space().axes == std::vector<std::string>{"a.\"b"});
  const StoredTable front = store.front();
  CHECK(front.columns == std::vector<std::string>{"point", "a.\"b", "energy", "latency", "area",
                                                  "energy_bound", "latency_bound"});
  REQUIRE(front.rows.size() == 2);
  CHECK(front.rows[0][0] == 1);
  CHECK(front.rows[1][0] == 0);
  CHECK(front.rows[1][2].is_null());
  CHECK(store.figure(key_of(1), "latency")->bound == 4);
  CHECK_FALSE(store.figure(key_of(3), "latency").has_value());
  CHECK(*store.failure(key_of(7)) == "nothing fits");
  CHECK(store.answer(key_of(8))->mapping == "{}");
}

TEST_CASE(
    "result store: another text takes the points away and leaves figures, another identity is refused") {
  const FreePath file;
  ResultStore store(file.path, ResultStore::Access::write);
  store.begin(small_space());
  add(store, 0, 10, 1);
  store.write();
  store.begin(small_space(R"({"axes": {"a": [1]}, "constraints": []})"));
  CHECK(store.front().rows.empty());
  CHECK(store.figure(key_of(0), "latency")->value == 10);
  StoredSpace other = small_space();
  other.identity = R"({"axes": 2})";
  CHECK_THROWS_AS(store.begin(other), InputError);
}

TEST_CASE("result store: merged stores are as one") {
  const FreePath file;
  const std::string part = file.path + ".part", third = file.path + ".other";
  {
    ResultStore one(file.path, ResultStore::Access::write), two(part, ResultStore::Access::write),
        other(third, ResultStore::Access::write);
    one.begin(small_space());
    two.begin(small_space());
    other.begin(small_space(R"({"axes": {}})"));
    add(one, 0, 10, 1);
    add(two, 1, 9, 1);
    one.write();
    two.write();
    one.merge(part);
    CHECK(one.front().rows.size() == 1);
    CHECK(one.front().rows[0][0] == 1);
    CHECK(one.count(PointState::done) == 2);
    CHECK_THROWS_AS(one.merge(third), InputError);
  }
}

TEST_CASE("result store: outcomes are told as they were, each with its files, and merge") {
  const FreePath file;
  const std::string said = R"(["a point", "", "", [{"energy": 123456, "latency": 789}], {"points": 1}])";
  const std::string bytes("\0\1\2", 3);
  const auto check = [&](const ResultStore& store) {
    const std::vector<StoredOutcome> found = store.outcomes(key_of(1));
    REQUIRE(found.size() == 2);
    const StoredOutcome& one = found[found[0].files == "{}" ? 0 : 1];
    const StoredOutcome& other = found[found[0].files == "{}" ? 1 : 0];
    CHECK(one.status == "done");
    CHECK(one.seconds == 0.5);
    CHECK(one.said == said);
    CHECK(one.results == bytes);
    CHECK(other.status == "infeasible");
    CHECK(other.said == "nothing fits");
    CHECK(other.results.empty());
    CHECK(store.outcomes(key_of(2)).front().said == said + " and more");
    CHECK(store.outcomes(key_of(3)).empty());
  };
  {
    ResultStore store(file.path, ResultStore::Access::write);
    store.add_outcome(key_of(1), {"{}", "infeasible", 1, "what runs later counts", ""});
    store.add_outcome(key_of(1), {"{}", "done", 0.5, said, bytes});
    store.write();
    store.add_outcome(key_of(1), {R"({"a.yaml": "f00d"})", "infeasible", 1, "nothing fits", ""});
    store.add_outcome(key_of(2), {"{}", "done", 0.5, said + " and more", bytes});
    store.write();
    store.add_outcome(key_of(3), {"{}", "done", 0, "not written", ""});
  }
  check(ResultStore(file.path, ResultStore::Access::read));
  // The same files have another example there.
  const std::string target = file.path + ".all";
  ResultStore merged(target, ResultStore::Access::write);
  merged.add_outcome(key_of(4), {"{}", "done", 2, "an example", ""});
  merged.write();
  merged.merge(file.path);
  check(merged);
  CHECK(merged.outcomes(key_of(4)).front().said == "an example");
  CHECK_FALSE(merged.has_space());
  CHECK(merged.count_outcomes() == 4);
}

TEST_CASE("result store: a file that another one keeps locked is told after the patience, and left alone") {
  const FreePath file;
  {
    ResultStore store(file.path, ResultStore::Access::write);
    store.begin(small_space());
    add(store, 0, 10, 1);
    store.write();
  }
  const auto told = [](auto what) {
    try {
      what();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  constexpr std::chrono::milliseconds patience{20};
  ResultStore waits(file.path, ResultStore::Access::write, patience);
  waits.begin(small_space());
  add(waits, 1, 5, 1);
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open(file.path.c_str(), &other) == SQLITE_OK);
  REQUIRE(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  const std::string expected = "store.sqlite': is locked: another program has been writing it for 0.02 s";
  CHECK(told([&] { waits.write(); }).find(expected) != std::string::npos);
  for (const auto access : {ResultStore::Access::read, ResultStore::Access::write})
    CHECK(told([&] { ResultStore(file.path, access, patience); }).find(expected) != std::string::npos);
  REQUIRE(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(other);
  CHECK(waits.count(PointState::done) == 1);
  waits.write();  // a write that failed waits on
  CHECK(waits.count(PointState::done) == 2);
}

TEST_CASE("result store: files that are none are told and left alone") {
  const FreePath file;
  std::ofstream(file.path) << "this is a text that is long enough to be no file of SQLite, whatever it is";
  CHECK(reason_of(file.path).find("is no store of zz") != std::string::npos);
  CHECK(std::filesystem::file_size(file.path) == 74);
  std::filesystem::remove(file.path);
  {
    ResultStore store(file.path, ResultStore::Access::write);
    store.begin(small_space());
  }
  std::filesystem::resize_file(file.path, std::filesystem::file_size(file.path) - 4096);
  CHECK(reason_of(file.path).find("cut off") != std::string::npos);
}

namespace {

/// Changes a store as a stranger could.
void change(const std::string& path, const std::string& statements) {
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &file) == SQLITE_OK);
  CHECK(sqlite3_exec(file, statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(file);
}

void make_store(const std::string& path) {
  ResultStore store(path, ResultStore::Access::write);
  store.begin(small_space());
  add(store, 0, 10, 1);
  store.add_box({{1}, {2}, {3, 4}, "beaten by point 0"});
  store.write();
}

/// The message of reading all of a store.
std::string reason_of_reading(const std::string& path) {
  try {
    const ResultStore store(path, ResultStore::Access::read);
    store.front();
    store.figures();
    store.boxes();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("result store: no name of another store is SQL") {
  const FreePath file;
  const std::string other = file.path + ".other";
  const std::string written = (file.folder.path() / "written").string();
  for (const char* const fact : {"figures", "axes", "metrics", "objectives"}) {
    std::filesystem::remove(other);
    make_store(other);
    const std::string name = "x''; ATTACH DATABASE ''" + written + "'' AS o; CREATE TABLE o.t(a); --";
    change(other, std::string("UPDATE space SET value = '[\"") + name + "\"]' WHERE name = '" + fact + "'");
    std::filesystem::remove(file.path);
    ResultStore store(file.path, ResultStore::Access::write);
    try {
      store.merge(other);
    } catch (const InputError&) {
    }
    CHECK_FALSE(std::filesystem::exists(written));
  }
}

TEST_CASE("result store: a figure may have quotes in its name") {
  const FreePath file;
  StoredSpace space = small_space();
  space.figures.push_back("o'clock \"x\"");
  ResultStore store(file.path, ResultStore::Access::write);
  store.begin(space);
  add(store, 0, 10, 1);
  store.add_figure(key_of(0), space.figures.back(), {7, 6});
  store.write();
  CHECK(store.front().rows.at(0).at(4) == 7);
}

TEST_CASE("result store: damaged facts are errors of the store") {
  for (const std::string damage :
       {"UPDATE space SET value = '[1]' WHERE name = 'figures'",
        "UPDATE space SET value = '[' WHERE name = 'axes'",
        "UPDATE space SET value = '[99]' WHERE name = 'kinds'",
        "UPDATE space SET value = '[\"none\"]' WHERE name = 'objectives'",
        "UPDATE space SET value = '[\"area\", \"AREA\"]' WHERE name = 'metrics'",
        "UPDATE space SET value = 'text' WHERE name = 'text'", "UPDATE box SET lower = '[1, 1]'",
        "UPDATE box SET bounds = '['", "UPDATE figure SET value = 'much'", "UPDATE point SET area = x'00'",
        "DROP TABLE failure", "ALTER TABLE layer RENAME COLUMN mapping TO route",
        "ALTER TABLE point RENAME COLUMN reason TO because",
        "DROP VIEW front; DROP VIEW figures; DROP TABLE candidate; CREATE VIEW candidate AS WITH RECURSIVE "
        "n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n) SELECT number FROM n"}) {
    CAPTURE(damage);
    const FreePath file;
    make_store(file.path);
    CHECK(reason_of_reading(file.path) == "");
    change(file.path, damage);
    const std::string reason = reason_of_reading(file.path);
    CAPTURE(reason);
    CHECK(reason.find("damaged") != std::string::npos);
  }
}

TEST_CASE("result store: an answer that its bound does not allow is damage") {
  const FreePath file;
  ResultStore store(file.path, ResultStore::Access::write);
  store.add_answer(key_of(1), {10, 10 * (1 + 1e-12), 0, "rounded"});
  store.add_answer(key_of(2), {10, 11, 0, "wrong"});
  store.write();
  CHECK(store.answer(key_of(1))->value == 10);
  CHECK_THROWS_AS(store.answer(key_of(2)), StoreError);
}

TEST_CASE("result store: a run does not begin with tables that are others") {
  for (const char* const damage : {"ALTER TABLE failure RENAME COLUMN reason TO because",
                                   "ALTER TABLE point RENAME COLUMN key TO name", "DROP TABLE candidate"}) {
    CAPTURE(damage);
    const FreePath file;
    make_store(file.path);
    change(file.path, damage);
    const auto begin = [&] {
      ResultStore store(file.path, ResultStore::Access::write);
      store.begin(small_space());
    };
    CHECK_THROWS_AS(begin(), StoreError);
  }
}

TEST_CASE("result store: the front is of the tables, whatever the views of a store are") {
  const FreePath file;
  make_store(file.path);
  change(file.path, "DROP VIEW front; CREATE VIEW front AS SELECT 9 AS point");
  const ResultStore store(file.path, ResultStore::Access::read);
  CHECK(store.front().columns.size() == 7);
  CHECK(store.front().rows.at(0).at(0) == 0);
}

TEST_CASE("result store: the view and the host have the same front") {
  const FreePath file;
  ResultStore store(file.path, ResultStore::Access::write);
  store.begin(small_space());
  for (unsigned char i = 0; i < 40; ++i) add(store, i, i, 39 - i + 4 * (i % 3));
  store.add_point({200, key_of(200), PointState::done, "", {nlohmann::json(1)}, {std::nan("")}});
  store.add_candidate(200);
  store.write();
  std::vector<std::int64_t> there, here;
  for (const auto& row : store.front().rows) here.push_back(row.at(0).get<std::int64_t>());
  sqlite3* opened = nullptr;
  REQUIRE(sqlite3_open(file.path.c_str(), &opened) == SQLITE_OK);
  sqlite3_exec(
      opened, "SELECT point FROM front ORDER BY latency, area, point",
      [](void* all, int, char** texts, char**) {
        static_cast<std::vector<std::int64_t>*>(all)->push_back(std::stoll(texts[0]));
        return 0;
      },
      &there, nullptr);
  sqlite3_close(opened);
  CHECK(here.size() > 2);
  CHECK(here == there);
}

TEST_CASE("result store: names that differ by case only, or are those of bounds, are refused") {
  StoredSpace space = small_space();
  for (const char* const name :
       {"Latency", "ENERGY", "energy_bound", "Latency_Bound", "A.\"B", "State", "energy"}) {
    CAPTURE(name);
    space.metrics = {"area", name};
    REQUIRE(name_clashes(space).size() == 1);
    CHECK(name_clashes(space)[0].name == name);
    const FreePath file;
    ResultStore store(file.path, ResultStore::Access::write);
    CHECK_THROWS_AS(store.begin(space), InputError);
  }
  space.metrics = {"area", "latency_bounds"};
  CHECK(name_clashes(space).empty());
}

TEST_CASE("result store: a store is a file by its path, never by a URI, and no pipe") {
  const FreePath file;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(file.folder.path());
  { ResultStore store("file:other?mode=memory", ResultStore::Access::write); }
  CHECK(std::filesystem::is_regular_file("file:other?mode=memory"));
  std::filesystem::create_symlink("target.sqlite", "link.sqlite");
  { ResultStore store("link.sqlite", ResultStore::Access::write); }
  CHECK(std::filesystem::is_regular_file("target.sqlite"));
  std::filesystem::current_path(before);
  CHECK(reason_of("/dev/null").find("no regular file") != std::string::npos);
  CHECK_FALSE(ResultStore::is_store("/dev/zero"));
}
