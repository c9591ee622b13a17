#pragma once
#include <string>

#include "core/components/component_cost.hpp"

namespace zz::core::components {

/// Format of numbers: "int" with 1 to 64 bits, as int8, or one of fp8, fp16, bf16, fp32.
struct Format {
  bool is_float = false;
  double bits = 8;
  bool brain = false;  ///< bf16: the significand of 8 bits

  bool operator==(const Format&) const = default;
};

/// Throws InputError for another text.
Format format_of(const std::string& text);

/// One operation, at a technology node in nm. Values are Horowitz's of 45 nm for 8, 16 and 32 bits, with
/// powers of the bits between and below; the upper ends are as far above as Aladdin's are for 32-bit
/// integers. Access time is not known. Throws InputError. Below a microsecond. [any thread]
ComponentCost multiplier_cost(const Format& format, double node);
ComponentCost adder_cost(const Format& format, double node);

/// A multiplier, and an adder for the sum: of `sum_bits` bits for integers, by default twice those of the
/// format and 16; fp32 for floating-point formats.
ComponentCost multiply_accumulate_cost(const Format& format, double node, double sum_bits = 0);

}  // namespace zz::core::components
