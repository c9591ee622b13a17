// Carbon as a figure of every result: a parser of a file of its own, and a stage that uses it.
#include <zz/stage.hpp>

// Figures of a carbon file.
struct Footprint {
  double embodied_per_area = 0;
  double grid_intensity = 0;
  double clock_frequency = 0;
  double lifetime = 3;
  static constexpr auto params = zz::params(
      zz::param<&Footprint::embodied_per_area>("embodied_per_area", "emitted by making the chip")
          .unit("g/mm2")
          .allowed("[0, inf]")
          .required(),
      zz::param<&Footprint::grid_intensity>("grid_intensity", "emitted by the electricity in use")
          .unit("g/kWh")
          .allowed("[0, inf]")
          .required(),
      zz::param<&Footprint::clock_frequency>("clock_frequency", "cycles per second")
          .unit("MHz")
          .allowed("(0, inf]")
          .required(),
      zz::param<&Footprint::lifetime>("lifetime", "time that the chip is in use")
          .unit("years")
          .allowed("(0, inf]"));
};

struct CarbonParserStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.CarbonParserStage",
      .name = "CarbonParserStage",
      .summary = "Reads the carbon file and hands it down",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string carbon;
  static constexpr auto params = zz::params(
      zz::param<&CarbonParserStage::carbon>("carbon", "path of the carbon file").required().input_path());
  static constexpr zz::Port provides[] = {zz::port("carbon", ZZ_MAP, "what the carbon file says")};

  zz::Value footprint;
  void prepare() { footprint = read_settings<Footprint>(carbon); }

  zz::Results run(zz::Value ctx) {
    for (zz::Result& result : substage(zz::with(ctx, {{"carbon", footprint}}))) co_yield std::move(result);
  }
};

struct CarbonStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.CarbonStage",
      .name = "CarbonStage",
      .summary = "Adds embodied and operational carbon to every result, in g",
      .doc =
          "The area of the accelerator, in mm2, is that of its units and of all instances of its memories. "
          "Of what making it emitted a result bears the share that its run takes of the lifetime.",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr zz::Port consumes[] = {zz::port("carbon", ZZ_MAP, "from CarbonParserStage")};
  static constexpr zz::Metric metrics[] = {
      zz::metric("carbon_embodied", "share of what making the chip emitted").unit("g"),
      zz::metric("carbon_operational", "emitted by the electricity of the run").unit("g"),
      zz::metric("carbon_total", "both").unit("g").column()};

  static double area(zz::Ref accelerator) {
    double area = accelerator["unit_count"].num() * accelerator["operational_array.unit_area"].num();
    const zz::Ref instances = accelerator["memory_instances"];
    for (zz::Ref memory : accelerator["memories"])
      area += memory["area"].num() * instances[memory["name"].str()].num();
    return area;
  }

  zz::Results run(zz::Value ctx) {
    const auto footprint = zz::unpack<Footprint>(ctx["carbon"]);
    const double seconds_of_life = footprint.lifetime * 365 * 24 * 3600;
    for (zz::Result& result : substage(ctx)) {
      const zz::Value& evaluation = result.evaluation;
      const double seconds = evaluation["latency_total2"].num() / (footprint.clock_frequency * 1e6);
      const double kilowatt_hours = evaluation["energy_total"].num() * 1e-12 / 3.6e6;
      const double making = area(evaluation["accelerator"]) * footprint.embodied_per_area;
      const double embodied = making * seconds / seconds_of_life;
      const double operational = kilowatt_hours * footprint.grid_intensity;
      result.evaluation = zz::with(evaluation, {{"carbon_embodied", embodied},
                                                {"carbon_operational", operational},
                                                {"carbon_total", embodied + operational}});
      co_yield std::move(result);
    }
  }
};

ZZ_PLUGIN("org.example.carbon", CarbonParserStage, CarbonStage)
