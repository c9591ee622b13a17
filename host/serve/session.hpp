#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/base/run.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/run_summary.hpp"
#include "host/serve/rpc_message.hpp"

namespace zz::host {

/// Options of every pipeline of a session.
struct SessionOptions {
  std::vector<std::string> plugins, plugin_paths;
  /// The user's way to allow more than `code_folders`.
  static constexpr const char* code_hint =
      "a server loads code of the folders only that it was started with: zz-host serve --allow-code FOLDER";

  std::vector<std::string> code_folders;  ///< code in these is loaded when a pipeline names it
  unsigned threads = 1;
  std::string store = {};  ///< of answers for which a pipeline names none; "": they are kept in memory
};

/// Pipelines that a client has loaded, with their changes and last results. Each function is a method of
/// the protocol. The calling thread works for `run`, whose flag cancels the request. Functions throw
/// RpcError. One call at a time.
class Session {
 public:
  explicit Session(SessionOptions options) : options_(std::move(options)) {}

  /// True if pipelines may bring code of their own.
  bool may_load_code() const { return !options_.code_folders.empty(); }

  Json load(const Json& params, Run& run);
  Json unload(const Json& params, Run& run);
  Json change(const Json& params, Run& run);
  Json check(const Json& params, Run& run);
  Json run(const Json& params, Run& run);
  Json results(const Json& params, Run& run);
  Json why(const Json& params, Run& run);
  Json explain(const Json& params, Run& run);
  Json stages(const Json& params, Run& run);

  /// The pages of the stages as resources of MCP.
  Json list_pages(const Json& params, Run& run);
  Json read_page(const Json& params, Run& run);

 private:
  using Changes = std::vector<std::pair<std::string, Json>>;  ///< name and value, in order

  struct Loaded {
    std::string name;
    PipelineRequest request;
    std::map<std::string, std::string> files;
    Changes changes;
    std::vector<PipelineResult> results;  ///< of the last run that ended well
    RunSummary summary;                   ///< of these
  };

  /// The pipeline that the parameters name, else the one that was loaded or named last.
  Loaded& loaded(const Json& params);
  /// Opens the pipeline with these changes. Throws for one that may not run.
  OpenPipeline open(const Loaded& pipeline, const Changes& changes, Run& run) const;
  /// The result of the last run that the parameters name, from 1. Throws where there is none.
  std::size_t number_of_result(const Json& params);
  std::string new_name() const;
  std::vector<StageSource> all_stages(PluginRegistry& registry) const;

  SessionOptions options_;
  std::map<std::string, Loaded> pipelines_;
  std::string last_;  ///< "": none
};

}  // namespace zz::host
