#pragma once
#include <deque>
#include <string>
#include <vector>

#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/plugin_library.hpp"

namespace zz::host {

/// Takes the place of a stage whose code is not loaded, so that the rest of a pipeline can be checked: it
/// takes every setting that is written, and may hand down and change anything. It is created like a stage,
/// and never opened.
class StandIn {
 public:
  /// `files` is where the code is, for messages; `last`: nothing follows it in its list. `in_file`: the
  /// setting 'file' is a path in the pipeline.
  StandIn(const StageEntry& entry, std::string files, bool last, bool in_file, const zz_host& host);
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  const zz_stage_desc& stage() const { return stage_; }
  Plugin& plugin() { return plugin_; }
  const std::string& files() const { return plugin_.file; }

 private:
  std::deque<std::string> names_;  ///< pointed to by the tables
  std::vector<zz_param> settings_;
  zz_stage_desc stage_{};
  const zz_stage_desc* stages_[1];
  zz_plugin table_{};
  Plugin plugin_;
};

}  // namespace zz::host
