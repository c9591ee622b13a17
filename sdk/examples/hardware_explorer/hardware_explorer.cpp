// Explores hardware: every size of one memory with every shape of the array, within an area budget.
#include <algorithm>
#include <cmath>
#include <zz/stage.hpp>

// A row of the cost table.
struct MemoryCost {
  int64_t size = 0;
  double read = 0, write = 0, area = 0;
  static constexpr auto params = zz::params(
      zz::param<&MemoryCost::size>("size", "capacity").unit("bit").allowed("[1, inf]").required(),
      zz::param<&MemoryCost::read>("read", "one access").unit("pJ").allowed("[0, inf]").required(),
      zz::param<&MemoryCost::write>("write", "one access").unit("pJ").allowed("[0, inf]").required(),
      zz::param<&MemoryCost::area>("area", "of one instance").unit("mm2").allowed("[0, inf]").required());
};

double area_of(zz::Ref accelerator) {
  double area = accelerator["unit_count"].num() * accelerator["operational_array.unit_area"].num();
  for (zz::Ref memory : accelerator["memories"])
    area += memory["area"].num() * accelerator["memory_instances"][memory["name"].str()].num();
  return area;
}

struct HardwareExplorerStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.HardwareExplorerStage",
      .name = "HardwareExplorerStage",
      .summary = "Tries sizes of a memory and shapes of the array, and keeps what nothing beats",
      .doc =
          "Passes on the results that no other one beats in energy, latency and area together, in the "
          "order "
          "of the points. Points that are too large or that nothing can be mapped on are recorded with the "
          "reason, and the exploration goes on.",
      .flags = ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string memory, memory_costs;
  std::vector<std::vector<int64_t>> array_shapes;
  double area_budget = INFINITY;
  std::optional<std::string> points_file;
  static constexpr auto params = zz::params(
      zz::param<&HardwareExplorerStage::memory>("memory", "the memory whose size varies").required(),
      zz::param<&HardwareExplorerStage::memory_costs>("memory_costs", "path of the table of its sizes")
          .required()
          .input_path(),
      zz::param<&HardwareExplorerStage::array_shapes>("array_shapes", "sizes of the array's dimensions")
          .required(),
      zz::param<&HardwareExplorerStage::area_budget>("area_budget", "no more than this").unit("mm2"),
      zz::param<&HardwareExplorerStage::points_file>("points_file", "where the list of all points goes"));
  static constexpr zz::Port consumes[] = {zz::object("accelerator", "accelerator", "is varied")};
  static constexpr zz::Port provides[] = {zz::object("accelerator", "accelerator", "of one point")};

  struct Point {
    MemoryCost cost;
    std::vector<int64_t> shape;
  };
  std::vector<Point> points;
  void prepare() {
    for (const MemoryCost& cost : read_rows<MemoryCost>(memory_costs))
      for (const std::vector<int64_t>& shape : array_shapes) points.push_back({cost, shape});
  }

  // The accelerator of a point; checked like one from a file.
  zz::Value variant(const zz::Value& accelerator, const Point& point) const {
    const std::string path = "memories[" + memory + "].";
    zz::Value changed = zz::with(accelerator, {{path + "size", point.cost.size},
                                               {path + "r_cost", point.cost.read},
                                               {path + "w_cost", point.cost.write},
                                               {path + "area", point.cost.area}});
    for (std::size_t i = 0; i < point.shape.size(); ++i) {
      const std::string dimension = "operational_array.dimensions[" + std::to_string(i) + "]";
      changed = zz::with(changed, {{dimension + ".size", point.shape[i]}});
    }
    return changed;
  }

  struct Outcome {
    uint32_t point = 0;
    zz::Result result;
    double energy = 0, latency = 0, area = 0;
    std::string infeasible;  // the reason; empty when there is a result

    bool beats(const Outcome& other) const {
      return infeasible.empty() && energy <= other.energy && latency <= other.latency &&
             area <= other.area && (energy < other.energy || latency < other.latency || area < other.area);
    }
  };

  // All points, in their order, whatever the number of threads.
  std::vector<Outcome> explore(const zz::Value& ctx) const {
    const zz::Value accelerator = ctx.hold(ctx["accelerator"]);
    std::vector<double> areas(points.size());
    zz::Progress display = progress("hardware points", points.size());
    auto runs = ordered(
        static_cast<uint32_t>(points.size()),
        [&](uint32_t i) {
          const zz::Value changed = variant(accelerator, points[i]);
          areas[i] = area_of(changed);
          if (areas[i] > area_budget)
            throw zz::Error(ZZ_E_INVALID, std::to_string(areas[i]) + " mm2 are more than the budget");
          return zz::with(ctx, {{"accelerator", changed}});
        },
        &display, zz::AfterFailure::go_on);

    std::vector<Outcome> outcomes;
    for (;;) {
      Outcome outcome;
      try {
        if (!runs.next(outcome.result)) return outcomes;
        outcome.energy = outcome.result.evaluation["energy_total"].num();
        outcome.latency = outcome.result.evaluation["latency_total2"].num();
      } catch (const zz::Error& failure) {
        // These two concern the point; a bug or an interruption concerns all.
        if (failure.code != ZZ_E_INVALID && failure.code != ZZ_E_NO_RESULT) throw;
        outcome.infeasible = failure.what();
      }
      outcome.point = runs.index();
      outcome.area = areas[outcome.point];
      outcomes.push_back(std::move(outcome));
    }
  }

  zz::Results run(zz::Value ctx) {
    std::vector<zz::Value> table;
    std::vector<zz::Result> kept;
    std::vector<Outcome> outcomes = explore(ctx);
    for (const Outcome& outcome : outcomes) {
      const Point& point = points[outcome.point];
      const zz::Value settings =
          zz::make({{memory + ".size", point.cost.size}, {"array_shape", point.shape}});
      if (!outcome.infeasible.empty()) {
        table.push_back(zz::make({{"settings", settings}, {"infeasible", outcome.infeasible}}));
        continue;
      }
      const bool best = std::none_of(outcomes.begin(), outcomes.end(),
                                     [&](const Outcome& other) { return other.beats(outcome); });
      table.push_back(zz::make({{"settings", settings},
                                {"energy", outcome.energy},
                                {"latency", outcome.latency},
                                {"area", outcome.area},
                                {"pareto", best}}));
      if (best)
        kept.emplace_back(zz::with(outcome.result.evaluation, {{"area", outcome.area}}),
                          zz::make({{"settings", settings}, {"extra", outcome.result.extra}}));
    }
    if (points_file) output(*points_file, zz::make_list(table).json());
    if (kept.empty())
      throw zz::Error(ZZ_E_NO_RESULT, "none of " + std::to_string(points.size()) + " points is feasible");
    for (zz::Result& result : kept) co_yield std::move(result);
  }
};

ZZ_PLUGIN("org.example.hardware_explorer", HardwareExplorerStage)
