#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/value/value.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// A setting of a stage with its value and where that came from.
struct ResolvedSetting {
  const zz_param* parameter = nullptr;
  core::Value value;
  Origin origin = Origin::fallback;
  core::SourceMark mark;  ///< of the name; nowhere for a default
  bool own = false;       ///< set at the stage itself, so that nothing above replaces it
};

/// A context key that a stage provides because its settings name it: see port "*" in stage_abi.h.
struct NamedKey {
  std::string key;  ///< a key, or a path into what is under one, as "accelerator.memories[l1].size"
  core::SourceMark mark;
};

struct ResolvedStage;

/// A setting that is a list of stages: a chain of its own.
struct NestedStages {
  const zz_param* parameter = nullptr;
  std::vector<ResolvedStage> stages;
};

/// A stage of the pipeline that is known and whose settings are complete and checked.
struct ResolvedStage {
  std::string position;  ///< "3", the outermost is "1"; "3.1" for the first stage in a setting of the third
  const zz_stage_desc* stage = nullptr;
  Plugin* plugin = nullptr;
  StageEntry entry;                       ///< as written; the name is perhaps an older one
  std::vector<ResolvedSetting> settings;  ///< in the order of the stage's table
  std::vector<NamedKey> named;            ///< what its port "*" stands for
  std::vector<NestedStages> nested;       ///< in the order of the settings

  /// The name for messages: the one that the user wrote.
  const std::string& name() const { return entry.name; }
  const core::SourceMark& mark() const { return entry.mark; }
  /// True when it hands down this context key.
  bool provides(std::string_view key) const;
  /// "stage 3 SumStage in reduce.so (pipeline.yaml:12)": how messages name it.
  std::string label() const;
};

/// An entry of the context that the first stage is opened with.
struct ContextEntry {
  std::string key;
  core::Value value;
  Origin origin = Origin::parameters;
  core::SourceMark mark;
};

/// A pipeline whose names all have a meaning.
struct ResolvedChain {
  std::vector<ResolvedStage> stages;
  std::vector<ContextEntry> context;
  bool complete = true;         ///< every stage could be found
  bool plugin_missing = false;  ///< a stage could not be found because a plugin did not load
};

/// Gives every name of the pipeline its meaning and every setting its value. All problems go to
/// `diagnostics`; what is returned is only to be run when there are no errors among them.
ResolvedChain resolve(const PipelineFile& pipeline, const PluginRegistry& registry,
                      core::Diagnostics& diagnostics);

/// Checks the chain as a whole: leaf last and only there, each stage finds the context keys that it
/// takes, with the type that it expects. `registry` is asked which stages could provide what is missing.
void check_ports(const ResolvedChain& chain, const PluginRegistry& registry,
                 core::Diagnostics& diagnostics);

}  // namespace zz::host
