// A stage to start from: passes on what the chain below yields, with one metric more.
#include <zz/stage.hpp>

using namespace zz::literals;

struct MyStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.MyStage",
      .name = "MyStage",
      .summary = "Adds the cost of the energy",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  // Settings: the initialiser is the default.
  double price = 0.25;
  static constexpr auto params =
      zz::params(zz::param<&MyStage::price>("price", "of the energy").unit("1/pJ").allowed("[0, inf]"));

  // The metrics that it adds; `writes` would name others that it changes.
  static constexpr zz::Metric metrics[] = {zz::metric("energy_price", "what the energy costs").column()};

  zz::Results run(zz::Value ctx) {
    for (zz::Result& result : substage(ctx)) {
      const double energy = result.evaluation["energy_total"_n].num();
      result.evaluation = zz::with(result.evaluation, {{"energy_price", price * energy}});
      co_yield std::move(result);
    }
  }
};

ZZ_PLUGIN("org.example.my_plugin", MyStage)
