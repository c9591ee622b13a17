#include "plugins/transformer/config_map.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace zz::plugins {
namespace {

// Keeps products of a few of them in 64 bits; docs/limits.md names it.
constexpr std::int64_t largest_config_number = 16777216;

/// Keys of public configurations that look like sizes but do not bear on the layers of a forward pass.
constexpr std::string_view without_effect[] = {
    "attn_logit_softcapping",
    "chunk_size_feed_forward",
    "encoder_no_repeat_ngram_size",
    "ep_size",
    "final_logit_softcapping",
    "initial_context_length",
    "layer_norm_elementwise_affine",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "layernorm_epsilon",
    "max_batch_size",
    "max_sequence_length",
    "moe_layer_start_index",
    "n_ctx",
    "n_group",
    "n_positions",
    "no_repeat_ngram_size",
    "norm_topk_prob",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_nextn_predict_layers",
    "num_return_sequences",
    "original_max_position_embeddings",
    "pad_key_length",
    "qk_head_dim",
    "qk_layernorm",
    "query_pre_attn_scalar",
    "rotary_dim",
    "rotary_emb_base",
    "scale_attn_by_inverse_layer_idx",
    "scale_attention_softmax_in_fp32",
    "topk_group",
    "topk_method",
};

/// True if a key that is not known sounds like a size, or like a number of parts.
bool says_a_size(std::string_view key) {
  constexpr std::string_view signs[] = {"num_",   "_size",  "_dim",   "_rank",        "head",  "expert",
                                        "layers", "layer_", "window", "intermediate", "latent"};
  return std::any_of(std::begin(signs), std::end(signs),
                     [&](std::string_view sign) { return key.find(sign) != std::string_view::npos; });
}

/// True if two keys differ in one letter: put in, left out, another one, or exchanged with its neighbour.
bool is_slip_of(std::string_view key, std::string_view known) {
  const auto [a, b] = std::mismatch(key.begin(), key.end(), known.begin(), known.end());
  const std::string_view rest(a, key.end()), known_rest(b, known.end());
  if (rest.empty() || known_rest.empty()) return rest.size() + known_rest.size() == 1;
  if (rest.substr(1) == known_rest || rest == known_rest.substr(1)) return true;
  if (rest.substr(1) == known_rest.substr(1)) return true;
  return rest.size() > 1 && known_rest.size() > 1 && rest[0] == known_rest[1] && rest[1] == known_rest[0] &&
         rest.substr(2) == known_rest.substr(2);
}

}  // namespace

ConfigMap::ConfigMap(const core::yaml::Node& node, const std::string& what, core::Diagnostics& diagnostics)
    : node_(node), diagnostics_(diagnostics), map_(node, what, diagnostics) {}

const core::yaml::Node* ConfigMap::find(std::initializer_list<const char*> keys) {
  const core::yaml::Node* found = nullptr;
  for (const char* key : keys) {
    read_.emplace_back(key);
    const core::yaml::Node* value = map_.nullable(key);
    if (found != nullptr || value == nullptr) continue;
    found = value;
    found_key_ = key;
  }
  return found;
}

bool ConfigMap::number(std::initializer_list<const char*> keys, std::int64_t& target, std::int64_t least) {
  const core::yaml::Node* value = find(keys);
  std::int64_t read = 0;
  if (value == nullptr || !core::yaml::read(*value, map_.what(found_key_), read, diagnostics_))
    return false;
  if (read < least || read > largest_config_number) {
    diagnostics_.error(value->mark, fmt::format("{} is {}, expected is a number from {} to {}",
                                                map_.what(found_key_), read, least, largest_config_number));
    return false;
  }
  target = read;
  return true;
}

bool ConfigMap::required(std::initializer_list<const char*> keys, std::int64_t& target) {
  if (find(keys) != nullptr) return number(keys, target);
  const core::yaml::Node* const null = map_.required(*keys.begin());
  if (null != nullptr)
    diagnostics_.error(null->mark,
                       fmt::format("{} must be a whole number, but is empty", map_.what(*keys.begin())));
  return false;
}

bool ConfigMap::truth(std::initializer_list<const char*> keys, bool& target) {
  const core::yaml::Node* value = find(keys);
  return value != nullptr && core::yaml::read(*value, map_.what(found_key_), target, diagnostics_);
}

void ConfigMap::finish() {
  for (const auto& entry : node_.entries) {
    const std::string& key = entry.first;
    const bool harmless =
        std::find(std::begin(without_effect), std::end(without_effect), key) != std::end(without_effect);
    const bool slip = std::any_of(read_.begin(), read_.end(),
                                  [&](const std::string& known) { return is_slip_of(key, known); });
    if (harmless || (!slip && !says_a_size(key))) map_.optional(key);
  }
  map_.finish();
}

}  // namespace zz::plugins
