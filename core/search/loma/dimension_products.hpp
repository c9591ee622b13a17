#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/mapping/loop_lattice.hpp"

namespace zz::core {

/// The loops of one dimension in a lattice: their choices are a small lattice of their own, and each of its
/// places serves many points.
struct DimensionPlaces {
  struct Step {
    std::size_t to, from;
    double size;
  };
  std::size_t count = 1;
  std::vector<std::uint32_t> place;  ///< by lattice point; empty when the lattice has no such loops
  std::vector<Step> steps;           ///< every way to add one loop
};

/// By loop dimension.
std::vector<DimensionPlaces> dimension_places(const LoopLattice& lattice, int dimensions);

/// Iterations of one loop dimension below a memory, by lattice point. Products of fractions are rounded,
/// and then may depend on the order of the loops; settle() tells.
class DimensionProducts {
 public:
  /// `places` must outlive this object.
  explicit DimensionProducts(const DimensionPlaces& places) : places_(places), products_(places.count, 1) {}

  void unroll(double factor);
  /// To be called at each level when its unrolled loops are in. False: the products depend on the order.
  bool settle();

  double at(LoopLattice::Point point) const {
    return products_[places_.place.empty() ? 0 : places_.place[point]];
  }

 private:
  const DimensionPlaces& places_;
  std::vector<double> products_;
  bool fractional_ = false;
  bool settled_ = false;
};

}  // namespace zz::core
