#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/run.hpp"
#include "host/library/open_pipeline.hpp"
#include "host/report/run_summary.hpp"

namespace zz::host {

/// pJ and cycles.
struct Figures {
  double energy = 0, latency = 0;
  std::optional<core::EnergyRange> energy_range = {};  ///< of costs that were filled in
  bool operator==(const Figures&) const = default;
};

/// What a run found for a layer, or for all of them.
struct FiguresRow {
  std::string layer;
  int nth = 0;           ///< of the layers of that name
  std::int64_t id = -1;  ///< of the layer; -1 where it has none
  Figures figures;
  std::string limited_by = {};  ///< "dram.rw_port_1", "units", ...; "" when not known

  bool is_same_layer(const FiguresRow& other) const { return layer == other.layer && nth == other.nth; }
  bool operator==(const FiguresRow&) const = default;
};

/// One result of a run.
struct ResultFigures {
  std::vector<std::pair<std::string, std::string>> settings;  ///< of a point of a sweep: name, JSON text
  std::vector<FiguresRow> layers;
  std::optional<FiguresRow> total;

  /// That of a layer that is_same_layer(), or null.
  const FiguresRow* find(const FiguresRow& wanted) const;
  bool operator==(const ResultFigures&) const = default;
};

/// Of a layer its evaluation's; in a schedule those of its nodes on their cores, one after the other. The
/// total of a schedule is the schedule's.
ResultFigures figures_of(const SummaryResult& summary);

/// Counts layers of one name, so that is_same_layer() tells them apart.
void number_layers(std::vector<FiguresRow>& rows);

/// The name of the stage that the entry means, which may be written as an alias.
std::string canonical_name(const StageEntry& entry, const PluginRegistry& registry);

/// The same pipeline without stages and settings that write files. `edit` comes after; it may be empty.
PipelineRequest without_files(const PipelineRequest& request, PipelineEdit edit);

/// Runs an opened pipeline, without a word about it. Throws ChainFailure.
std::vector<ResultFigures> run_figures(const OpenPipeline& open, Run& run);

/// What an earlier run left: a folder with files of CompleteSaveStage or SimpleSaveStage, or a file with
/// what
/// --format=json printed. The folder's layers are in the order of their names. Throws core::InputError for
/// anything else.
std::vector<ResultFigures> read_figures(const std::string& path);

/// {results: [{settings, total, layers}]}, as --format=json prints them, with no other figures.
std::string figures_text(const std::vector<ResultFigures>& results);

/// The same of a text that --format=json printed, or figures_text(); `place` is for messages.
std::vector<ResultFigures> parse_figures(const std::string& text, const std::string& place);

}  // namespace zz::host
