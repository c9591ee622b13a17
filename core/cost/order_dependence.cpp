#include "core/cost/order_dependence.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace zz::core {
namespace {

/// Far above what a few hundred roundings can add up to, far below what tells amounts apart.
constexpr double noise = 1e-12;

/// A product that knows whether it is free of rounding. One that is, is so in any order of its factors:
/// they are fractions of powers of two, and a part of them never needs more digits than all.
struct Product {
  double value = 1;
  bool exact = true;

  void multiply(double factor) {
    const double product = value * factor;
    exact = exact && std::fma(value, factor, -product) == 0;
    value = product;
  }
};

/// `value` may be off by `error` without coming to the other side of a multiple of 1 that is shifted by
/// `shift`.
bool is_clear_of(double value, double shift, double error) {
  const double distance = std::abs(value - shift - std::nearbyint(value - shift));
  return distance > error;
}

template <class Take>
void for_each_factor_below(const SpatialTable& unrolling, const LoopLattice& lattice, int level,
                           LoopLattice::Point below, Take take) {
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopLattice::Kind& loop = lattice.kinds()[kind];
    for (int i = lattice.placed(below, static_cast<int>(kind)); i > 0; --i)
      take(loop.dimension, static_cast<double>(loop.size));
  }
  for (int inner = 0; inner < level; ++inner) {
    for (const UnrolledFactor& loop : unrolling.loops[inner]) take(loop.dimension, loop.factor);
  }
}

bool elements_depend(const CostTables& tables, const SpatialTable& unrolling, const LoopLattice& lattice,
                     int operand, int level, LoopLattice::Point below) {
  const auto& relevancy = tables.operands[operand].relevancy;
  Product elements;
  std::array<Product, max_loop_dimensions> sliding;
  bool slides = false;
  for_each_factor_below(unrolling, lattice, level, below, [&](int dimension, double factor) {
    if (relevancy[dimension] == Relevancy::relevant) elements.multiply(factor);
    if (relevancy[dimension] != Relevancy::partially_relevant) return;
    slides = true;
    sliding[dimension].multiply(factor);
  });
  if (slides) {
    for (const RelationTable& relation : tables.relations) {
      std::array<std::int64_t, 2> counts{1, 1};
      for (int side = 0; side < 2; ++side) {
        const int loop = side == 0 ? relation.output_loop : relation.filter_loop;
        if (loop < 0) continue;
        const Product& product = sliding[loop];
        if (!product.exact && !is_clear_of(product.value, 0, noise * product.value)) return true;
        counts[side] = static_cast<std::int64_t>(product.value);
      }
      elements.multiply(static_cast<double>(relation.positions.count(counts[0], counts[1])));
    }
    elements.exact = false;  // made of quotients of positions, level by level
  }
  return !elements.exact && !is_clear_of(elements.value, 0.5, noise * elements.value);
}

/// ZigZag decides by whether (accumulations - 1) times the elements of the output, cut, is not 0.
bool return_depends(const CostTables& tables, const SpatialTable& unrolling, const LoopLattice& lattice,
                    int level, LoopLattice::Point below) {
  const OperandTable& output = tables.operands[0];
  Product accumulations;
  const auto take = [&](int dimension, double factor) {
    if (output.relevancy[dimension] == Relevancy::irrelevant) accumulations.multiply(factor);
  };
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopLattice::Kind& loop = lattice.kinds()[kind];
    for (int i = lattice.placed(below, static_cast<int>(kind)); i < loop.count; ++i)
      take(loop.dimension, static_cast<double>(loop.size));
  }
  for (int above = level + 1; above <= output.levels; ++above) {
    for (const UnrolledFactor& loop : unrolling.loops[above]) take(loop.dimension, loop.factor);
  }
  const double returning = static_cast<double>(output.elements) * (accumulations.value - 1);
  const double error = static_cast<double>(output.elements) * accumulations.value * noise;
  return !accumulations.exact && std::abs(returning - 1) <= error;
}

}  // namespace

bool may_depend_on_order(const SpatialTables& unrolling, int operands, const LoopLattice& lattice) {
  // Products of whole numbers are exact, and all far enough from a half to be so with the noise.
  constexpr double largest = 0.1 / noise;
  const auto iterations = static_cast<double>(lattice.iterations(lattice.all()));
  for (int operand = 0; operand < operands; ++operand) {
    double product = iterations;
    for (const UnrolledFactor& loop : unrolling[operand].loops.all()) {
      if (loop.factor != static_cast<double>(static_cast<std::int64_t>(loop.factor))) return true;
      product *= loop.factor;
    }
    if (product > largest) return true;
  }
  return false;
}

bool depends_on_order(const CostTables& tables, const SpatialTables& unrolling, const LoopLattice& lattice,
                      int operand, int level, LoopLattice::Point below) {
  return elements_depend(tables, unrolling[operand], lattice, operand, level, below) ||
         (operand == 0 && return_depends(tables, unrolling[0], lattice, level, below));
}

}  // namespace zz::core
