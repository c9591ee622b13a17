#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "core/input/yaml/document.hpp"
#include "host/chain/resolved_chain.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// A pipeline whose names are being given their meaning: what is read, what has come of it, and where
/// problems go.
struct Resolution {
  const PipelineFile& pipeline;
  const PluginRegistry& registry;
  core::Diagnostics& diagnostics;
  ResolvedChain chain{};
};

/// Takes the path of a file, if the setting is one, as relative to the pipeline file, unless it was written
/// on the command line.
void locate(const Resolution& resolution, core::yaml::Node& node, const zz_param& parameter, Origin origin);

/// The value that a user wrote, located and checked. Names in a map that stand for what stages below take
/// become names that `stage` provides.
core::Value located_value(Resolution& resolution, const zz_param& parameter, const WrittenSetting& setting,
                          ResolvedStage& stage);

/// Puts the parameters of the pipeline into the context, each under the name by which the stages of the
/// chain know it. Settings that stages have of their own must be known already.
void place_parameters(Resolution& resolution);

}  // namespace zz::host
