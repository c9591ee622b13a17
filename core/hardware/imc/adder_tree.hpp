#pragma once
#include <cstdint>

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
  /// pJ per addition when only the first `used` inputs change: adders that nothing reaches are idle, and
  /// those of which one input changes cost as half adders.
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

}  // namespace zz::core
