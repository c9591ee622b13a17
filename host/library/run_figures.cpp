#include "host/library/run_figures.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "host/library/pipeline_run.hpp"

namespace zz::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Names = std::set<std::string, std::less<>>;

/// Stages that save or draw results and hand them on unchanged, or take what an earlier run saved.
const Names savers = {
    "SimpleSaveStage",       "CompleteSaveStage",  "PickleSaveStage",          "DumpStage",
    "SkipIfDumpExistsStage", "VisualizationStage", "PlotTemporalMappingsStage"};
/// Settings that make other stages write files.
const Names writing = {
    "dump_folder", "dump_filename_pattern",     "plot_file_name", "plot_full_schedule",
    "plot_hof",    "node_hw_performances_path", "cost_lut_path",  "visualize_node_hw_performances_path"};
constexpr std::uintmax_t most_bytes = 268435456;  // of a JSON file, as stages have it

/// The row of a file of CompleteSaveStage or SimpleSaveStage.
ResultRow saved_row(const Json& file, const std::string& layer) {
  ResultRow row;
  row.layer = layer;
  const auto outputs = file.find("outputs");
  const bool is_complete = outputs != file.end();
  row.energy_range = range_in(is_complete ? *outputs : file);
  row.energy = (is_complete ? outputs->at("energy").at("energy_total") : file.at("energy")).get<double>();
  if (!is_complete) {
    row.latency = file.at("latency").get<double>();
    return row;
  }
  for (const char* part : {"data_onloading", "computation", "data_offloading"})
    row.latency += outputs->at("latency").at(part).get<double>();
  return row;
}

/// The layer that such a file is about: what it says, else what its name says.
std::string saved_layer(const Json& file, const std::string& name) {
  const auto inputs = file.find("inputs");
  if (inputs == file.end() || !inputs->contains("layer")) return name;
  const Json& layer = inputs->at("layer");
  return layer.is_object() && layer.contains("name") ? layer.at("name").get<std::string>() : name;
}

std::string read_text(const std::string& path) {
  return core::Files::on_disk().read(path, most_bytes, "a file of results");
}

/// Errors of the JSON library become ours.
template <class Read>
auto reading(const std::string& place, Read read) {
  try {
    return read();
  } catch (const Json::exception&) {
    throw core::InputError(core::printable(place) +
                           " has no results; what --format=json prints or a stage saves is expected");
  }
}

std::vector<ResultRows> read_folder(const fs::path& folder) {
  constexpr std::string_view endings[] = {"_complete.json", "_simple.json"};
  std::map<std::string, std::string> files;  // by layer as its file calls it; the complete one wins
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    for (const std::string_view ending : endings)
      if (name.ends_with(ending)) {
        std::string& file = files[name.substr(0, name.size() - ending.size())];
        if (file.empty() || ending == endings[0]) file = entry.path().string();
      }
  }
  if (failed) throw core::InputError(fmt::format("{}: {}", folder.string(), failed.message()));
  ResultRows result;
  for (const auto& [name, path] : files)
    reading(path, [&, &name = name, &path = path] {
      const Json file = Json::parse(read_text(path));
      if (name == "overall" || name == "schedule")
        result.total = saved_row(file, "total");
      else
        result.layers.push_back(saved_row(file, saved_layer(file, name)));
    });
  if (files.empty())
    throw core::InputError(
        fmt::format("{} has no results; files *_complete.json or *_simple.json, which "
                    "CompleteSaveStage and SimpleSaveStage write, are expected",
                    core::printable(folder.string())));
  number_layers(result.layers);
  return {std::move(result)};
}

}  // namespace

std::string canonical_name(const StageEntry& entry, const PluginRegistry& registry) {
  const std::vector<StageSource> found = registry.find(entry.name);
  return found.size() == 1 ? found.front().stage->name : entry.name;
}

PipelineRequest without_files(const PipelineRequest& request, PipelineEdit edit) {
  PipelineRequest other = request;
  other.arguments.clear();  // the whole pipeline has been asked about them
  other.edit = [edit = std::move(edit)](PipelineFile& pipeline, const PluginRegistry& registry) {
    std::erase_if(pipeline.stages, [&](const StageEntry& entry) {
      return savers.contains(canonical_name(entry, registry));
    });
    const auto erase = [](std::vector<WrittenSetting>& settings) {
      std::erase_if(settings, [](const WrittenSetting& setting) { return writing.contains(setting.name); });
    };
    erase(pipeline.parameters);
    for (StageEntry& stage : pipeline.stages) erase(stage.settings);
    if (edit) edit(pipeline, registry);
  };
  return other;
}

std::vector<ResultRows> run_figures(const OpenPipeline& open, Run& run) {
  std::vector<ResultRows> results;
  PipelineRun running(open, run, Telling::nothing);
  while (const std::optional<PipelineResult> result = running.next())
    results.push_back(in_layers(rows_of(result->evaluation, result->extra)));
  // Comparisons hold the rows of dozens of runs.
  for (ResultRows& rows : results) {
    for (ResultRow& row : rows.layers) row.value = {};
    if (rows.total) rows.total->value = {};
  }
  return results;
}

std::vector<ResultRows> read_figures(const std::string& path) {
  return fs::is_directory(path) ? read_folder(path) : parse_figures(read_text(path), path);
}

std::string figures_text(const std::vector<ResultRows>& results) {
  Json all = Json::array();
  for (const ResultRows& rows : results) all.push_back(rows_json(rows));
  return core::json_text(Json{{"results", std::move(all)}}, core::one_line);
}

std::vector<ResultRows> parse_figures(const std::string& text, const std::string& place) {
  return reading(place, [&] {
    std::vector<ResultRows> results;
    const Json document = Json::parse(text);
    for (const Json& rows : document.at("results")) results.push_back(rows_from_json(rows));
    return results;
  });
}

}  // namespace zz::host
