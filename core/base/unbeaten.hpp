#pragma once
#include <cstddef>
#include <vector>

namespace zz::core {

/// True if one with figures `a` beats one with figures `b`: is no worse in any and better in one. Less is
/// better. A figure that is not a number beats nothing and is never beaten. REQUIRES: as many.
bool beats(const std::vector<double>& a, const std::vector<double>& b);

/// The places of those that no other one beats, ascending. Of n with d figures each it takes time in
/// proportion to n times the logarithm of n, to the power of d - 2 from four figures on (Kung, Luccio and
/// Preparata, On finding the maxima of a set of vectors, JACM 1975). Throws Interrupted. REQUIRES: as many
/// figures each.
std::vector<std::size_t> unbeaten(const std::vector<std::vector<double>>& all);

}  // namespace zz::core
