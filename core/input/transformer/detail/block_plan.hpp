#pragma once
#include "core/base/diagnostics.hpp"
#include "core/input/transformer/decoder.hpp"
#include "core/input/transformer/detail/config_map.hpp"
#include "core/input/transformer/detail/decoder_families.hpp"

namespace zz::core {

/// Says for each of `count` blocks whether it attends within a window, and whether it has experts. Problems
/// are added to `diagnostics`.
std::vector<DecoderBlock> read_blocks(ConfigMap& map, const DecoderFamily& family, std::int64_t count,
                                      bool has_experts, Diagnostics& diagnostics);

}  // namespace zz::core
