#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The parts of a layer's equation, as "O[b][k] += W[k][c] * I[b][c]".
struct Equation {
  struct Operand {
    std::string name;
    std::vector<std::string> dimensions;  ///< upper case, in the order of the brackets
  };
  std::string text;               ///< normalised: "O[b][k] = W[k][c] * I[b][c]"
  std::vector<Operand> operands;  ///< the output, then the two inputs
};

/// Why a text is no equation, and the column (from 0) of the error.
struct EquationError {
  std::string message;
  int offset = 0;
};

/// Parses "O[..].. = X[..].. * Y[..]..". The output is called O. "=" and "+=" mean the same here, and so do
/// "*" and "+". Throws EquationError.
Equation parse_equation(std::string_view text);

/// Parses "ix = 2*ox + 1*fx"; coefficients left out are 1. Sets names (upper case) and coefficients of
/// the relation, nothing else. Throws EquationError.
DimensionRelation parse_dimension_relation(std::string_view text);

/// Reads `dimension_relations`, `pr_loop_dims`, `pr_loop_sizes` and `padding` of a layer into
/// layer.relations, sizes included. `has_loops`: the loops of the layer were read without errors. False
/// when something was reported.
bool read_relations(yaml::MapReader& map, const yaml::Node& node, Layer& layer, bool has_loops,
                    const Rules& rules, Diagnostics& diagnostics);

}  // namespace zz::core
