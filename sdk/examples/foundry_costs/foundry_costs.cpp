// A source of costs of one's own: fills what an accelerator file leaves open (auto) from the memories of a
// table.
#include <algorithm>
#include <limits>
#include <zz/stage.hpp>

// A row of the table: one memory that the foundry offers.
struct Macro {
  std::string name;
  int64_t size = 0, width = 0;
  double read = 0, write = 0, area = 0, leakage = 0, access_time = 0;
  static constexpr auto params = zz::params(
      zz::param<&Macro::name>("name", "of the memory").required(),
      zz::param<&Macro::size>("size", "capacity").unit("bit").allowed("[1, inf]").required(),
      zz::param<&Macro::width>("width", "of an access").unit("bit").allowed("[1, inf]").required(),
      zz::param<&Macro::read>("read", "one access").unit("pJ").allowed("[0, inf]").required(),
      zz::param<&Macro::write>("write", "one access").unit("pJ").allowed("[0, inf]").required(),
      zz::param<&Macro::area>("area", "of one instance").unit("mm2").allowed("[0, inf]").required(),
      zz::param<&Macro::leakage>("leakage", "of one instance").unit("mW").allowed("[0, inf]").required(),
      zz::param<&Macro::access_time>("access_time", "of a read").unit("ns").allowed("[0, inf]").required());
};

struct FoundryCostStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.FoundryCostStage",
      .name = "FoundryCostStage",
      .summary = "Fills the costs that memories leave open from a table",
      .doc =
          "Stands in the place of ComponentCostStage, or above it: what the table has no memory for stays "
          "open. The smallest memory of the table counts that is large and wide enough.",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string table;
  static constexpr auto params =
      zz::params(zz::param<&FoundryCostStage::table>("table", "path of the table of memories")
                     .required()
                     .input_path());
  static constexpr zz::Port consumes[] = {zz::object("accelerator", "accelerator", "has open costs")};
  static constexpr zz::Port provides[] = {
      zz::object("accelerator", "accelerator", "with the costs of the table"),
      zz::port("component_costs", ZZ_MAP, "for LeakageStage: leakage_power [mW], access_time [ns]")};

  std::vector<Macro> macros;
  void prepare() {
    macros = read_rows<Macro>(table);
    std::stable_sort(macros.begin(), macros.end(),
                     [](const Macro& a, const Macro& b) { return a.size < b.size; });
  }

  const Macro* macro_for(zz::Ref memory) const {
    int64_t width = 0;
    for (zz::Ref port : memory["ports"]) width = std::max(width, port["bandwidth_max"].i64());
    for (const Macro& macro : macros)
      if (macro.size >= memory["size"].i64() && macro.width >= width) return &macro;
    return nullptr;
  }

  // An open cost is minus infinity.
  static bool is_open(zz::Ref cost) { return cost.num() == -std::numeric_limits<double>::infinity(); }

  zz::Results run(zz::Value ctx) {
    zz::Value accelerator = ctx.hold(ctx["accelerator"]);
    const zz::Value before = accelerator;
    double leakage = 0, slowest = 0;
    for (zz::Ref memory : before["memories"]) {
      const Macro* macro = macro_for(memory);
      if (macro == nullptr) continue;
      const std::string path = "memories[" + std::string(memory["name"].str()) + "].";
      bool filled = false;
      for (const auto& [key, cost] : {std::pair{"r_cost", macro->read}, std::pair{"w_cost", macro->write},
                                      std::pair{"area", macro->area}}) {
        if (!is_open(memory[key])) continue;
        accelerator = zz::with(accelerator, {{path + key, cost}});
        filled = true;
      }
      if (!filled) continue;
      leakage += macro->leakage * before["memory_instances"][memory["name"].str()].num();
      slowest = std::max(slowest, macro->access_time);
      log(zz::Level::info, std::string(memory["name"].str()) + " is a " + macro->name);
    }
    const zz::Value costs = zz::make({{"leakage_power", leakage}, {"access_time", slowest}});
    for (zz::Result& result :
         substage(zz::with(ctx, {{"accelerator", accelerator}, {"component_costs", costs}})))
      co_yield std::move(result);
  }
};

ZZ_PLUGIN("org.example.foundry_costs", FoundryCostStage)
