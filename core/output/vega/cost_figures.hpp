#pragma once
#include "core/output/result_names.hpp"
#include "core/output/vega/figure_tables.hpp"

namespace zz::core {

// Tables for pictures: lists of rows by name, as the specifications in plugins/pictures/specifications
// expect them. Rows refer to a result by its position.

/// The energy (pJ) of each result by memory, operand and direction:
///   results  {result, label, energy}                               all of it, as energy_total
///   bars     {bar, size, bits}                                     "MAC", then the memories by size
///   operands {operand}                                             "MAC", then the layer operands
///   energy   {result, bar, operand, direction, energy}             what is not zero
FigureTables energy_tables(const ResultList& results);

/// The latency (cycles) of each result by cause:
///   results  {result, label, cycles, utilization}                  all of it; share of the ideal, 0..1
///   latency  {result, part, cycles}                                the parts add up to the whole
FigureTables latency_tables(const ResultList& results);

}  // namespace zz::core
