#include "core/search/loma/dimension_products.hpp"

#include <algorithm>

namespace zz::core {

std::vector<DimensionPlaces> dimension_places(const LoopLattice& lattice, int dimensions) {
  std::vector<DimensionPlaces> all(static_cast<std::size_t>(dimensions));
  for (const LoopLattice::Kind& kind : lattice.kinds()) {
    DimensionPlaces& places = all[static_cast<std::size_t>(kind.dimension)];
    places.place.resize(lattice.points(), 0);
    const std::size_t stride = places.count;
    const std::size_t block = std::size_t{kind.stride} * (static_cast<std::size_t>(kind.count) + 1);
    for (std::size_t base = 0; base < lattice.points(); base += block) {
      for (std::size_t point = base + kind.stride; point < base + block; ++point)
        places.place[point] += static_cast<std::uint32_t>((point - base) / kind.stride * stride);
    }
    // The steps so far are there again for each loop of this kind, which adds some of its own.
    const std::size_t known = places.steps.size();
    for (int loop = 1; loop <= kind.count; ++loop) {
      const std::size_t shift = stride * static_cast<std::size_t>(loop);
      for (std::size_t place = 0; place < stride; ++place)
        places.steps.push_back({shift + place, shift + place - stride, static_cast<double>(kind.size)});
      for (std::size_t step = 0; step < known; ++step) {
        const DimensionPlaces::Step& below = places.steps[step];
        places.steps.push_back({shift + below.to, shift + below.from, below.size});
      }
    }
    places.count *= static_cast<std::size_t>(kind.count) + 1;
  }
  return all;
}

void DimensionProducts::unroll(double factor) {
  for (double& product : products_) product *= factor;
  fractional_ = fractional_ || factor != static_cast<double>(static_cast<std::int64_t>(factor));
}

bool DimensionProducts::settle() {
  if (!settled_) {
    settled_ = true;
    for (const DimensionPlaces::Step& step : places_.steps)
      products_[step.to] = products_[step.from] * step.size;
  }
  return !fractional_ ||
         std::all_of(places_.steps.begin(), places_.steps.end(), [&](const DimensionPlaces::Step& step) {
           return products_[step.to] == products_[step.from] * step.size;
         });
}

}  // namespace zz::core
