#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/chain/resolved_pipeline.hpp"

namespace zz::host {

/// The chain as it would run, with the origin of each setting, as text.
std::string explain_as_text(const ResolvedPipeline& chain);

/// The same as JSON.
std::string explain_as_json(const ResolvedPipeline& chain);

/// The stages whose code was not loaded: a list of {"position", "stage", "file"}.
nlohmann::ordered_json not_looked_at_json(const ResolvedPipeline& chain);

/// The same as a complete pipeline file with the same results. Names and settings have their present
/// spelling, defaults are written out, and comments give the origins. Paths are absolute, so that the file
/// may be moved. A default that a stage above replaces stays a comment, because a setting written at a
/// stage cannot be replaced.
std::string normal_form(const PipelineFile& pipeline, const ResolvedPipeline& chain);

/// The same without what it leaves to defaults; comments say what each stage does.
std::string short_form(const PipelineFile& pipeline, const ResolvedPipeline& chain);

/// "default", or the place of the setting.
std::string origin_text(Origin origin, const core::SourceMark& mark);

}  // namespace zz::host
