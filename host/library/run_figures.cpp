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
#include "core/cost/evaluation.hpp"
#include "core/multicore/schedule/exchanges.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/schema/types.hpp"
#include "host/library/pipeline_run.hpp"

namespace zz::host {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Names = std::set<std::string, std::less<>>;

/// What saves or draws results and hands them on unchanged, or takes what an earlier run saved.
const Names savers = {
    "SimpleSaveStage",       "CompleteSaveStage",  "PickleSaveStage",          "DumpStage",
    "SkipIfDumpExistsStage", "VisualizationStage", "PlotTemporalMappingsStage"};
/// What makes other stages write files.
const Names writing = {
    "dump_folder", "dump_filename_pattern",     "plot_file_name", "plot_full_schedule",
    "plot_hof",    "node_hw_performances_path", "cost_lut_path",  "visualize_node_hw_performances_path"};
constexpr std::uintmax_t most_bytes = 268435456;  // of a JSON file, as stages have it

FiguresRow row_of(const SummaryRow& summary) {
  FiguresRow row{summary.layer, 0, -1, {summary.energy, summary.latency}, summary.limited_by};
  const auto evaluation = summary.evaluation.as<core::Evaluation>();
  if (evaluation && evaluation->layer) row.id = evaluation->layer->id;
  if (evaluation) row.figures.energy_range = core::energy_range(*evaluation);
  return row;
}

/// The layers of a schedule, each with its nodes on their cores.
std::vector<FiguresRow> rows_of(const core::Schedule& schedule) {
  std::vector<FiguresRow> rows;
  for (const core::CutLayer& cut_layer : schedule.graph->layers)
    rows.push_back({cut_layer.layer->name, 0, cut_layer.layer->id, {}});
  const std::vector<const core::CoreCost*> costs = core::costs_of_nodes(schedule);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const core::ScheduledNode& scheduled = schedule.nodes[i];
    Figures& figures = rows[schedule.graph->nodes[scheduled.node].layer].figures;
    figures.latency += scheduled.end - scheduled.start;
    if (costs[i] != nullptr) figures.energy += costs[i]->onchip_energy + costs[i]->offchip_energy;
  }
  return rows;
}

/// What metrics_of() has of it, if anything.
std::optional<core::EnergyRange> range_in(const Json& object) {
  const auto metrics = object.find("metrics");
  if (metrics == object.end() || !metrics->contains("energy_low") || !metrics->contains("energy_high"))
    return std::nullopt;
  return core::EnergyRange{metrics->at("energy_low").get<double>(),
                           metrics->at("energy_high").get<double>()};
}

/// A row of what --format=json printed.
FiguresRow printed_row(const Json& row) {
  const auto limit = row.find("limited_by");
  return {row.at("layer").get<std::string>(),
          0,
          -1,
          {row.at("energy_total").get<double>(), row.at("latency_total2").get<double>(), range_in(row)},
          limit != row.end() && limit->is_string() ? limit->get<std::string>() : ""};
}

/// The figures in a file of CompleteSaveStage or SimpleSaveStage.
Figures saved_figures(const Json& file) {
  const auto outputs = file.find("outputs");
  if (outputs == file.end())
    return {file.at("energy").get<double>(), file.at("latency").get<double>(), range_in(file)};
  const Json& latency = outputs->at("latency");
  Figures figures{outputs->at("energy").at("energy_total").get<double>(), 0, range_in(*outputs)};
  for (const char* part : {"data_onloading", "computation", "data_offloading"})
    figures.latency += latency.at(part).get<double>();
  return figures;
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

std::vector<ResultFigures> read_folder(const fs::path& folder) {
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
  ResultFigures result;
  for (const auto& [name, path] : files)
    reading(path, [&, &name = name, &path = path] {
      const Json file = Json::parse(read_text(path));
      if (name == "overall" || name == "schedule")
        result.total = FiguresRow{"total", 0, -1, saved_figures(file)};
      else
        result.layers.push_back({saved_layer(file, name), 0, -1, saved_figures(file)});
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

const FiguresRow* ResultFigures::find(const FiguresRow& wanted) const {
  for (const FiguresRow& row : layers)
    if (row.is_same_layer(wanted)) return &row;
  return nullptr;
}

ResultFigures figures_of(const SummaryResult& summary) {
  ResultFigures figures{summary.settings, {}, {}};
  for (const SummaryRow& row : summary.layers) {
    const auto evaluation = row.evaluation.as<core::Evaluation>();
    if (evaluation && evaluation->schedule && evaluation->schedule->graph && evaluation->schedule->costs) {
      figures.layers = rows_of(*evaluation->schedule);
      figures.total = row_of(row);
    } else {
      figures.layers.push_back(row_of(row));
    }
  }
  if (summary.has_total) figures.total = row_of(summary.total);
  if (figures.total) figures.total->layer = "total";
  number_layers(figures.layers);
  return figures;
}

void number_layers(std::vector<FiguresRow>& rows) {
  std::map<std::string, int> count;
  for (FiguresRow& row : rows) row.nth = count[row.layer]++;
}

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

std::vector<ResultFigures> run_figures(const OpenPipeline& open, Run& run) {
  std::vector<ResultFigures> results;
  PipelineRun running(open, run, Telling::nothing);
  while (const std::optional<PipelineResult> result = running.next())
    results.push_back(figures_of(summarise(result->evaluation, result->extra)));
  return results;
}

std::vector<ResultFigures> read_figures(const std::string& path) {
  return fs::is_directory(path) ? read_folder(path) : parse_figures(read_text(path), path);
}

std::string figures_text(const std::vector<ResultFigures>& results) {
  const auto row_json = [](const FiguresRow& row) {
    Json json{{"layer", row.layer},
              {"energy_total", row.figures.energy},
              {"latency_total2", row.figures.latency},
              {"limited_by", row.limited_by}};
    if (const auto& range = row.figures.energy_range)
      json["metrics"] = {{"energy_low", range->low}, {"energy_high", range->high}};
    return json;
  };
  Json all = Json::array();
  for (const ResultFigures& result : results) {
    Json one{{"settings", Json::object()}, {"total", nullptr}, {"layers", Json::array()}};
    for (const auto& [name, value] : result.settings) one["settings"][name] = Json::parse(value);
    if (result.total) one["total"] = row_json(*result.total);
    for (const FiguresRow& row : result.layers) one["layers"].push_back(row_json(row));
    all.push_back(std::move(one));
  }
  return core::json_text(Json{{"results", std::move(all)}}, core::one_line);
}

std::vector<ResultFigures> parse_figures(const std::string& text, const std::string& place) {
  return reading(place, [&] {
    std::vector<ResultFigures> results;
    const Json document = Json::parse(text);
    for (const Json& result : document.at("results")) {
      ResultFigures figures;
      if (const auto settings = result.find("settings"); settings != result.end())
        for (const auto& [name, value] : settings->items())
          figures.settings.emplace_back(name, value.dump());
      for (const Json& row : result.at("layers")) figures.layers.push_back(printed_row(row));
      if (!result.at("total").is_null()) figures.total = printed_row(result.at("total"));
      number_layers(figures.layers);
      results.push_back(std::move(figures));
    }
    return results;
  });
}

}  // namespace zz::host
