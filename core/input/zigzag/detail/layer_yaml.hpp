#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/input/yaml/node.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// `operand_source` of one operand: the id of the layer it comes from, or of the layer itself for
/// constants.
struct OperandSource {
  std::string operand;
  std::int64_t id = 0;
  SourceMark mark;
};

/// One layer of a workload file, before its sources are resolved.
struct LayerEntry {
  std::shared_ptr<Layer> layer;  ///< without mapping, constants and sources
  std::vector<OperandSource> sources;
  SourceMark mark;
  std::optional<std::int64_t> id;  ///< absent when it could not be read
  SourceMark id_mark;
};

/// Reads one item of a workload file. Problems go to `diagnostics`. Without problems, the layer lacks only
/// its mapping, constants and sources.
LayerEntry read_layer(const yaml::Node& node, const Rules& rules, Diagnostics& diagnostics);

}  // namespace zz::core
