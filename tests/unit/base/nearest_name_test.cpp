#include "core/base/nearest_name.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace zz::core;

TEST_CASE("the nearest name is found among known ones") {
  const std::vector<std::string> names = {"size", "r_cost", "w_cost", "served_dimensions", "I1"};
  CHECK(nearest_name("sise", names) == "size");
  CHECK(nearest_name("seved_dimension", names) == "served_dimensions");
  CHECK(nearest_name("sizes", names) == "size");
  CHECK(nearest_name("szie", names) == "size");
  CHECK(nearest_name("i1", names) == "I1");
  CHECK(nearest_name("bandwidth", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(suggestion("r_cots", names) == "did you mean 'r_cost'?");
  CHECK(suggestion("x", names) == "known: size, r_cost, w_cost, served_dimensions, I1");
  CHECK(suggestion("x", {}).empty());
}

TEST_CASE("long names and very many names are compared in part") {
  const std::vector<std::string> names(1000, std::string(100'000, 'x'));
  CHECK(nearest_name(std::string(100'000, 'x'), names).empty());
  CHECK(suggestion("x", names).size() < 8 * 80);
  std::vector<std::string> many(100'000, "other");
  many[999] = "size";
  CHECK(nearest_name("sise", many) == "size");
}

TEST_CASE("the nearest path is found, folder by folder") {
  const std::string folder = std::filesystem::temp_directory_path() / "zz_nearest_path";
  std::filesystem::create_directories(folder + "/workloads");
  std::ofstream(folder + "/workloads/small_cnn.yaml");
  const std::string meant = "did you mean '" + folder + "/workloads/small_cnn.yaml'?";
  CHECK(suggestion_of_path(folder + "/workloads/smal_cnn.yaml") == meant);
  CHECK(suggestion_of_path(folder + "/workload/small_cnn.yml") == meant);
  CHECK(suggestion_of_path(folder + "/workloads/small_cnn") == meant);
  CHECK(suggestion_of_path(folder + "/workloads/other.yaml").empty());
  CHECK(suggestion_of_path(folder + "/nothing/alike.yaml").empty());
  CHECK(suggestion_of_path(folder + "/workloads/small_cnn.yaml").empty());
  CHECK(suggestion_of_path("").empty());
  std::filesystem::remove_all(folder);
}
