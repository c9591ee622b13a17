// Packs the weights of a network into in-memory-computing macros, and does away with the reloading of those
// that stay. README.md says what is packed how, and how good that is.
#include <algorithm>
#include <numeric>
#include <zz/stage.hpp>

namespace {

// A piece of a layer's weights, and where it is kept: of `rows` by `columns` weights.
struct Tile {
  std::size_t layer;
  int64_t group, row, column;  // of the layer's weights, where it begins
  int64_t rows, columns;
  int64_t macro = 0, at_row = 0, at_column = 0;
};

struct Shelf {  // tiles side by side
  int64_t row, rows, columns_used;
};
struct Macro {
  std::vector<Shelf> shelves;
  int64_t rows_used = 0;
};

int64_t in_parts_of(int64_t all, int64_t part) { return (all + part - 1) / part; }

// Cuts the weights of a layer: those of `memory_operand`, if they are constant. Loops of the output and the
// input are groups, each with a matrix of its own; of the output alone, columns; all others, rows.
void cut(zz::Ref layer, std::size_t number, std::string_view memory_operand, int64_t macro_rows,
         int64_t macro_columns, std::vector<Tile>& tiles) {
  const zz::Ref operands = layer["operands"];
  for (uint32_t i = 1; i < operands.size(); ++i) {
    const zz::Ref weights = operands[i], input = operands[i == 1 ? 2 : 1];
    if (layer["memory_operands"][i].str() != memory_operand || !weights["constant"].boolean()) continue;
    int64_t groups = 1, rows = 1, columns = 1;
    for (const zz::Ref dimension : weights["dimensions"]) {
      const auto addresses = [&](zz::Ref operand) {
        const zz::Ref all = operand["dimensions"];
        return std::any_of(all.begin(), all.end(), [&](zz::Ref d) { return d.str() == dimension.str(); });
      };
      int64_t& extent = !addresses(operands[0]) ? rows : addresses(input) ? groups : columns;
      extent *= layer["loops"][zz::Name(dimension.str())]["size"].i64();
    }
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t row = 0; row < rows; row += macro_rows)
        for (int64_t column = 0; column < columns; column += macro_columns)
          tiles.push_back({number, group, row, column, std::min(macro_rows, rows - row),
                           std::min(macro_columns, columns - column)});
  }
}

// First fit decreasing, by shelves. Gives the number of macros.
std::size_t pack(std::vector<Tile>& tiles, int64_t rows, int64_t columns) {
  std::stable_sort(tiles.begin(), tiles.end(), [](const Tile& a, const Tile& b) {
    return std::tie(a.rows, a.columns) > std::tie(b.rows, b.columns);
  });
  std::vector<Macro> macros;
  const auto fits = [&](Macro& macro, Tile& tile) {
    auto shelf = std::find_if(macro.shelves.begin(), macro.shelves.end(),
                              [&](const Shelf& s) { return s.columns_used + tile.columns <= columns; });
    if (shelf == macro.shelves.end()) {
      if (macro.rows_used + tile.rows > rows) return false;
      shelf = macro.shelves.insert(shelf, {macro.rows_used, tile.rows, 0});
      macro.rows_used += tile.rows;
    }
    tile.at_row = shelf->row;
    tile.at_column = shelf->columns_used;
    shelf->columns_used += tile.columns;
    return true;
  };
  for (Tile& tile : tiles) {
    std::size_t macro = 0;
    while (macro < macros.size() && !fits(macros[macro], tile)) ++macro;
    if (macro == macros.size()) fits(macros.emplace_back(), tile);
    tile.macro = static_cast<int64_t>(macro);
  }
  return macros.size();
}

// No packing has fewer macros: by area; as two tiles that are both taller than half a macro share no
// column; as two that are both wider share no row; and as two that are both do not go into one macro at
// all.
int64_t fewest(const std::vector<Tile>& tiles, int64_t rows, int64_t columns) {
  int64_t area = 0, columns_of_tall = 0, rows_of_wide = 0, large = 0;
  for (const Tile& tile : tiles) {
    const bool tall = 2 * tile.rows > rows, wide = 2 * tile.columns > columns;
    area += tile.rows * tile.columns;
    if (tall) columns_of_tall += tile.columns;
    if (wide) rows_of_wide += tile.rows;
    if (tall && wide) ++large;
  }
  return std::max({in_parts_of(area, rows * columns), in_parts_of(columns_of_tall, columns),
                   in_parts_of(rows_of_wide, rows), large});
}

struct WeightPackingStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.WeightPackingStage",
      .name = "WeightPackingStage",
      .summary = "Packs the weights of all layers into in-memory-computing macros",
      .doc =
          "Stands above SumStage. The accelerator is one macro: D1 its columns, D2 its rows. Hands down "
          "and "
          "writes the plan; sums get the metrics `macros` and `fewest_macros`, a lower bound.",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC};

  int64_t macros = 1;
  std::string file;
  static constexpr auto params = zz::params(
      zz::param<&WeightPackingStage::macros>("macros", "on the chip").allowed("[1, inf]"),
      zz::param<&WeightPackingStage::file>("file", "where to write the plan, as JSON").required());
  static constexpr zz::Port consumes[] = {
      zz::object("workload", "workload", "its weights are packed"),
      zz::object("accelerator", "accelerator", "a macro, with its weights in a memory called cells")};
  static constexpr zz::Port provides[] = {zz::port("weight_packing", ZZ_MAP, "the plan")};
  static constexpr const char* writes[] = {"macros", "fewest_macros"};

  zz::Results run(zz::Value ctx) {
    const zz::Value plan = plan_of(ctx["workload"], ctx["accelerator"]);
    output(file, plan.json() + "\n");
    for (zz::Result& result : substage(zz::with(ctx, {{"weight_packing", plan}}))) {
      if (result.evaluation["is_sum"].boolean())
        result.evaluation = zz::with(
            result.evaluation, {{"macros", plan["macros"]}, {"fewest_macros", plan["fewest_macros"]}});
      co_yield std::move(result);
    }
  }

  zz::Value plan_of(zz::Ref workload, zz::Ref accelerator) const {
    const zz::Ref array = accelerator["operational_array"], cells = accelerator["memories"]["cells"];
    if (array["imc"].is_null() || !cells.exists() || array["dimensions"].size() != 2)
      throw zz::Error(ZZ_E_INVALID,
                      "accelerator '" + std::string(accelerator["name"].str()) +
                          "' is no in-memory-computing macro: it needs is_imc, the dimensions "
                          "D1 and D2, and a memory called cells");
    const int64_t columns = array["dimensions"][0]["size"].i64(),
                  rows = array["dimensions"][1]["size"].i64();
    const zz::Ref layers = workload["layers"];
    std::vector<Tile> tiles;
    for (uint32_t i = 0; i < layers.size(); ++i)
      cut(layers[i], i, cells["operands"][0].str(), rows, columns, tiles);
    const int64_t bound = fewest(tiles, rows, columns);
    const auto needed = static_cast<int64_t>(pack(tiles, rows, columns));

    // When there are too few, the last one takes what does not stay, tile by tile.
    const int64_t staying = needed <= macros ? macros : macros - 1;
    std::vector<zz::Value> of_layers;
    for (uint32_t i = 0; i < layers.size(); ++i) {
      std::vector<zz::Value> positions;
      bool resident = true;
      for (const Tile& tile : tiles) {
        if (tile.layer != i) continue;
        resident &= tile.macro < staying;
        positions.push_back(zz::make({{"group", tile.group},
                                      {"row", tile.row},
                                      {"column", tile.column},
                                      {"rows", tile.rows},
                                      {"columns", tile.columns},
                                      {"macro", tile.macro},
                                      {"at_row", tile.at_row},
                                      {"at_column", tile.at_column}}));
      }
      of_layers.push_back(zz::make({{"name", layers[i]["name"]},
                                    {"resident", resident && !positions.empty()},
                                    {"tiles", zz::make_list(positions)}}));
    }
    return zz::make({{"rows", rows},
                     {"columns", columns},
                     {"macros", needed},
                     {"fewest_macros", bound},
                     {"layers", zz::make_list(of_layers)}});
  }
};

struct ResidentWeightsStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.ResidentWeightsStage",
      .name = "ResidentWeightsStage",
      .summary = "Takes the energy of loading weights off layers whose weights stay in their macros",
      .doc =
          "Above the cost model the search knows of it; above a reducer it corrects what was chosen. The "
          "latency stays as it is, with the loading of weights in it: an upper bound.",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};
  static constexpr zz::Port consumes[] = {
      zz::object("layer", "layer", "looked up in the plan by its name"),
      zz::object("accelerator", "accelerator", "the macro"),
      zz::port("weight_packing", ZZ_MAP, "the plan of WeightPackingStage")};
  static constexpr const char* writes[] = {"energy_total", "mem_energy"};

  zz::Results run(zz::Value ctx) {
    bool resident = false;
    for (const zz::Ref layer : ctx["weight_packing.layers"])
      if (layer["name"].str() == ctx["layer.name"].str()) resident = layer["resident"].boolean();
    for (zz::Result& result : substage(ctx)) {
      if (resident) result.evaluation = without_loading(result.evaluation);
      co_yield std::move(result);
    }
  }

  // The reading of the cells is all that is left of the weights' work in the memories.
  static zz::Value without_loading(const zz::Value& evaluation) {
    const zz::Ref held_as = evaluation["layer.memory_operands"];
    const std::string_view cells = evaluation["accelerator.memories[cells].operands[0]"].str();
    double saved = 0;
    std::vector<zz::Entry> edits;
    for (uint32_t operand = 0; operand < held_as.size(); ++operand) {
      if (held_as[operand].str() != cells) continue;
      const std::string name(held_as.key(operand));
      const zz::Ref levels = evaluation["operands"][zz::Name(name)]["levels"];
      for (uint32_t i = 0; i < levels.size(); ++i) {
        const std::string level = "operands[" + name + "].levels[" + std::to_string(i) + "].";
        const double left = i == 0 ? levels[i]["energy_by_direction.rd_out_to_low"].num() : 0;
        saved += levels[i]["energy"].num() - left;
        edits.emplace_back(zz::Name(level + "energy"), left);
        for (const char* direction : {"rd_out_to_low", "wr_in_by_low", "rd_out_to_high", "wr_in_by_high"}) {
          if (i == 0 && direction == std::string_view("rd_out_to_low")) continue;
          edits.emplace_back(zz::Name(level + "accesses." + direction), 0);
          edits.emplace_back(zz::Name(level + "energy_by_direction." + direction), 0.0);
        }
      }
    }
    edits.emplace_back("mem_energy", evaluation["mem_energy"].num() - saved);
    edits.emplace_back("energy_total", evaluation["energy_total"].num() - saved);
    return zz::with(evaluation, edits);
  }
};

}  // namespace

ZZ_PLUGIN("org.example.weight_packing", WeightPackingStage, ResidentWeightsStage)
