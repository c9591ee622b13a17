#pragma once
#include "core/base/diagnostics.hpp"
#include "plugins/transformer/config_map.hpp"
#include "plugins/transformer/decoder.hpp"

namespace zz::plugins {

/// Reads `torch_dtype` and `quantization_config` of a model's configuration. Known are the ways to write
/// the latter of GPTQ, AWQ, bitsandbytes, FP8, MXFP4 and compressed-tensors; of another one, `bits` counts.
/// Parts of a model that the file excepts (`modules_to_not_convert`) are taken to be quantised as the rest.
StoredBits read_stored_bits(ConfigMap& map, core::Diagnostics& diagnostics);

}  // namespace zz::plugins
