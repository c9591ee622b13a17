#include "host/library/run_figures.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/cost/evaluation.hpp"
#include "core/output/archive/archive.hpp"
#include "core/schema/types.hpp"
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
  row.metrics = metrics_in(is_complete ? *outputs : file);
  row.gap = row.metric("optimum_gap");
  row.utilization = std::numeric_limits<double>::quiet_NaN();
  row.energy = (is_complete ? outputs->at("energy").at("energy_total") : file.at("energy")).get<double>();
  if (const auto told = file.find("row"); told != file.end()) {
    if (const auto id = told->find("layer_id"); id != told->end() && id->is_number_integer())
      row.id = id->get<std::int64_t>();
    row.limited_by = told->value("limited_by", "");
    row.limited_share = told->value("limited_share", 0.0);
  }
  if (!is_complete) {
    row.latency = file.at("latency").get<double>();
    return row;
  }
  for (const char* part : {"data_onloading", "computation", "data_offloading"})
    row.latency += outputs->at("latency").at(part).get<double>();
  const auto spatial = outputs->find("spatial");
  if (spatial != outputs->end() && spatial->contains("mac_utilization"))
    if (const Json& used = spatial->at("mac_utilization");
        used.contains("stalls_onloading_offloading") && used["stalls_onloading_offloading"].is_number())
      row.utilization = used["stalls_onloading_offloading"].get<double>();
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

void forget_evaluations(ResultRows& rows) {
  for (ResultRow& row : rows.layers) row.value = {};
  if (rows.total) rows.total->value = {};
}

/// Layers that follow each other in an archive, as if SumStage had added them up.
class LayersOfArchive {
 public:
  bool go_on_with(const ResultRows& rows) const { return !pairs_.empty() && settings_ == rows.settings; }
  void add(const core::Value& evaluation, const core::Value& extra, const Settings& settings) {
    if (pairs_.empty()) sum_ = {};
    settings_ = settings;
    sum_ = core::add(sum_, *evaluation.as<core::Evaluation>());
    pairs_.push_back(core::Value::list({evaluation, extra}));
  }
  /// Hands them over as one result, if there are any.
  void finish(std::vector<ResultRows>& results) {
    if (pairs_.empty()) return;
    const bool several = pairs_.size() > 1;
    const core::Value sum = core::Value::object(std::make_shared<const core::Evaluation>(sum_));
    ResultRows rows = rows_of(sum, core::Value::list(std::exchange(pairs_, {})));
    if (!several) rows.total.reset();
    rows.settings = settings_;
    forget_evaluations(rows);
    results.push_back(std::move(rows));
  }

 private:
  std::vector<core::Value> pairs_;
  core::Evaluation sum_;
  Settings settings_;
};

std::vector<ResultRows> read_archive(const std::string& path) {
  std::vector<ResultRows> results;
  LayersOfArchive layers;
  core::ArchiveReader reader(path, core::ArchiveReader::As::objects);
  core::Value evaluation, extra;
  while (reader.next(evaluation, extra)) {
    ResultRows rows = in_layers(rows_of(evaluation, extra));
    const auto one = evaluation.as<core::Evaluation>();
    const bool is_layer = one != nullptr && one->layer != nullptr && rows.layers.size() == 1;
    if (!is_layer || !layers.go_on_with(rows)) layers.finish(results);
    if (is_layer) {
      layers.add(evaluation, extra, rows.settings);
      continue;
    }
    forget_evaluations(rows);
    results.push_back(std::move(rows));
  }
  layers.finish(results);
  return results;
}

/// "block2" before "block10".
bool comes_before(const std::string& a, const std::string& b) {
  const auto is_digit = [](char one) { return one >= '0' && one <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [&](const std::string& text, std::size_t& at) {
      const std::size_t first = std::min(text.find_first_not_of('0', at), text.size());
      at = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_digit) -
           text.begin();
      return first < at ? text.substr(first, at - first) : std::string();
    };
    const std::string left = number(a, i), right = number(b, j);
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  return a.size() - i < b.size() - j;
}

/// The one archive of a folder; "": there is none, or there are several.
std::string archive_in(const fs::path& folder) {
  std::string found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (!core::is_archive(entry.path().string())) continue;
    if (!found.empty()) return "";
    found = entry.path().string();
  }
  return found;
}

/// The files of a folder, by what their names say.
ResultRows read_files(const fs::path& folder) {
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
      if (name == "overall" || name == "schedule") {
        result.total = saved_row(file, "total");
        result.total->is_schedule = name == "schedule";
        for (const Json& layer : file.value("layers", Json::array()))
          result.layers.push_back(row_from_json(layer));
      } else

        result.layers.push_back(saved_row(file, saved_layer(file, name)));
    });
  // In the order of the network, as far as the files say it.
  std::stable_sort(result.layers.begin(), result.layers.end(), [](const ResultRow& a, const ResultRow& b) {
    if ((a.id < 0) != (b.id < 0)) return b.id < 0;
    return a.id != b.id ? a.id < b.id : comes_before(a.layer, b.layer);
  });
  number_layers(result.layers);
  return result;
}

/// An archive has the order of the network and more than files do; the total may be in a file beside it.
std::vector<ResultRows> read_folder(const fs::path& folder) {
  ResultRows files = read_files(folder);
  const bool has_files = files.total || !files.layers.empty();
  if (const std::string archive = archive_in(folder); !archive.empty()) {
    try {
      std::vector<ResultRows> results = read_archive(archive);
      // The file alone has what stages above the archive's added to the total.
      if (results.size() == 1 && files.total) {
        std::optional<ResultRow>& total = results.front().total;
        if (total) {
          files.total->utilization = total->utilization;
          files.total->gap = total->gap;
          if (files.total->limited_by.empty()) files.total->limited_by = total->limited_by;
          for (const auto& [name, figure] : total->metrics)
            if (std::isnan(files.total->metric(name))) files.total->metrics.emplace_back(name, figure);
        }
        total = files.total;
      }
      if (!results.empty()) return results;
    } catch (const core::InputError&) {
      // One of another version; the files beside it tell most of it.
      if (!has_files) throw;
    }
  }
  if (!has_files)
    throw core::InputError(fmt::format(
        "{} has no results; files *_complete.json or *_simple.json, which CompleteSaveStage and "
        "SimpleSaveStage write, or an archive are expected",
        core::printable(folder.string())));
  return {std::move(files)};
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
  for (ResultRows& rows : results) forget_evaluations(rows);
  return results;
}

bool is_of_earlier_run(const std::string& path) {
  return fs::is_directory(path) || path.ends_with(".json") || core::is_archive(path);
}

std::vector<ResultRows> read_figures(const std::string& path) {
  if (fs::is_directory(path)) return read_folder(path);
  return core::is_archive(path) ? read_archive(path) : parse_figures(read_text(path), path);
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
