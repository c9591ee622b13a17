#include "core/multicore/cuts/cut_prices.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
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

TEST_CASE("prices of menus: needs that change no cost of a cut make no entry of a menu and no change") {
  const core::Workload workload = two_alike();
  const test::ShippedCase shipped("small_cnn.yaml", "systolic_quad_core");
  core::PartitionGraphs graphs(workload, shipped.accelerator, core::cut_menus(workload, {{}, 4}));
  core::CutPrices prices(shipped.accelerator, test::default_answers());
  core::price_menus(graphs, prices, test::on_threads(1));
  const std::size_t changes = prices.changes(), known = prices.known().size();
  const core::PricedMenus menus = core::priced_menus(graphs, prices);
  for (const auto& entry : std::map(prices.known())) {
    core::CutKey cut = entry.first;
    for (std::int64_t& bits : cut.needs) bits += bits > 0 ? 1 : 0;
    prices.ask({cut}, {core::node_pieces(graphs.node_samples(cut.layer, cut.cut)->layers.front())});
    const core::Cut& loops = graphs.cuts()[cut.layer][cut.cut];
    const auto lists = [&](const core::PricedCut& listed) {
      const std::vector<core::Cut>& others = listed.grouped_otherwise;
      return listed.loops == loops || std::count(others.begin(), others.end(), loops) == 1;
    };
    CHECK(std::any_of(menus[cut.layer].begin(), menus[cut.layer].end(), lists));
  }
  CHECK(prices.known().size() > known);
  CHECK(prices.changes() == changes);
  const core::PricedMenus again = core::priced_menus(graphs, prices);
  for (std::size_t layer = 0; layer < menus.size(); ++layer) {
    REQUIRE(again[layer].size() == menus[layer].size());
    for (std::size_t i = 0; i < menus[layer].size(); ++i) {
      CHECK(again[layer][i].loops == menus[layer][i].loops);
      CHECK(again[layer][i].costs == menus[layer][i].costs);
      CHECK(again[layer][i].grouped_otherwise == menus[layer][i].grouped_otherwise);
    }
  }
}
