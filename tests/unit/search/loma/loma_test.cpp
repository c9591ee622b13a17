#include "core/search/loma/loma.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

std::vector<std::string> orders_of(std::vector<OrderingEntry> ordering) {
  Layer layer = gemm(4, 2, 3);
  layer.mapping.temporal_ordering = std::move(ordering);
  const auto shared = std::make_shared<const Layer>(layer);
  const auto accelerator = std::make_shared<const Accelerator>(small_accelerator(64, 1024, 8));
  const auto spatial =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*shared, *accelerator, {}).fractional);
  Loma search(shared, accelerator, spatial, LomaOptions{});
  CompactMappings batch;
  std::vector<std::string> orders;
  while (!search.finished()) {
    search.next(batch, 7);
    for (std::size_t row = 0; row < batch.rows.size(); ++row) {
      std::string text;
      for (const TemporalLoop& loop : batch.mapping(row).loops) text += loop.dimension;
      orders.push_back(text);
    }
  }
  return orders;
}

}  // namespace

TEST_CASE("loop orders: constraints count from the innermost loop, behind '*' from the outermost") {
  CHECK(orders_of({}).size() == 12);
  for (const std::string& order : orders_of({{"M", {}}, {"C", 3}})) CHECK(order.starts_with("MC"));
  CHECK(orders_of({{"M", {}}, {"C", 3}}).size() == 2);
  for (const std::string& order : orders_of({{"M", {}}, {"*", {}}, {"N", {}}})) {
    CHECK(order.front() == 'M');
    CHECK(order.back() == 'N');
  }
  CHECK(orders_of({{"M", {}}, {"*", {}}, {"N", {}}}).size() == 2);
  CHECK(orders_of({{"M", 4}, {"N", 2}, {"C", 3}}) == std::vector<std::string>{"MNC"});  // complete
  CHECK_THROWS_AS(orders_of({{"N", {}}, {"N", {}}}), NoResult);
  CHECK(orders_of({{"M", 4}, {"N", 2}, {"*", {}}, {"C", 3}}) == std::vector<std::string>{"MNC"});
  CHECK_THROWS_AS(orders_of({{"*", {}}, {"*", {}}}), InputError);
  CHECK_THROWS_AS(orders_of({{"Q", {}}}), InputError);
}

TEST_CASE("loop orders: memories that are too small reject every order, and the reason names one") {
  const auto layer = std::make_shared<const Layer>(gemm(4, 2, 3));
  const auto accelerator = std::make_shared<const Accelerator>(small_accelerator(4, 1024, 8));
  const auto spatial =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*layer, *accelerator, {}).fractional);
  Loma search(layer, accelerator, spatial, LomaOptions{});
  CompactMappings batch;
  // The caller gets its turn although nothing fits.
  search.next(batch, 5);
  CHECK(search.orders_visited() == 5);
  CHECK_FALSE(search.finished());
  search.next(batch, 100);
  CHECK(search.finished());
  CHECK(batch.rows.empty());
  CHECK(search.orders_rejected() == search.orders_visited());
  CHECK(search.reason().find("weight_register") != std::string::npos);
}
