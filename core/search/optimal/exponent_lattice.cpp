#include "core/search/optimal/exponent_lattice.hpp"

#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core {

ExponentLattice::ExponentLattice(std::vector<LoopKind> kinds) : kinds_(std::move(kinds)) {
  std::size_t size = 1;
  for (const LoopKind& kind : kinds_) {
    strides_.push_back(size);
    size *= static_cast<std::size_t>(kind.count + 1);
    if (size > max_vectors) {
      throw InputError(fmt::format(
          "the loops that remain in time have more than {} different multisets of factors, too many to "
          "search for an optimum",
          max_vectors));
    }
  }
  placed_.assign(size, 0);
  for (std::size_t vector = 1; vector < size; ++vector) {
    std::size_t kind = 0;
    while (count(vector, kind) == 0) ++kind;
    placed_[vector] = static_cast<std::uint8_t>(placed_[vector - strides_[kind]] + 1);
  }
}

}  // namespace zz::core
