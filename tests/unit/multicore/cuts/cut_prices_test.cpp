#include "core/multicore/cuts/cut_prices.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "core/multicore/cuts/cut_menu.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;

namespace {

/// Four layers in a row, the middle two of which are equal but for their places: nothing is before the
/// first.
core::Workload two_alike() {
  test::NetworkBuilder network;
  for (const int id : {0, 1, 2, 3}) {
    core::Layer layer = test::conv_layer(id, {.k = id == 3 ? 8 : 16, .c = 16, .oy = 6, .iy = 6}, id - 1);
    layer.mapping.core_allocation = {0, 1, 2, 3};
    network.add(layer);
  }
  return network.workload();
}

void check_same(const core::CoreCosts::OfLayer& a, const core::CoreCosts::OfLayer& b) {
  REQUIRE(a.smaller.size() == b.smaller.size());
  for (int shape = 0; shape <= static_cast<int>(a.smaller.size()); ++shape) {
    REQUIRE(a.of(shape).size() == b.of(shape).size());
    for (std::size_t i = 0; i < a.of(shape).size(); ++i) {
      CHECK(a.of(shape)[i].core == b.of(shape)[i].core);
      CHECK(a.of(shape)[i].runtime == b.of(shape)[i].runtime);
      CHECK(a.of(shape)[i].onchip_energy == b.of(shape)[i].onchip_energy);
      CHECK(a.of(shape)[i].streamed == b.of(shape)[i].streamed);
    }
  }
}

}  // namespace

TEST_CASE("prices of menus: equal layers have one price, that of either asked by itself") {
  const core::Workload workload = two_alike();
  const test::ShippedCase shipped("small_cnn.yaml", "systolic_quad_core");
  core::PartitionGraphs graphs(workload, shipped.accelerator, core::cut_menus(workload, {{}, 4}));
  core::CutPrices prices(shipped.accelerator, test::default_answers());
  core::price_menus(graphs, prices, test::on_threads(1));
  REQUIRE(graphs.first_alike(2) == 1);
  CHECK(graphs.first_alike(1) == 1);
  CHECK(graphs.first_alike(3) == 3);
  core::CutPrices alone(shipped.accelerator, test::default_answers());
  int shared = 0;
  for (const auto& known : prices.known()) {
    const core::CutKey& cut = known.first;
    const core::CutPrice& price = known.second;
    CAPTURE(cut.layer);
    CAPTURE(cut.cut);
    alone.ask({cut}, {core::node_pieces(graphs.node_samples(cut.layer, cut.cut)->layers.front())});
    check_same(*price.costs, *alone.find(cut)->costs);
    if (cut.layer != 2) continue;
    CHECK(price.costs == prices.find({1, cut.cut, cut.needs})->costs);
    ++shared;
  }
  CHECK(shared > 4);
  CHECK(prices.known().size() == alone.known().size());
  CHECK(prices.changes() == alone.changes());
}

TEST_CASE("prices of menus: layers whose cores or cuts differ are not alike") {
  core::Workload workload = two_alike();
  auto elsewhere = std::make_shared<core::Layer>(*workload.layers[2]);
  elsewhere->mapping.core_allocation = {0, 1, 2};
  workload.layers[2] = elsewhere;
  const test::ShippedCase shipped("small_cnn.yaml", "systolic_quad_core");
  core::CutMenus menus = core::cut_menus(workload, {{}, 4});
  CHECK(core::PartitionGraphs(workload, shipped.accelerator, menus).first_alike(2) == 2);
  elsewhere->mapping.core_allocation = {0, 1, 2, 3};
  CHECK(core::PartitionGraphs(workload, shipped.accelerator, menus).first_alike(2) == 1);
  menus[2].pop_back();
  CHECK(core::PartitionGraphs(workload, shipped.accelerator, menus).first_alike(2) == 2);
}
