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
/// type that somebody says. Does nothing when the layer has none such.
void set_precision(Layer& layer, const std::string& operand, const NumberType& type);

/// Which bits count in the place of those that the network says.
struct PrecisionChoice {
  enum class Kind {
    units,    ///< those of the accelerator's units, where the network says none
    network,  ///< those of the network, floating-point types included
    chosen    ///< `type` for weights, inputs and results
  };
  Kind kind = Kind::units;
  NumberType type = {};

  /// Bits of partial sums: twice those of the type, of numbers in blocks 32.
  std::int64_t sum_bits() const { return type.scale.any() ? 32 : 2 * type.bits; }
};

/// "" (units), "file" (network), a whole number of bits from 1 to 64, or the name of a type
/// (named_number_type()). Throws InputError for others.
PrecisionChoice precision_choice(const std::string& text);

/// Applies the choice to a layer. Operands in `named`, and those that its mapping names, keep their bits.
/// With a chosen type, partial sums have the bits of the units, or PrecisionChoice::sum_bits().
void choose_precision(Layer& layer, const PrecisionChoice& choice, const std::vector<std::string>& named);

/// Gives the operands in `assumed_precision` the bits of the units, and takes them from the list. A partial
/// sum has at least the bits of a finished output. True when weights, inputs or results have
/// other bits.
bool adopt_precision(Layer& layer, const std::vector<OperandPrecision>& of_units);

/// The same bits, and the same scale for as many elements. Units do not mind along which loop.
bool same_numbers(const NumberType& a, const NumberType& b);

/// Notes in `assumed_scales` that nobody but the network's file says the scale of an operand.
/// set_precision() takes it from there.
void assume_scale(Layer& layer, const std::string& operand);

/// Leaves out the scales that assume_scale() has noted, of operands for which the units have another type:
/// they work on the numbers alone. Returns these operands.
std::vector<std::string> leave_out_scales(Layer& layer, const std::vector<OperandPrecision>& of_units);

}  // namespace zz::core
