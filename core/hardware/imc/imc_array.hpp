#pragma once
#include <cstdint>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/imc/imc_figures.hpp"

namespace zz::core {

/// A tree of ripple-carry adders over `inputs` numbers (a power of two) of equal place value. Every level
/// adds pairs and is one bit wider than the level below.
struct AdderTree {
  double width = 0;  ///< bits of an input
  double inputs = 0;

  double depth() const;
  double output_width() const { return width + depth(); }
  double full_adders() const;
  double delay() const;  ///< ns; negative for a single input, which has no adder
  /// pJ per addition when only the first `used` inputs change: adders that nothing reaches are idle, adders
  /// with one changing input cost as half adders.
  double energy(std::int64_t used) const;
};

/// Adders that put `inputs` numbers (a power of two) together whose place values rise by one bit each.
struct PlaceValueAdders {
  double width = 0;  ///< bits of an input
  double inputs = 0;

  double output_width() const { return inputs == 1 ? width : width + inputs; }
  double full_adders() const;
  double delay() const;  ///< ns
};

/// The analog-to-digital converter at the end of a bitline. `resolution` in bits; 0: there is none.
double adc_area(double resolution);                    ///< mm2
double adc_delay(double resolution, double bitlines);  ///< ns; `bitlines`: cells along one bitline
double adc_energy(double resolution);                  ///< pJ per conversion

/// The driver that turns `bits` of an activation into a voltage. It takes neither area nor time in the
/// model.
double dac_energy(double bits);  ///< pJ per conversion; nothing for one bit, which needs no converter

/// Which array dimension is which: in the order of their names the first is the wordline dimension (the
/// columns that share an activation), the second the bitline dimension (the rows that are added up), and
/// the others count independent banks.
struct ImcDimensions {
  const ArrayDimension* wordline = nullptr;  ///< null when the array has no such dimension
  const ArrayDimension* bitline = nullptr;
  std::int64_t banks = 1;
};
ImcDimensions imc_dimensions(const OperationalArray& array);

/// The figures of an in-memory-computing array when every cell works in every cycle.
struct ImcPeak {
  double operations = 0;       ///< multiply-accumulates of full precision per cycle
  ImcEnergy energy;            ///< pJ per cycle
  double tera_per_second = 0;  ///< 1e12 multiplications and additions per second
  double tera_per_watt = 0;    ///< 1e12 operations per second and watt
  double tera_per_area = 0;    ///< 1e12 operations per second and mm2
};

/// The circuits of an in-memory-computing array and what follows from them alone. One of each:
/// a weight is spread over `weight_bits` columns of one-bit cells, each column with its multipliers; analog
/// arrays add along the bitline and convert, digital ones have an adder tree per column.
///
/// J. Sun, P. Houshmand, M. Verhelst, ICCAD 2023.
struct ImcArray {
  /// Throws InputError when the accelerator's array is none of in-memory computing.
  ///
  /// Only `negative_adder_tree_delay` of the rules matters.
  explicit ImcArray(const Accelerator& accelerator, const Rules& rules = {});

  bool analog = false;
  double wordlines = 1;  ///< columns of weights
  double bitlines = 1;   ///< rows
  double banks = 1;
  double activation_bits = 1;
  double weight_bits = 1;
  double serial_bits = 1;  ///< activation bits per cycle
  double adc_bits = 0;
  double weights_per_cell = 1;  ///< weights that share one multiplier; one is selected at a time

  double cycles_per_operation() const { return activation_bits / serial_bits; }
  /// One-bit multipliers of the array.
  double multipliers() const;
  /// Trees of digital arrays; one per column and bit fed in.
  AdderTree tree() const { return {weight_bits, bitlines}; }
  double trees() const { return analog ? 0 : serial_bits * wordlines * banks; }
  PlaceValueAdders place_value_adders() const;  ///< one per column
  /// Bits of one accumulator; 0 when an operation takes a single cycle.
  double accumulator_width() const;

  ImcParts area() const;   ///< mm2
  ImcParts clock() const;  ///< ns
  ImcPeak peak() const;

  /// Everything but the energy of a layer.
  ImcFigures figures(const Accelerator& accelerator) const;

 private:
  double cells_area_ = 0;
  bool negative_adder_tree_delay_ = false;
};

}  // namespace zz::core
