#pragma once
#include <nlohmann/json.hpp>

#include "core/mapping/number_type.hpp"

namespace zz::core {

/// Bits; of numbers in blocks the map that files have: {bits: 4, scale: {bits: 8, every: 32, along: C}}.
inline nlohmann::ordered_json number_type_json(const NumberType& type) {
  if (!type.scale.any()) return type.bits;
  nlohmann::ordered_json scale = {{"bits", type.scale.bits}, {"every", type.scale.every}};
  if (!type.scale.along.empty()) scale["along"] = type.scale.along;
  return {{"bits", type.bits}, {"scale", std::move(scale)}};
}

}  // namespace zz::core
