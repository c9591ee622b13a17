#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/search/helps/helps.hpp"
#include "host/report/result_rows.hpp"
#include "host/report/why_schedule.hpp"

/// Why a layer, or a network, is as slow and as hungry as it is, and what would help.
namespace zz::host {

struct Why {
  ResultRow row;
  const core::Evaluation* evaluation;  ///< of the row
  double count = 1;                    ///< so often the layer is in the figures
  bool proven = false;                 ///< the mapping, or all of them, are proven best
  core::Helps helps;
  std::shared_ptr<const ScheduleWhy> schedule = {};  ///< of a network on several cores, in place of helps
};

struct WhyOfResult {
  Settings settings;  ///< of a point of a sweep
  std::vector<Why> layers;
  std::optional<Why> total;  ///< none when one layer was asked for
};

/// `layer`: a name, or "" for all; of a schedule see why_of_schedule(). Throws core::InputError naming the
/// nearest one where no layer has it.
WhyOfResult why_of(const ResultRows& result, const std::string& layer, const core::HelpOptions& options);

/// In words. One layer in full; a network as a table of its layers, and in full as a whole. With `energy`
/// also a table of where the energy goes, else one line.
std::string why_text(const WhyOfResult& why, bool energy, const core::HelpOptions& options);

/// {"format": "zz-why", "version": 1, "layers": [...], "total": {...}}; of several results {..., "results":
/// [...]}.
nlohmann::ordered_json why_json(const std::vector<WhyOfResult>& results);

/// The parts of each layer and nothing else: a list of {layer, latency_parts, energy_parts}.
nlohmann::ordered_json parts_json(const ResultRows& result);

/// A row for each part of each layer, of the latency or of the energy.
std::string why_csv(const std::vector<WhyOfResult>& results, bool energy);

}  // namespace zz::host
