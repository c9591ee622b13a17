#pragma once
#include "core/output/result_names.hpp"
#include "core/output/vega/figure_tables.hpp"

namespace zz::core {

// More tables for pictures, see cost_figures.hpp.

/// The memory hierarchies of the results, each different one once:
///   accelerators {accelerator, name, results, array, rows, columns}   results: the labels of those that
///   use it memories     {accelerator, name, operands, instances, size, bits, read_cost, write_cost, row,
///                 first_column, last_column}                           costs in pJ per access
///   wires        {accelerator, column, operand, label, lower_row, upper_row, down, up}
///                 operand: the layer operand that the results link to it; down, up: bits per cycle
///   operands     {operand}                                            as in energy_tables
FigureTables hierarchy_tables(const ResultList& results);

/// The loop nests of the results that have one:
///   results  {result, label, equation, loops, energy, cycles, utilization}
///   loops    {result, depth, indent, spatial, text}                    depth 0 is the outermost
///   columns  {result, column, operand}
///   cells    {result, column, operand, first, last, memory, level, levels}   a memory beside its loops
///   operands {operand}
FigureTables loop_nest_tables(const ResultList& results);

}  // namespace zz::core
