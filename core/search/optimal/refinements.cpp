#include "core/search/optimal/refinements.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

constexpr RefinementRow rows[] = {
#define ZZ_REFINEMENT(name, what, sharpens) {&Refinements::name, #name, what, sharpens},
#include "core/search/optimal/refinements.def"
#undef ZZ_REFINEMENT
};

}  // namespace

std::span<const RefinementRow> refinement_rows() { return rows; }

Refinements refinements_without(std::span<const std::string> names) {
  Refinements kept;
  for (const std::string& name : names) {
    const auto* const row =
        std::find_if(std::begin(rows), std::end(rows), [&](const auto& one) { return one.name == name; });
    if (row == std::end(rows)) {
      std::vector<std::string> known;
      for (const RefinementRow& one : rows) known.emplace_back(one.name);
      throw InputError(
          fmt::format("no refinement of a proof is called '{}'; {}", name, suggestion(name, known)));
    }
    kept.*row->refinement = false;
  }
  return kept;
}

}  // namespace zz::core
