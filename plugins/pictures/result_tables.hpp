#pragma once
#include "plugins/pictures/labels.hpp"
#include "plugins/pictures/picture.hpp"

/// The results of layers and sums as tables for pictures. Rows refer to a result by its position.
namespace zz::plugins {

/// The energy of each result by memory, operand and direction:
///   results  {result, label, energy}                               all of it, as energy_total
///   bars     {bar, size, bits}                                     "MAC", then the memories by size
///   operands {operand}                                             "MAC", then the layer operands
///   energy   {result, bar, operand, direction, energy}             what is not zero; with `beside`,
///             "scales" or "metadata", what is stored beside the data, in a row of its own
VegaTables energy_tables(const ResultList& results);

/// The energy of a network, layers that do the same work at the same cost together, by energy. Empty tables
/// where there are less than two layers, or a layer has several results:
///   kinds    {kind, label, energy, share}              "conv1 (x 4)"
///   operands {operand}                                 as in energy_tables
///   energy   {kind, bar, operand, direction, energy}   of all layers of the kind
VegaTables network_energy_tables(const ResultList& results);

/// The memory hierarchies of the results, each different one once:
///   accelerators {accelerator, name, results, array, rows, columns}   results: the labels of those that
///   use it memories     {accelerator, name, operands, instances, size, bits, read_cost, write_cost, row,
///                 first_column, last_column}                           costs in pJ per access
///   wires        {accelerator, column, operand, label, lower_row, upper_row, down, up}
///                 operand: the layer operand that the results assign to it; down, up: bits per cycle
///   operands     {operand}                                            as in energy_tables
VegaTables hierarchy_tables(const ResultList& results);

/// The loop nests of the results that have one:
///   results  {result, label, equation, loops, energy, cycles, utilization}
///   loops    {result, depth, indent, spatial, text}                    depth 0 is the outermost
///   columns  {result, column, operand}
///   cells    {result, column, operand, first, last, memory, level, levels}   a memory beside its loops
///   operands {operand}
VegaTables loop_nest_tables(const ResultList& results);

}  // namespace zz::plugins
