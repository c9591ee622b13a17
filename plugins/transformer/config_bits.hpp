#pragma once
#include "core/base/diagnostics.hpp"
#include "plugins/transformer/config_map.hpp"
#include "plugins/transformer/decoder.hpp"

namespace zz::plugins {

/// Reads `torch_dtype` and `quantization_config` of a model's configuration. Known are the ways to write
/// the latter of GPTQ, AWQ, bitsandbytes, FP8, MXFP4 and compressed-tensors; of another one, `bits` counts.
/// Groups of weights (`group_size`) have a scale of 16 bits each, and a zero point of the bits of a weight
/// where the method stores them: GPTQ always, AWQ as `zero_point` says, compressed-tensors where it is not
/// `symmetric`. A scale of a whole tensor, of a row or column of it, or of a square block of weights is not
/// counted. Parts of a model that the file excepts (`modules_to_not_convert`) are taken to be quantised as
/// the rest.
StoredBits read_stored_bits(ConfigMap& map, core::Diagnostics& diagnostics);

}  // namespace zz::plugins
