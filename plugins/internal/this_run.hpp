#pragma once
#include <string>

#include "core/search/optimal/refinements.hpp"
#include "zz/internal_run.h"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The host's table about the run. Throws when the host is of another build, which the loader excludes.
inline const zz_internal_run& this_run() {
  static const auto* const table = static_cast<const zz_internal_run*>(
      host().get_extension((std::string(ZZ_INTERNAL_RUN) + host().build).c_str()));
  if (table == nullptr) throw Error(ZZ_E_INTERNAL, "the host does not tell this plugin about the run");
  return *table;
}

/// With which proofs are to be made; all, unless the command line leaves some out.
inline const core::Refinements& refinements_of_run() {
  return *static_cast<const core::Refinements*>(this_run().refinements());
}

/// The only layer that the run is asked about, by name; "": the whole network is.
inline std::string only_layer_of_run() { return this_run().only_layer(); }

}  // namespace zz::plugins
