#pragma once
#include <functional>
#include <string>
#include <vector>

#include "host/base/run.hpp"
#include "host/library/open_pipeline.hpp"
#include "host/report/result_rows.hpp"

namespace zz::host {

/// The name of the stage that the entry means, which may be written as an alias.
std::string canonical_name(const StageEntry& entry, const PluginRegistry& registry);

/// The same pipeline without stages and settings that write files. `edit` comes after; it may be empty.
PipelineRequest without_files(const PipelineRequest& request, PipelineEdit edit);

/// The rows of an opened pipeline in_layers(), without their evaluations; it runs without a word about it.
/// Throws ChainFailure.
std::vector<ResultRows> run_figures(const OpenPipeline& open, Run& run);

/// True for a folder, an archive, or a file whose name ends with ".json".
bool is_of_earlier_run(const std::string& path);

/// Rows that an earlier run left: an archive, a file with what --format=json printed, or a folder with an
/// archive or files of CompleteSaveStage or SimpleSaveStage. Layers are in the order of the network; where
/// files do not tell it, in that of their names, block2 before block10. Throws core::InputError for
/// anything else.
std::vector<ResultRows> read_figures(const std::string& path);

/// {results: [...]}, each as rows_json() has it.
std::string figures_text(const std::vector<ResultRows>& results);

/// The same of a text that --format=json printed, or figures_text(); `place` is for messages.
std::vector<ResultRows> parse_figures(const std::string& text, const std::string& place);

}  // namespace zz::host
