#include "host/report/merged_rows.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace zz;

namespace {

std::vector<std::string> names_of(const std::vector<host::TableLayer>& layers) {
  std::vector<std::string> names;
  for (const host::MergedRow& row : host::merged_rows(layers)) names.push_back(row.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("merged rows: few layers stay by themselves, but for iterations of a loop") {
  CHECK(names_of({{"a", {"1"}}, {"b", {"1"}}, {"a", {"1"}}}) == Names{"a", "b", "a"});
  CHECK(names_of({}).empty());
}

TEST_CASE("merged rows: of many layers those with equal cells are one row, at the place of the first") {
  std::vector<host::TableLayer> layers;
  for (int block = 0; block < 30; ++block) {
    layers.push_back({fmt::format("block{}/up", block), {"7", "units"}});
    layers.push_back({fmt::format("block{}/down", block), {"7", block == 29 ? "drain" : "dram"}});
  }
  CHECK(names_of(layers) == Names{"block0/up (x 30)", "block0/down (x 29)", "block29/down"});
  CHECK(host::merged_rows(layers)[2].first == 59);
}
