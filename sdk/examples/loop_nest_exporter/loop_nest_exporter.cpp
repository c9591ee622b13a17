// Writes the loop nest that was chosen for each layer as JSON for a compiler. README.md has the schema.
#include <algorithm>
#include <cmath>
#include <zz/stage.hpp>

namespace {

zz::Value map_of(const std::vector<zz::Entry>& entries) { return zz::make(nullptr, zz::Literal(entries)); }

struct LoopNestExporterStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.LoopNestExporterStage",
      .name = "LoopNestExporterStage",
      .summary = "Writes the loop nest of each result that passes as JSON for a compiler",
      .doc =
          "The file is `<folder>/<layer>.json`. Stands above a reducer, so that only what was chosen is "
          "written, and below SumStage, since a sum has no loops.",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC};

  std::string folder;
  static constexpr auto params =
      zz::params(zz::param<&LoopNestExporterStage::folder>("folder", "where the files go").required());

  zz::Results run(zz::Value ctx) {
    for (zz::Result& result : substage(ctx)) {
      const zz::Ref layer = result.evaluation["layer"];
      if (layer.is_null()) throw zz::Error(ZZ_E_INVALID, "a sum has no loops: stand below SumStage");
      std::string name(layer["name"].str());
      std::replace(name.begin(), name.end(), '/', '_');
      output(folder + "/" + name + ".json", loop_nest(result.evaluation).json() + "\n");
      co_yield std::move(result);
    }
  }

  static zz::Value loop_nest(zz::Ref evaluation) {
    const zz::Ref layer = evaluation["layer"];
    const zz::Ref loops = evaluation["temporal_mapping.loops"];
    std::vector<zz::Value> nest;
    for (uint32_t i = loops.size(); i-- > 0;)  // they are stored innermost first
      nest.push_back(zz::make({{"dimension", loops[i]["dimension"]},
                               {"size", loops[i]["size"]},
                               {"memory", memories_of_loop(evaluation, i)}}));
    return zz::make({{"layer", layer["name"]},
                     {"operator", layer["type"]},
                     {"equation", layer["equation"]},
                     {"unrolled", zz::make_list(unrolled(evaluation))},
                     {"loops", zz::make_list(nest)},
                     {"tiles", tiles(evaluation)}});
  }

  static std::vector<zz::Value> unrolled(zz::Ref evaluation) {
    std::vector<zz::Value> loops;
    for (const zz::Ref level : evaluation["spatial_mapping.operands[0].levels"])
      for (const zz::Ref loop : level)
        loops.push_back(zz::make({{"dimension", loop["dimension"]}, {"factor", units(loop)}}));
    return loops;
  }

  // Factors are averages over the rounds of a loop: of 7 channels on 2 units 1.75 work in each of four
  // rounds. A nest that misses no iteration has the units of the fullest one.
  static int64_t units(zz::Ref loop) {
    return static_cast<int64_t>(std::ceil(loop["factor"].num() - 1e-9));
  }

  // By operand, the innermost memory whose tile covers the loop.
  static zz::Value memories_of_loop(zz::Ref evaluation, uint32_t loop) {
    std::vector<zz::Entry> memories;
    for (uint32_t operand = 0; operand < evaluation["operands"].size(); ++operand) {
      const zz::Ref held = evaluation["temporal_mapping.operands"][operand]["stationary"];
      uint32_t level = 0;
      while (held[level].i64() <= loop) ++level;
      const zz::Ref costs = evaluation["operands"][operand];
      memories.emplace_back(zz::Name(costs["operand"].str()), costs["levels"][level]["memory"]);
    }
    return map_of(memories);
  }

  static zz::Value tiles(zz::Ref evaluation) {
    std::vector<zz::Value> lists;
    std::vector<zz::Entry> by_operand;
    for (uint32_t operand = 0; operand < evaluation["operands"].size(); ++operand) {
      const zz::Ref costs = evaluation["operands"][operand];
      std::vector<zz::Value> tiles;
      for (uint32_t level = 0; level < costs["levels"].size(); ++level) {
        const zz::Ref memory = costs["levels"][level];
        tiles.push_back(zz::make({{"memory", memory["memory"]},
                                  {"shape", tile_shape(evaluation, operand, level)},
                                  {"double_buffered", memory["utilization"].num() <= 0.5}}));
      }
      lists.push_back(zz::make_list(tiles));
      by_operand.emplace_back(zz::Name(costs["operand"].str()), lists.back());
    }
    return map_of(by_operand);
  }

  // The part of the operand in one instance of the memory, by the operand's own dimensions.
  static zz::Value tile_shape(zz::Ref evaluation, uint32_t operand, uint32_t level) {
    const zz::Ref layer = evaluation["layer"];
    std::vector<zz::Entry> shape;
    for (const zz::Ref dimension : layer["operands"][operand]["dimensions"]) {
      const zz::Name name(dimension.str());
      const zz::Ref sum = layer["relations"][name];  // IX = stride * OX + dilation * FX
      int64_t size = iterations(evaluation, operand, level, dimension.str());
      if (sum.exists()) {
        const int64_t outputs = iterations(evaluation, operand, level, sum["output_loop"].str());
        const int64_t filter = iterations(evaluation, operand, level, sum["filter_loop"].str());
        size = sum["stride"].i64() * (outputs - 1) + sum["dilation"].i64() * (filter - 1) + 1;
        size = std::min(size, sum["size"].i64());  // padding takes no room
      }
      shape.emplace_back(name, size);
    }
    return map_of(shape);
  }

  // Iterations of a loop in time and space below the given memory of the operand, in a first tile: no more
  // than the loop has.
  static int64_t iterations(zz::Ref evaluation, uint32_t operand, uint32_t level,
                            std::string_view dimension) {
    const zz::Ref mapping = evaluation["temporal_mapping"];
    const zz::Ref unrolled = evaluation["spatial_mapping.operands"][operand]["levels"];
    const int64_t held = mapping["operands"][operand]["stationary"][level].i64();
    int64_t product = 1;
    for (int64_t i = 0; i < held; ++i)
      if (mapping["loops"][i]["dimension"].str() == dimension) product *= mapping["loops"][i]["size"].i64();
    for (uint32_t below = 0; below <= level; ++below)
      for (const zz::Ref loop : unrolled[below])
        if (loop["dimension"].str() == dimension) product *= units(loop);
    for (const zz::Ref loop : evaluation["layer"]["loops"])
      if (loop["name"].str() == dimension) product = std::min(product, loop["size"].i64());
    return product;
  }
};

}  // namespace

ZZ_PLUGIN("org.example.loop_nest_exporter", LoopNestExporterStage)
