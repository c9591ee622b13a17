#pragma once
#include "core/cost/evaluation.hpp"
#include "core/output/json/json_writer.hpp"

namespace zz::core {

/// Within a map: the figures that stages added, by name under "metrics"; nothing where there are none.
inline void write_metrics(JsonWriter& json, const Evaluation& evaluation) {
  if (evaluation.metrics.empty()) return;
  json.map_entry("metrics", [&] {
    for (const auto& [name, figure] : evaluation.metrics) json.entry(name, figure);
  });
}

}  // namespace zz::core
