#include <doctest/doctest.h>
#include <memory>
#include <optional>

#include "core/workload/workload.hpp"

using zz::core::Layer;
using zz::core::Workload;

TEST_CASE("the missing share is of multiply-accumulates: work on elements is none") {
  Workload workload;
  CHECK(workload.missing_mac_share() == 0);
  Layer product, activation;
  product.loops = {{"K", 30}};
  activation.loops = {{"K", 1000}};
  activation.vector_work = true;
  workload.layers = {std::make_shared<const Layer>(product), std::make_shared<const Layer>(activation)};
  workload.uncosted = {{"a", "A", "", 10}, {"b", "B", "", 0}};
  CHECK(workload.missing_mac_share() == 0.25);
  workload.uncosted.push_back({"c", "C", ""});
  CHECK(workload.missing_mac_share() == std::nullopt);
}
