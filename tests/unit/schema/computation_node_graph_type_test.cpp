#include <doctest/doctest.h>

#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace zz::core {
namespace {

/// Two layers of four rows each.
Value sample() {
  test::ConvSizes sizes;
  sizes.k = sizes.c = 2;
  sizes.oy = sizes.iy = 4;
  test::NetworkBuilder network;
  network.add(test::conv_layer(3, sizes, -1));
  network.add(test::conv_layer(7, sizes, 3));
  SplitOptions options;
  options.loops = {{"OY", std::nullopt}};
  return Value::object(
      std::make_shared<const ComputationNodeGraph>(test::split(network.workload(), options)));
}

std::int64_t number(const Value& value, std::string_view path) {
  std::int64_t found = -1;
  REQUIRE_MESSAGE(read_i64(part(value.ref(), intern(path)), found), path);
  return found;
}

std::uint32_t length(const Value& value, std::string_view path) {
  return count_of(part(value.ref(), intern(path)));
}

}  // namespace

TEST_CASE("every part of a graph of computation nodes can be read") {
  const Value graph = sample();
  CHECK(length(graph, "layers") == 2);
  CHECK(number(graph, "layers[1].layer.id") == 7);
  CHECK(number(graph, "layers[1].tile.loops[OY].size") == 1);
  CHECK(number(graph, "layers[1].first_node") == 4);
  CHECK(number(graph, "layers[0].outer_loops[0].count") == 4);
  CHECK(length(graph, "nodes") == 8);
  CHECK(number(graph, "nodes[5].layer") == 1);
  CHECK(number(graph, "nodes[5].sub_id") == 1);
  CHECK(number(graph, "nodes[5].produced_bits") == 2 * 8);
  const std::string tensor = std::to_string(number(graph, "nodes[5].tensors[0]"));
  CHECK(number(graph, "tensors[" + tensor + "].first_node") == 5);
  CHECK(number(graph, "tensors[" + tensor + "].bits") == 2 * 8);
  // Three within each layer, and one for each row.
  CHECK(length(graph, "dependencies") == 10);
  CHECK(number(graph, "dependencies[9].from") == 3);
  CHECK(number(graph, "dependencies[9].to") == 7);
  CHECK(number(graph, "dependencies[9].operand") == 2);
  CHECK(length(graph, "topological_order") == 8);
}

TEST_CASE("a graph that is changed must still fit together") {
  const Edit nowhere[] = {{intern("dependencies[9].to"), Value::integer(99)}};
  CHECK_THROWS(with(sample(), nowhere));
  const Edit backwards[] = {{intern("dependencies[9].from"), Value::integer(7)},
                            {intern("dependencies[9].to"), Value::integer(3)},
                            {intern("dependencies[8].from"), Value::integer(3)},
                            {intern("dependencies[8].to"), Value::integer(7)}};
  CHECK_THROWS(with(sample(), backwards));
  const Edit harmless[] = {{intern("dependencies[9].bits"), Value::integer(1)}};
  CHECK(number(with(sample(), harmless), "dependencies[9].bits") == 1);
}

}  // namespace zz::core
