#include "core/input/transformer/detail/block_plan.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace zz::core {
namespace {

using Windows = DecoderFamily::Windows;

/// Which blocks the file's `layer_types` gives a window. False when there are none.
bool read_layer_types(ConfigMap& map, std::vector<bool>& windowed, Diagnostics& diagnostics) {
  const yaml::Node* types = map.find({"layer_types"});
  if (types == nullptr) return false;
  const std::string what = "'layer_types' of " + map.what();
  if (!yaml::expect_short_list(*types, what, diagnostics)) return true;
  if (types->items.size() != windowed.size()) {
    diagnostics.error(types->mark, fmt::format("{} has {} items, but the model has {} blocks", what,
                                               types->items.size(), windowed.size()));
    return true;
  }
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    const std::string type = types->items[i].as_text().value_or("");
    windowed[i] = type == "sliding_attention";
    if (windowed[i] || type == "full_attention") continue;
    diagnostics.error(types->items[i].mark,
                      fmt::format("item {} of {} is {}", i, what, types->items[i].describe()),
                      "known are full_attention and sliding_attention");
  }
  return true;
}

std::vector<bool> windows_by_rule(ConfigMap& map, Windows rule, std::size_t count) {
  std::int64_t from = 0, pattern = 6;
  bool used = false;
  map.number({"max_window_layers"}, from, 0);
  map.number({"sliding_window_pattern"}, pattern);
  map.truth({"use_sliding_window"}, used);
  std::vector<bool> windowed(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::int64_t>(i);
    windowed[i] = rule == Windows::all || (rule == Windows::alternating && index % 2 == 0) ||
                  (rule == Windows::if_used && used && index >= from) ||
                  (rule == Windows::most && (index + 1) % pattern != 0);
  }
  return windowed;
}

/// Which blocks have experts. The keys are those of DeepSeek and of Qwen.
std::vector<bool> expert_blocks(ConfigMap& map, std::size_t count, Diagnostics& diagnostics) {
  std::int64_t first = 0, every = 1, step = 1;
  map.number({"first_k_dense_replace"}, first, 0);
  map.number({"moe_layer_freq"}, every);
  map.number({"decoder_sparse_step"}, step);
  std::vector<std::int64_t> dense;
  if (const yaml::Node* list = map.find({"mlp_only_layers"}))
    yaml::read(*list, "'mlp_only_layers' of " + map.what(), dense, diagnostics);
  std::vector<bool> sparse(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::int64_t>(i);
    sparse[i] = index >= first && index % every == 0 && (index + 1) % step == 0 &&
                std::find(dense.begin(), dense.end(), index) == dense.end();
  }
  return sparse;
}

}  // namespace

std::vector<DecoderBlock> read_blocks(ConfigMap& map, const DecoderFamily& family, std::int64_t count,
                                      bool has_experts, Diagnostics& diagnostics) {
  const auto size = static_cast<std::size_t>(count);
  std::int64_t window = 0;
  map.number({"sliding_window"}, window, 0);
  std::vector<bool> windowed = windows_by_rule(map, family.windows, size);
  if (read_layer_types(map, windowed, diagnostics) && window == 0 &&
      std::find(windowed.begin(), windowed.end(), true) != windowed.end()) {
    diagnostics.error(map.mark(), fmt::format("the key 'sliding_window' is missing in {}, whose "
                                              "'layer_types' name sliding_attention",
                                              map.what()));
  }
  const std::vector<bool> sparse = expert_blocks(map, size, diagnostics);
  std::vector<DecoderBlock> blocks(size);
  for (std::size_t i = 0; i < size; ++i) blocks[i] = {windowed[i] ? window : 0, has_experts && sparse[i]};
  return blocks;
}

}  // namespace zz::core
