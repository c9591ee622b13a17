#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/mapping/layer_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

// The bits of a layer's elements. Whoever says more about it comes first: `operand_precision` of the
// pipeline and of the mapping file, a PrecisionChoice, the network, the units of the accelerator, the
// usual.

/// Gives an operand of the layer ("O" for partial sums, "W", "I", "O_final" for the finished output) the
/// bits that somebody says. Does nothing when the layer has none such.
void set_precision(Layer& layer, const std::string& operand, std::int64_t bits);

/// Which bits count in the place of those that the network says.
struct PrecisionChoice {
  enum class Kind {
    units,    ///< those of the accelerator's units, where the network says none
    network,  ///< those of the network, floating-point types included
    chosen    ///< `bits` for weights, inputs and results
  };
  Kind kind = Kind::units;
  std::int64_t bits = 0;
};

/// "" (units), "file" (network), or a whole number of bits from 1 to 64. Throws InputError for others.
PrecisionChoice precision_choice(const std::string& text);

/// Applies the choice to a layer. Operands in `named`, and those that its mapping names, keep their bits.
/// With chosen bits, partial sums have those of the units, or twice as many.
void choose_precision(Layer& layer, const PrecisionChoice& choice, const std::vector<std::string>& named);

/// Gives the operands in `assumed_precision` the bits of the units, and takes them from the list. A partial
/// sum has at least the bits of a finished output. True when weights, inputs or results have
/// other bits.
bool adopt_precision(Layer& layer, const std::vector<OperandPrecision>& of_units);

}  // namespace zz::core
