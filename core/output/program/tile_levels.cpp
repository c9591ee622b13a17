#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_text.hpp"
#include "core/output/program/program_text.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

/// Iterations of a dimension in one iteration of the innermost loops and of all units.
std::int64_t tile_size(const LayerProgram& program, int dimension, int loops) {
  const ProgramOperand& any = program.operands.front();
  return program.extent(any, dimension, {loops, static_cast<int>(any.at.size()) + 1});
}

Json tile_sizes(const LayerProgram& program, int loops) {
  Json sizes = Json::object();
  for (int dimension = 0; dimension < static_cast<int>(program.dimensions.size()); ++dimension)
    sizes[program.dimensions[dimension]] = tile_size(program, dimension, loops);
  return sizes;
}

/// Elements of a tile of the operand by its own dimensions; of a window those from its first to its last.
Json shape(const LayerProgram& program, const ProgramOperand& operand, const LayerOperand& named,
           const Tile& tile) {
  Json shape = Json::object();
  for (std::size_t i = 0; i < operand.axes.size(); ++i) {
    const Axis& axis = operand.axes[i];
    std::int64_t elements = program.extent(operand, axis.loop, tile);
    if (axis.filter >= 0)
      elements =
          std::min(axis.elements, axis.stride * (elements - 1) +
                                      axis.dilation * (program.extent(operand, axis.filter, tile) - 1) + 1);
    shape[named.dimensions[i]] = elements;
  }
  return shape;
}

Json copies_at(const LayerProgram& program, const Layer& layer, int loops) {
  Json copies = Json::array();
  for (std::size_t o = 0; o < program.operands.size(); ++o) {
    const ProgramOperand& operand = program.operands[o];
    for (std::size_t k = operand.at.size() - 1; k-- > 0;) {
      const ProgramBuffer& buffer = operand.at[k];
      if (buffer.tile.loops != loops) continue;
      copies.push_back({{"operand", operand.name},
                        {"from", operand.at[k + 1].memory},
                        {"to", k == 0 ? Json() : Json(buffer.memory)},
                        {"tile", shape(program, operand, layer.operands[o], buffer.tile)},
                        {"second_buffer", buffer.second_buffer}});
    }
  }
  return copies;
}

}  // namespace

std::string tile_levels_json(const LayerProgram& program, const Layer& layer) {
  std::set<int, std::greater<>> cuts{0, program.loops};
  for (const ProgramOperand& operand : program.operands)
    for (const ProgramBuffer& buffer : operand.at) cuts.insert(buffer.tile.loops);
  Json levels = Json::array();
  int begin = program.loops;
  for (const int cut : cuts) {
    Json loops = Json::array();
    for (int loop = begin; loop-- > cut;) {
      const Digit& digit = program.digits[loop];
      loops.push_back({{"dimension", program.dimensions[digit.dimension]},
                       {"size", digit.size},
                       {"tile_size", tile_size(program, digit.dimension, loop)}});
    }
    levels.push_back({{"loops", loops},
                      {"tile_sizes", tile_sizes(program, cut)},
                      {"copies", copies_at(program, layer, cut)}});
    begin = cut;
  }
  Json units = Json::array();
  for (int digit = program.loops; digit < static_cast<int>(program.digits.size()); ++digit)
    units.push_back({{"dimension", program.dimensions[program.digits[digit].dimension]},
                     {"size", program.digits[digit].size}});
  Json dimensions = Json::object(), digits = Json::object();
  for (std::size_t dimension = 0; dimension < program.dimensions.size(); ++dimension) {
    const std::string& name = program.dimensions[dimension];
    dimensions[name] = program.of[dimension].iterations;
    Json& of = digits[name] = Json::array();
    for (const int digit : program.of[dimension].inside_out)
      of.push_back({{program.digits[digit].units ? "units" : "loop", program.digits[digit].size}});
  }
  const Json document{{"layer", layer.name},      {"operator", layer.type}, {"equation", layer.equation},
                      {"dimensions", dimensions}, {"levels", levels},       {"units", units},
                      {"digits", digits}};
  return json_text(document) + "\n";
}

}  // namespace zz::core
