#pragma once
#include <string>

#include "core/base/files.hpp"
#include "zz/internal_tier.h"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The host's table for in-tree plugins. Throws when the host is of another build, which the loader
/// excludes.
inline const zz_internal& internal_tier() {
  static const auto* const table = static_cast<const zz_internal*>(
      host().get_extension((std::string(ZZ_INTERNAL) + host().build).c_str()));
  if (table == nullptr)
    throw Error(ZZ_E_INTERNAL, "the host does not offer its internal tier to this plugin");
  return *table;
}

/// Where the input files of the run come from.
inline const core::Files& files_of_run() {
  return *static_cast<const core::Files*>(internal_tier().files());
}

/// Throws the error for a part of the context that is not an object of the C++ type behind `type`.
[[noreturn]] inline void throw_no_object(const Value& ctx, Ref part, Name key, const char* type) {
  const Ref several = ctx["multi_core_accelerator"];
  if (key.text() == "accelerator" && !several.is_null() && several["cores"].size() > 1) {
    throw Error(
        ZZ_E_INVALID,
        "the accelerator has several cores, but this stage needs a single one; the layers of a network are "
        "spread over several cores by IntraCoreMappingStage and InterCoreMappingStage");
  }
  const std::string wanted = "'" + std::string(key.text()) + "' must be of type " + type;
  if (part.is_null()) throw Error(ZZ_E_MISSING, wanted + ", but there is none");
  const std::string found(part.type());
  throw Error(ZZ_E_TYPE, wanted + ", but is " + (found.empty() ? "a plain value" : "of type " + found));
}

}  // namespace zz::plugins
