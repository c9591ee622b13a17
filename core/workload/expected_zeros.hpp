#pragma once
#include <cstdint>

#include "core/mapping/operand_sparsity.hpp"

namespace zz::core {

// Zeros of a tensor as expected values. Elements are zero by themselves, all with the same probability: of
// n elements with density d
//
//   nonzeros ~ Binomial(n, d), n d on average;
//   some element is not zero with the probability 1 - (1 - d)^n;
//
// or, in a pattern N:M, exactly N of each M that follow each other along a loop are not zero, at places
// that are drawn uniformly. These functions are exact for these laws where they do not say "most". Where
// sizes are averages over rounds, expected values lie on straight lines between those of whole numbers.

/// The law of one tensor's zeros.
struct ZeroLaw {
  double density = 1;        ///< from 0 to 1; of a pattern N / M
  ZeroPattern pattern = {};  ///< of = 0: each element by itself

  ZeroLaw() = default;
  explicit ZeroLaw(const OperandSparsity& sparsity);
  bool operator==(const ZeroLaw&) const = default;
  bool any_zeros() const { return density < 1; }
};

/// The probability that some of `elements`, each by itself not zero with the probability `density`, is not.
double some_nonzero(double density, double elements);

/// The fewest nonzeros that a share `quantile` of all tiles of so many elements has no more of:
/// min{k : P(Binomial(n, d) <= k) >= quantile}. Elements are rounded up to whole ones. Of a pattern, of
/// which a tile has `rows` of the same length: N in each M of a row that is begun, and no more than there
/// are.
double nonzeros_at(const ZeroLaw& law, double elements, double rows, double quantile);

/// Entries of a row of elements that each nonzero makes with the number of zeros since the entry before, in
/// `bits`: a zero behind 2^bits - 1 zeros makes one, too. As an expected value, of a whole number of
/// elements: with R = 2^bits - 1 and q = 1 - d, element i makes one with the probability
///   u(i) = d for 1 <= i <= R,   u(i) = d + q^(R + 1) u(i - R - 1) beyond, u(0) = 1.
/// Zeros behind the last entry of a row make none.
double expected_run_entries(double density, double elements, int bits);
/// The most entries that a row with so many nonzeros makes.
double most_run_entries(double nonzeros, double elements, int bits);

}  // namespace zz::core
