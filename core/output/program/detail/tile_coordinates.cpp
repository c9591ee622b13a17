#include "core/output/program/detail/tile_coordinates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace zz::core::mlir {

bool TileCoordinates::fans_out(const ProgramOperand& operand, int level) const {
  return std::find(operand.level.begin(), operand.level.end(), level) != operand.level.end();
}

std::int64_t TileCoordinates::units_from(const ProgramOperand& operand, int level) const {
  std::int64_t units = 1;
  for (std::size_t digit = 0; digit < program_.digits.size(); ++digit)
    if (operand.level[digit] >= level) units *= program_.digits[digit].size;
  return units;
}

TileCoordinates::Places TileCoordinates::window_places(const ProgramOperand& operand, const Axis& axis,
                                                       const Tile& tile) const {
  const std::int64_t outputs = program_.extent(operand, axis.loop, tile);
  const std::int64_t filters = program_.extent(operand, axis.filter, tile);
  const std::int64_t common = std::gcd(axis.stride, axis.dilation);
  const std::int64_t stride = axis.stride / common, dilation = axis.dilation / common;
  if (stride > dilation * (filters - 1)) return {filters, 1, outputs * filters, true};
  if (dilation > stride * (outputs - 1)) return {1, outputs, outputs * filters, true};
  return {stride, dilation, stride * (outputs - 1) + dilation * (filters - 1) + 1, false};
}

std::int64_t TileCoordinates::places(const ProgramOperand& operand, const Axis& axis,
                                     const Tile& tile) const {
  return axis.filter < 0 ? program_.extent(operand, axis.loop, tile)
                         : std::min(axis.elements, window_places(operand, axis, tile).elements);
}

Name TileCoordinates::begin_around(const Open& open, int digit) {
  std::vector<Term> terms;
  const auto& order = program_.of[program_.digits[digit].dimension].inside_out;
  for (auto outer = std::find(order.begin(), order.end(), digit) + 1; outer != order.end(); ++outer)
    if (!program_.digits[*outer].units && !open[*outer].empty())
      terms.push_back({open[*outer], program_.rounds_below(*outer)});
  return terms.empty() ? "" : lines_.sum(terms);
}

Name TileCoordinates::coordinate(const Open& open, const ProgramOperand& operand, int dimension,
                                 const Tile& tile) {
  std::vector<Term> terms;
  const DigitsOfDimension& all = program_.of[dimension];
  for (const int digit : all.inside_out) {
    if (open[digit].empty() || !program_.inside(operand, digit, tile)) continue;
    const std::int64_t rounds = program_.rounds_below(operand, digit, tile);
    const std::int64_t units = program_.units_below(operand, digit, tile);
    const bool partly = rounds < program_.rounds_below(digit);
    const std::int64_t whole = std::min(rounds, all.rounds);
    const Name begin =
        program_.digits[digit].units && all.ragged && !partly ? begin_around(open, digit) : "";
    if (begin.empty()) {
      terms.push_back({open[digit], (program_.digits[digit].units ? whole : rounds) * units});
      continue;
    }
    const Name left = lines_.let(
        fmt::format("affine.min affine_map<(d0) -> ({}, {} - d0)>({})", whole, all.rounds, begin));
    terms.push_back({lines_.let(fmt::format("arith.muli {}, {} : index", open[digit], left)), units});
  }
  return lines_.sum(terms);
}

Name TileCoordinates::iteration(const Open& open, int dimension) {
  return coordinate(open, program_.operands.front(), dimension,
                    {program_.loops, static_cast<int>(program_.digits.size()) + 1});
}

Name TileCoordinates::position(const Open& open, const Axis& axis) {
  return lines_.sum(
      {{iteration(open, axis.loop), axis.stride}, {iteration(open, axis.filter), axis.dilation}},
      -axis.padding);
}

std::vector<Name> TileCoordinates::element(const Open& open, const ProgramOperand& operand,
                                           const Tile& tile) {
  std::vector<Name> names;
  for (const Axis& axis : operand.axes) {
    const Name first = coordinate(open, operand, axis.loop, tile);
    if (axis.filter < 0) {
      names.push_back(first);
      continue;
    }
    const Places places = window_places(operand, axis, tile);
    // A tile that reaches over the border on both sides has room for the tensor, and not for its padding.
    if (places.elements >= axis.elements) {
      names.push_back(position(open, axis));
      continue;
    }
    names.push_back(lines_.sum(
        {{first, places.by_output}, {coordinate(open, operand, axis.filter, tile), places.by_filter}}));
  }
  return names;
}

}  // namespace zz::core::mlir
