#include "host/serve/session.hpp"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/value/read.hpp"
#include "host/boundary/host_table.hpp"
#include "host/boundary/parallel.hpp"
#include "host/library/named_parts.hpp"
#include "host/report/explain.hpp"
#include "host/report/stage_description.hpp"
#include "host/report/why_rows.hpp"
#include "host/report/why_text.hpp"
#include "host/serve/pages.hpp"
#include "host/serve/rpc_message.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

// Limits of docs/limits.md.
constexpr std::size_t most_pipelines = 256;

std::string text_or(const Json& params, const char* name, const std::string& otherwise = "") {
  const auto found = params.find(name);
  return found != params.end() ? found->get<std::string>() : otherwise;
}

unsigned checked_threads(const Json& threads) {
  if (const auto wanted = threads.get<std::uint64_t>(); wanted <= most_threads)
    return static_cast<unsigned>(wanted);
  throw RpcError(RpcCode::invalid_params, fmt::format("'threads' must lie in [0, {}]", most_threads),
                 "params.threads");
}

std::map<std::string, std::string> files_of(const Json& params) {
  std::map<std::string, std::string> files;
  const auto given = params.find("files");
  if (given == params.end()) return files;
  for (const auto& [name, content] : given->items()) {
    if (!content.is_string() && !content.is_structured()) {
      throw RpcError(
          RpcCode::invalid_params,
          fmt::format("the file '{}' must be a text, or a tree as YAML has it", core::shown_text(name)),
          "params.files." + core::shown_text(name));
    }
    // JSON is YAML.
    files[name] = content.is_string() ? content.get<std::string>() : core::json_text(content);
  }
  return files;
}

/// Adds the entries of the parameter `set`; an entry that is there already is replaced.
void add_changes(const Json& params, std::vector<std::pair<std::string, Json>>& changes) {
  const auto given = params.find("set");
  if (given == params.end()) return;
  for (const auto& entry : given->items()) {
    std::erase_if(changes, [&](const auto& change) { return change.first == entry.key(); });
    changes.emplace_back(entry.key(), entry.value());
  }
}

Json changes_json(const std::vector<std::pair<std::string, Json>>& changes) {
  Json all = Json::object();
  for (const auto& [name, value] : changes) all[name] = value;
  return all;
}

Json warnings_of(const OpenPipeline& open) {
  Json all = Json::array();
  for (const core::Diagnostic& problem : open.diagnostics.all()) {
    if (problem.severity == core::Severity::warning)
      all.push_back(problem.hint.empty() ? problem.message : problem.message + "; " + problem.hint);
  }
  return all;
}

Json names_of_stages(const OpenPipeline& open) {
  Json names = Json::array();
  for (const ResolvedStage& stage : open.chain.stages) names.push_back(stage.name());
  return names;
}

/// A file on disk in which no stage could be read.
bool is_no_pipeline(const OpenPipeline& open, const PipelineRequest& request) {
  return open.pipeline.stages.empty() && !request.text.has_value() &&
         current_run().files.in_memory(request.path) == nullptr;
}

/// A client may name any file of the user. What is said of one that is no pipeline tells nothing of what is
/// in it.
void hide_content(OpenPipeline& open) {
  for (core::Diagnostic& problem : open.diagnostics.take_from(0)) {
    if (problem.mark.line > 0)
      problem = {problem.severity, problem.mark, "this cannot be read as a pipeline",
                 "'zz-host check' says more"};
    open.diagnostics.add(std::move(problem));
  }
}

/// Adds the findings on a pipeline that may run.
void add_what_was_found(Json& answer, const OpenPipeline& open) {
  answer["stages"] = names_of_stages(open);
  answer["not_looked_at"] = not_looked_at_json(open.chain);
  answer["warnings"] = warnings_of(open);
}

constexpr const char* stage_pages = "zz://stages/";

}  // namespace

Session::Loaded& Session::loaded(const Json& params) {
  const std::string name = text_or(params, "pipeline", last_);
  if (const auto found = pipelines_.find(name); found != pipelines_.end()) {
    last_ = name;
    return found->second;
  }
  if (name.empty())
    throw RpcError(RpcCode::invalid_params, "no pipeline is loaded", "params.pipeline",
                   "call 'load' first");
  std::vector<std::string> names;
  for (const auto& [known, _] : pipelines_) names.push_back(known);
  throw RpcError(RpcCode::invalid_params, fmt::format("no pipeline '{}' is loaded", core::shown_text(name)),
                 "params.pipeline", core::suggestion(name, names));
}

OpenPipeline Session::open(const Loaded& pipeline, const Changes& changes, Run& run) const {
  for (const auto& [name, bytes] : pipeline.files) run.files.add(name, bytes);
  run.threads = threads_for(options_.threads);
  PipelineRequest request = pipeline.request;
  for (const auto& [name, value] : changes)
    request.set.push_back(name + "=" + core::json_text(value, core::one_line));
  OpenPipeline open = open_pipeline(request);
  if (open.code != ExitCode::done && is_no_pipeline(open, request)) hide_content(open);
  if (open.code != ExitCode::done) throw_problems(open);
  return open;
}

std::string Session::new_name() const {
  for (std::size_t number = pipelines_.size() + 1;; ++number) {
    if (std::string name = std::to_string(number); !pipelines_.contains(name)) return name;
  }
}

Json Session::load(const Json& params, Run& run) {
  if (params.contains("path") == params.contains("text")) {
    throw RpcError(RpcCode::invalid_params, "either 'path' or 'text' must say which pipeline", "params",
                   R"(as {"path": "pipeline.yaml"})");
  }
  Loaded fresh;
  fresh.name = text_or(params, "pipeline", new_name());
  if (!pipelines_.contains(fresh.name) && pipelines_.size() >= most_pipelines) {
    throw RpcError(RpcCode::invalid_params, fmt::format("{} pipelines are loaded already", most_pipelines),
                   "params.pipeline", "call 'unload' for some, or load over one of them");
  }
  fresh.request.path = text_or(params, "path", "<pipeline>");
  fresh.request.plugins = options_.plugins;
  fresh.request.plugin_paths = options_.plugin_paths;
  fresh.request.allowed = {false, options_.code_folders, SessionOptions::code_hint};
  fresh.files = files_of(params);
  if (const auto text = params.find("text"); text != params.end()) {
    fresh.request.text = text->is_string() ? text->get<std::string>() : core::json_text(*text);
    // For the line that a message shows.
    fresh.files[fresh.request.path] = *fresh.request.text;
  }
  add_changes(params, fresh.changes);
  const OpenPipeline opened = open(fresh, fresh.changes, run);
  const std::string name = fresh.name;
  pipelines_[name] = std::move(fresh);
  last_ = name;
  Json answer{{"pipeline", name}};
  add_what_was_found(answer, opened);
  return answer;
}

Json Session::unload(const Json& params, Run&) {
  const std::string name = loaded(params).name;
  pipelines_.erase(name);
  last_ = pipelines_.empty() ? "" : pipelines_.rbegin()->first;
  return {{"pipeline", name}};
}

Json Session::change(const Json& params, Run& run) {
  Loaded& pipeline = loaded(params);
  Changes changes = params.value("reset", false) ? Changes() : pipeline.changes;
  add_changes(params, changes);
  const OpenPipeline opened = open(pipeline, changes, run);
  pipeline.changes = std::move(changes);
  return {{"pipeline", pipeline.name},
          {"changes", changes_json(pipeline.changes)},
          {"not_looked_at", not_looked_at_json(opened.chain)},
          {"warnings", warnings_of(opened)}};
}

Json Session::check(const Json& params, Run& run) {
  const Loaded& pipeline = loaded(params);
  OpenPipeline opened = open(pipeline, pipeline.changes, run);
  in_chain([&] {
    PipelineRun created(opened, run);
    check_named_parts(opened.chain, opened.diagnostics);
    if (!opened.diagnostics.has_errors()) created.rehearse();
  });
  if (opened.diagnostics.has_errors()) {
    opened.code = ExitCode::usage;
    throw_problems(opened);
  }
  Json answer{{"pipeline", pipeline.name}};
  add_what_was_found(answer, opened);
  return answer;
}

Json Session::run(const Json& params, Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  Loaded& pipeline = loaded(params);
  Changes changes = pipeline.changes;
  add_changes(params, changes);
  const OpenPipeline opened = open(pipeline, changes, run);
  if (const std::vector<std::string> left = opened.code_left(); !left.empty()) {
    throw RpcError(
        RpcCode::invalid_params,
        fmt::format("the pipeline is not run, because its code is not loaded: {}", fmt::join(left, ", ")),
        "params.pipeline", SessionOptions::code_hint);
  }
  if (const auto threads = params.find("threads"); threads != params.end())
    run.threads = threads_for(checked_threads(*threads));

  std::vector<PipelineResult> results;
  std::string nothing;  // said where there is none
  RunSummary summary;
  summary.pipeline = pipeline.request.path;
  in_chain([&] {
    PipelineRun running(opened, run);
    try {
      while (std::optional<PipelineResult> result = running.next()) {
        summary.results.push_back(rows_of(result->evaluation, result->extra));
        results.push_back(std::move(*result));
      }
    } catch (const ChainFailure&) {
      // The results of a search until it was cancelled are an answer.
      if (!run.cut_short || results.empty()) throw;
      summary.complete = false;
    }
    if (results.empty()) nothing = running.no_result();
  });
  if (results.empty()) throw_failed(ExitCode::no_result, nothing);
  if (run.log.errors() > 0) throw_failed(ExitCode::stage_failed, "a stage failed while it was closed");
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  add_what_was_told(summary, run);
  pipeline.results = std::move(results);
  pipeline.summary = summary;
  Json answer = summary_json(summary);
  answer["changes"] = changes_json(changes);
  return answer;
}

std::size_t Session::number_of_result(const Json& params) {
  const Loaded& pipeline = loaded(params);
  if (pipeline.results.empty()) {
    throw RpcError(RpcCode::invalid_params,
                   fmt::format("the pipeline '{}' has no results yet", pipeline.name), "params.pipeline",
                   "call 'run' first");
  }
  const auto number = params.value("result", std::size_t{1});
  if (number < 1 || number > pipeline.results.size()) {
    throw RpcError(RpcCode::invalid_params, fmt::format("there is no result {}", number), "params.result",
                   fmt::format("there are {}, counted from 1", pipeline.results.size()));
  }
  return number;
}

Json Session::results(const Json& params, Run&) {
  const std::size_t number = number_of_result(params);
  const Loaded& pipeline = loaded(params);
  const ResultRows& rows = pipeline.summary.results[number - 1];
  core::Value shown = pipeline.results[number - 1].evaluation;
  if (const auto layer = params.find("layer"); layer != params.end()) {
    const std::string name = layer->get<std::string>();
    std::vector<std::string> names;
    const ResultRow* found = nullptr;
    for (const ResultRow& row : rows.layers) {
      if (row.layer == name && found == nullptr) found = &row;
      names.push_back(row.layer);
    }
    if (found == nullptr) {
      throw RpcError(RpcCode::invalid_params,
                     fmt::format("the result has no layer '{}'", core::shown_text(name)), "params.layer",
                     core::suggestion(name, names));
    }
    shown = found->value;
  }
  core::Ref part = shown.ref();
  if (const std::string path = text_or(params, "part"); !path.empty()) {
    part = core::part(part, core::intern(path));
    if (part.type == nullptr) {
      const std::string why = core::explain(part, core::Kind::none);
      throw RpcError(RpcCode::invalid_params,
                     core::shown_text(path) == path ? core::printable_line(why) : core::shown_text(why),
                     "params.part", "the resources zz://values and zz://parts list what there is");
    }
  }
  return {{"pipeline", pipeline.name}, {"result", number}, {"value", Json::parse(core::to_json(part))}};
}

Json Session::why(const Json& params, Run& run) {
  const std::size_t number = number_of_result(params);
  const Loaded& pipeline = loaded(params);
  const WhyQuestion question{.layer = text_or(params, "layer"),
                             .mapping = params.value("mapping", false),
                             .energy = params.value("energy", false),
                             .search = params.value("search", false)};
  try {
    const WhyOfResult why = why_of(pipeline.summary.results[number - 1], question, run);
    Json answer = why_json({why}, question);
    for (Json& layer : answer["layers"]) layer.erase("evaluation");  // `results` has it
    answer["text"] = why_text(why, question);
    return answer;
  } catch (const core::InputError& error) {
    throw RpcError(RpcCode::invalid_params, error.diagnostics().front().message, "params.layer",
                   error.diagnostics().front().hint);
  }
}

Json Session::explain(const Json& params, Run& run) {
  const Loaded& pipeline = loaded(params);
  const OpenPipeline opened = open(pipeline, pipeline.changes, run);
  const std::string format = text_or(params, "format", "json");
  if (format == "text") return {{"text", explain_as_text(opened.chain)}};
  if (format == "yaml") return {{"text", normal_form(opened.pipeline, opened.chain)}};
  return Json::parse(explain_as_json(opened.chain));
}

std::vector<StageSource> Session::all_stages(PluginRegistry& registry) const {
  for (const std::string& file : options_.plugins) registry.add_file(file, "--plugin");
  registry.add_search_path(options_.plugin_paths);
  return registry.stages();
}

Json Session::stages(const Json& params, Run&) {
  PluginRegistry registry(host_table());
  const std::vector<StageSource> known = all_stages(registry);
  Json all = Json::array();
  if (const std::string name = text_or(params, "stage"); !name.empty()) {
    for (const StageSource& source : registry.find(name)) all.push_back(description_of(source));
    if (all.empty()) {
      throw RpcError(RpcCode::invalid_params, fmt::format("unknown stage '{}'", core::shown_text(name)),
                     "params.stage", registry.suggestion(name));
    }
  } else {
    for (const StageSource& source : known)
      all.push_back({{"name", source.stage->name}, {"summary", text_or_empty(source.stage->summary)}});
  }
  return {{"stages", std::move(all)}};
}

Json Session::list_pages(const Json&, Run&) {
  PluginRegistry registry(host_table());
  Json all = Json::array();
  for (const StageSource& source : all_stages(registry)) {
    all.push_back({{"uri", std::string(stage_pages) + source.stage->name},
                   {"name", source.stage->name},
                   {"description", text_or_empty(source.stage->summary)},
                   {"mimeType", "text/markdown"}});
  }
  for (const Page& page : pages())
    all.push_back(
        {{"uri", page.uri}, {"name", page.name}, {"description", page.doc}, {"mimeType", page.type}});
  return {{"resources", std::move(all)}};
}

Json Session::read_page(const Json& params, Run&) {
  PluginRegistry registry(host_table());
  all_stages(registry);
  const std::string uri = text_or(params, "uri");
  const std::string name =
      uri.starts_with(stage_pages) ? uri.substr(std::string_view(stage_pages).size()) : uri;
  Json contents = Json::array();
  for (const Page& page : pages())
    if (uri == page.uri) contents.push_back({{"uri", uri}, {"mimeType", page.type}, {"text", page.text()}});
  for (const StageSource& source : registry.find(name))
    contents.push_back({{"uri", uri}, {"mimeType", "text/markdown"}, {"text", page_of(source)}});
  if (contents.empty()) {
    throw RpcError(RpcCode::invalid_params, fmt::format("there is no resource '{}'", core::shown_text(uri)),
                   "params.uri", registry.suggestion(name));
  }
  return {{"contents", std::move(contents)}};
}

}  // namespace zz::host
