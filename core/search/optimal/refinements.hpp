#pragma once
#include <span>
#include <string>
#include <string_view>

namespace zz::core {

/// Which refinements a proof uses: each member is one row of refinements.def. All of them, unless somebody
/// wants to know what one is good for. A proven optimum is the same without any of them; what the search
/// takes, and the bound where a limit ends it, are not.
struct Refinements {
#define ZZ_REFINEMENT(name, what, sharpens) bool name = true;
#include "core/search/optimal/refinements.def"
#undef ZZ_REFINEMENT

  bool operator==(const Refinements&) const = default;
  /// None was left out.
  bool all() const { return *this == Refinements{}; }
};

/// A row of refinements.def.
struct RefinementRow {
  bool Refinements::*refinement;
  std::string_view name;  ///< the member of Refinements
  std::string_view what;
  std::string_view sharpens;
};

/// All of them, in the order of refinements.def.
std::span<const RefinementRow> refinement_rows();

/// All but those of these names. Throws InputError for another name, with the nearest one.
Refinements refinements_without(std::span<const std::string> names);

}  // namespace zz::core
