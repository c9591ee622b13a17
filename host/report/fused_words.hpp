#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/report/result_rows.hpp"

namespace zz::host {

/// A group of layers that run fused, before and after. pJ and cycles.
struct FusedGroupRow {
  std::int64_t group = 0;   ///< in the order in which they run, from 1
  std::string first, last;  ///< layers
  int layers = 0;
  Figures fused, unfused;  ///< unfused: of the layers' best mappings by themselves
};

/// The groups of a result; none where layers are not fused, or do not say what they cost by themselves.
std::vector<FusedGroupRow> fused_groups_of(const std::vector<ResultRow>& layers);

/// A table of them, the ones that save most energy first; groups with equal figures, as those of repeated
/// blocks, are one row. "" without groups.
std::string fused_groups_text(const std::vector<ResultRow>& layers);

/// [{group, first, last, layers, unfused_energy, energy, unfused_latency, latency}, ...]
nlohmann::ordered_json fused_groups_json(const std::vector<ResultRow>& layers);

}  // namespace zz::host
