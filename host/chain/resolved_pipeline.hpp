#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/value/value.hpp"
#include "host/chain/stand_in.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// A setting of a stage with its value and where that came from.
struct ResolvedSetting {
  const zz_param* parameter = nullptr;
  core::Value value;
  Origin origin = Origin::fallback;
  core::SourceMark mark;  ///< of the name; nowhere for a default
  bool own = false;       ///< set at the stage itself; a stage above cannot replace it
};

/// A context key that a stage provides because its settings name it (port "*" in stage_abi.h).
struct NamedKey {
  std::string key;  ///< a key, or a path into its value, as "accelerator.memories[l1].size"
  core::SourceMark mark;
};

/// A part of what a stage hands down that the pipeline changes, as if the stage had handed it down so.
struct ChangedPart {
  std::string path;  ///< "accelerator.memories[l1].size"
  core::Value value;
  Origin origin = Origin::parameters;
  core::SourceMark mark;
};

struct ResolvedStage;

/// A setting that is a list of stages.
struct NestedStages {
  const zz_param* parameter = nullptr;
  std::vector<ResolvedStage> stages;
};

/// A known stage of the pipeline, with complete and checked settings.
struct ResolvedStage {
  std::string position;  ///< "3", the outermost is "1"; "3.1" for the first stage in a setting of the third
  const zz_stage_desc* stage = nullptr;
  Plugin* plugin = nullptr;
  std::shared_ptr<StandIn>
      stand_in;      ///< holds both when the stage was not looked at, because its code is not loaded
  StageEntry entry;  ///< as written; the name may be an older one
  std::vector<ResolvedSetting> settings;  ///< in the order of the stage's table
  std::vector<NamedKey> named;            ///< the keys of its port "*"
  std::vector<NestedStages> nested;       ///< in the order of the settings
  std::vector<ChangedPart> changes;       ///< made one after the other

  /// The name for messages: the one that the user wrote.
  const std::string& name() const { return entry.name; }
  const core::SourceMark& mark() const { return entry.mark; }
  /// True when the stage hands down this context key.
  bool provides(std::string_view key) const;
  /// "stage 3 SumStage in reduce.so (pipeline.yaml:12)": how messages name it.
  std::string label() const;
};

/// An entry of the context for the first stage.
struct ContextEntry {
  std::string key;
  core::Value value;
  Origin origin = Origin::parameters;
  core::SourceMark mark;
  std::string written = {};  ///< the spelling that was given, of a setting
};

/// A pipeline whose names all have a meaning.
struct ResolvedPipeline {
  std::vector<ResolvedStage> stages;
  std::vector<ContextEntry> context;
  bool complete = true;         ///< every stage could be found, and was looked at
  bool all_found = true;        ///< every stage could be found; some may have stand-ins
  bool plugin_missing = false;  ///< a stage could not be found because a plugin did not load
};

/// True when the keys that a stage hands down are not known before it runs: port "*", which no setting
/// names.
bool hands_down_anything(const ResolvedStage& stage);

/// Every stage, outermost first; the stages of a setting follow the stage that has it.
std::vector<const ResolvedStage*> all_stages(const std::vector<ResolvedStage>& stages);

/// Those of them that were not looked at.
std::vector<const ResolvedStage*> stages_not_looked_at(const std::vector<ResolvedStage>& stages);

/// The stages above one, outermost first: those before it in its list and, when the list is a setting of a
/// stage, that stage and those above it.
std::vector<const ResolvedStage*> stages_above(const ResolvedPipeline& pipeline,
                                               const ResolvedStage& stage);

/// The stages below one: those in its own settings, and those after it in its list with theirs.
std::vector<const ResolvedStage*> stages_below(const ResolvedPipeline& pipeline,
                                               const ResolvedStage& stage);

}  // namespace zz::host
