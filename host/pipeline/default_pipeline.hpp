#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "host/pipeline/pipeline_file.hpp"

namespace zz::host {

/// Choices for the default pipeline. File names count from the working directory.
struct PipelineChoices {
  std::string workload;     ///< *.onnx: a model; *.json: the config.json of a language model; else YAML
  std::string accelerator;  ///< with one core or with several
  std::string mapping;      ///< on one core "" for any_unrolling()
  std::string objective = "latency";  ///< "energy", "latency" or "edp", to be made small
  /// ZigZag's chain: the best of three unrollings and of the loop orders of LOMA, without a proof.
  bool quick = false;
  std::optional<std::int64_t> limit = {};  ///< of LOMA's loop factors, with `quick`; 6 if not given
  /// With a proof: by which fraction the objective may be above its least where the other figure gains;
  /// the stage's default if not given.
  std::optional<double> within = {};
  std::string store = {};      ///< keeps the mappings of layers for later runs; "": none
  std::string output = {};     ///< the folder for result files; "": none are written
  std::string precision = {};  ///< as core::precision_choice() reads it
  /// On one core: layers may be fused, for the least energy of the network and with one proof for it.
  bool fused = false;
  /// On one core, for latency: tables for simulators of serving; `output` is the folder of the bundle.
  bool serving = false;
  std::string vector_unit = {};  ///< with `serving`; "": work on elements costs nothing
};

/// A mapping file that prescribes no unrolling. It is for accelerators whose memory operands are I1
/// (inputs), I2 (weights) and O.
core::yaml::Node any_unrolling();

/// The pipeline that most users would write. On one core each layer gets the mapping that is proven best,
/// with one second for each proof, and the layers are added up. On several, cuts, allocation and order of
/// all layers are searched together, with such mappings for their pieces.
///
/// The accelerator file is read to see which. What is wrong with the file is left to the stage that reads
/// it. Places in the result are the options of `zz-host map`, `fused` or `profile`. Throws
/// core::InputError for choices that are wrong.
PipelineFile default_pipeline(const PipelineChoices& choices, const core::Files& files);

}  // namespace zz::host
