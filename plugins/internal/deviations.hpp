#pragma once
#include <string>
#include <vector>

#include "core/compat/deviation_texts.hpp"
#include "core/multicore/graph/graph_deviations.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

/// For the warnings at the end of a run: by these rules something else is searched or read for the layer
/// than by ZigZag.
inline void tell_of_deviations(const std::vector<bool core::Rules::*>& rules, const std::string& layer) {
  for (bool core::Rules::*const rule : rules) {
    const std::string_view name = core::deviation_text(rule).name;
    internal_tier().deviation({name.data(), name.size()}, {layer.data(), layer.size()});
  }
}

inline void tell_of_deviations(const std::vector<core::LayerDeviation>& deviations) {
  for (const core::LayerDeviation& deviation : deviations)
    tell_of_deviations({deviation.rule}, deviation.layer);
}

}  // namespace zz::plugins
