#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/report/why.hpp"

namespace zz::host {

/// {"format": "zz-why", "version": 1, "layers": [...], "total": {...}}; of several results {..., "results":
/// [...]}.
nlohmann::ordered_json why_json(const std::vector<WhyOfResult>& results, const WhyQuestion& question);

/// The parts of each layer and nothing else: a list of {layer, latency_parts, energy_parts}.
nlohmann::ordered_json parts_json(const ResultRows& result);

/// A row for each part of each layer, of the latency or of the energy.
std::string why_csv(const std::vector<WhyOfResult>& results, const WhyQuestion& question);

}  // namespace zz::host
