#pragma once
#include <string>

#include "core/mapping/temporal_mapping.hpp"

namespace zz::plugins {

/// The setting `temporal_mapping_type`, which is "uneven" or "even".
inline core::MappingType mapping_type(const std::string& name) {
  return name == "even" ? core::MappingType::even : core::MappingType::uneven;
}

}  // namespace zz::plugins
