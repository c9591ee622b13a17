#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// The equation of a layer, taken apart: "O[b][k] += W[k][c] * I[b][c]".
struct Equation {
  struct Operand {
    std::string name;
    std::vector<std::string> dimensions;  ///< upper case, in the order of the brackets
  };
  std::string text;               ///< normalised: "O[b][k] = W[k][c] * I[b][c]"
  std::vector<Operand> operands;  ///< the output, then the two inputs
};

/// Text that cannot be taken apart: the reason, and the column (from 0) where reading stopped.
struct EquationError {
  std::string message;
  int offset = 0;
};

/// Parses "O[..].. = X[..].. * Y[..]..": the output is called O, operators may be "=" or "+=", and "*" or
/// "+", which mean the same here. Throws EquationError.
Equation parse_equation(std::string_view text);

/// Parses "ix = 2*ox + 1*fx"; coefficients left out are 1. Sets names (upper case) and coefficients of
/// the relation, nothing else. Throws EquationError.
DimensionRelation parse_dimension_relation(std::string_view text);

}  // namespace zz::core
