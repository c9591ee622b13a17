#include <doctest/doctest.h>
#include <initializer_list>

#include "core/workload/workload.hpp"

using namespace zz::core;

namespace {

std::vector<std::uint32_t> runs_of(std::initializer_list<const char*> names) {
  std::vector<std::shared_ptr<const Layer>> layers;
  for (const char* name : names) {
    Layer layer;
    layer.name = name;
    layers.push_back(std::make_shared<const Layer>(layer));
  }
  return groups_of_distinct_names(layers);
}

}  // namespace

TEST_CASE("a layer whose name or file name is taken begins another run") {
  CHECK(runs_of({}).empty());
  CHECK(runs_of({"a", "b", "c"}) == std::vector<std::uint32_t>{3});
  CHECK(runs_of({"a", "b", "a", "c", "b"}) == std::vector<std::uint32_t>{2, 3});
  CHECK(runs_of({"x/y", "x_y"}) == std::vector<std::uint32_t>{1, 1});
}
