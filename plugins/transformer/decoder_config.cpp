#include "plugins/transformer/decoder_config.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/input/yaml/document.hpp"
#include "plugins/transformer/config_bits.hpp"
#include "plugins/transformer/config_map.hpp"

namespace zz::plugins {
namespace {

/// The conventions of the models of a type, which their configuration files do not say.
struct DecoderFamily {
  enum class Windows {
    none,         ///< all blocks attend to all tokens, whatever the file says
    all,          ///< a window that is given holds for all blocks
    if_used,      ///< Qwen: with `use_sliding_window`, for the blocks from `max_window_layers` on
    alternating,  ///< for every other block, beginning with the first
    most,         ///< for all but every `sliding_window_pattern`-th block
  };
  const char* type;    ///< `model_type`
  bool gated = true;   ///< the feed-forward part
  bool fused = false;  ///< queries, keys and values, and gate and up
  bool norm_bias = false;
  int block_norms = 2;
  bool tied = false;  ///< unless the file says otherwise, as the three that follow
  bool input_bias = false;
  bool output_bias = false;
  bool feed_forward_bias = false;
  bool head_bias = false;
  bool head_norms = false;
  bool learned_positions = false;
  bool parallel = false;
  bool four_times = false;  ///< the feed-forward part is four times as wide, unless the file says it
  bool shared_gate = false;
  bool choice_bias = false;
  bool expert_bias = false;
  bool sinks = false;
  bool latent = false;
  int head_width = 0;  ///< of the heads, where the file may leave it out; 0: width / heads
  Windows windows = Windows::none;
};

using Windows = DecoderFamily::Windows;

// Sources: the configurations and layers that the makers publish for each type. The test of the parameters
// of public models (tests/unit/transformer) holds each line to a published number.
constexpr DecoderFamily families[] = {
    {.type = "", .windows = Windows::all},
    {.type = "deepseek_v2", .latent = true},
    {.type = "deepseek_v3", .choice_bias = true, .latent = true},
    {.type = "falcon",
     .gated = false,
     .norm_bias = true,
     .block_norms = 1,
     .tied = true,
     .parallel = true,
     .four_times = true},
    {.type = "gemma", .tied = true, .head_width = 256},
    {.type = "gemma2", .block_norms = 4, .tied = true, .head_width = 256, .windows = Windows::alternating},
    {.type = "gemma3_text",
     .block_norms = 4,
     .tied = true,
     .head_norms = true,
     .head_width = 256,
     .windows = Windows::most},
    {.type = "gpt2",
     .gated = false,
     .fused = true,
     .norm_bias = true,
     .tied = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .learned_positions = true,
     .four_times = true},
    {.type = "gpt_bigcode",
     .gated = false,
     .fused = true,
     .norm_bias = true,
     .tied = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .learned_positions = true,
     .four_times = true},
    {.type = "gpt_neox",
     .gated = false,
     .fused = true,
     .norm_bias = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .parallel = true},
    {.type = "gpt_oss",
     .input_bias = true,
     .output_bias = true,
     .choice_bias = true,
     .expert_bias = true,
     .sinks = true,
     .windows = Windows::alternating},
    {.type = "kimi_k2", .choice_bias = true, .latent = true},
    {.type = "llama"},
    {.type = "mistral", .windows = Windows::all},
    {.type = "mixtral", .windows = Windows::all},
    {.type = "phi",
     .gated = false,
     .norm_bias = true,
     .block_norms = 1,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .head_bias = true,
     .parallel = true},
    {.type = "phi3", .fused = true, .windows = Windows::all},
    {.type = "qwen2", .input_bias = true, .windows = Windows::if_used},
    {.type = "qwen2_moe", .input_bias = true, .shared_gate = true, .windows = Windows::if_used},
    {.type = "qwen3", .head_norms = true, .head_width = 128, .windows = Windows::if_used},
    {.type = "qwen3_moe", .head_norms = true, .windows = Windows::if_used},
    {.type = "starcoder2",
     .gated = false,
     .norm_bias = true,
     .tied = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .windows = Windows::all},
};

/// nullptr when the type is unknown. The empty type has Llama's conventions, with a window if one is given.
const DecoderFamily* find_decoder_family(std::string_view type) {
  const auto* const found = std::find_if(std::begin(families), std::end(families),
                                         [&](const DecoderFamily& family) { return family.type == type; });
  return found == std::end(families) ? nullptr : found;
}

/// The known types, for messages.
std::span<const std::string> decoder_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> all;
    for (const DecoderFamily& family : families)
      if (*family.type != '\0') all.emplace_back(family.type);
    return all;
  }();
  return types;
}

/// The blocks to which the file's `layer_types` gives a window. False when there are none.
bool read_layer_types(ConfigMap& map, std::vector<bool>& windowed, core::Diagnostics& diagnostics) {
  const core::yaml::Node* types = map.find({"layer_types"});
  if (types == nullptr) return false;
  const std::string what = "'layer_types' of " + map.what();
  if (!core::yaml::expect_short_list(*types, what, diagnostics)) return true;
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

/// The blocks that have experts. The keys are those of DeepSeek and of Qwen.
std::vector<bool> expert_blocks(ConfigMap& map, std::size_t count, core::Diagnostics& diagnostics) {
  std::int64_t first = 0, every = 1, step = 1;
  map.number({"first_k_dense_replace"}, first, 0);
  map.number({"moe_layer_freq"}, every);
  map.number({"decoder_sparse_step"}, step);
  std::vector<std::int64_t> dense;
  if (const core::yaml::Node* list = map.find({"mlp_only_layers"}))
    core::yaml::read(*list, "'mlp_only_layers' of " + map.what(), dense, diagnostics);
  std::vector<bool> sparse(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::int64_t>(i);
    sparse[i] = index >= first && index % every == 0 && (index + 1) % step == 0 &&
                std::find(dense.begin(), dense.end(), index) == dense.end();
  }
  return sparse;
}

/// Says for each of `count` blocks whether it attends within a window, and whether it has experts. Problems
/// are added to `diagnostics`.
std::vector<DecoderBlock> read_blocks(ConfigMap& map, const DecoderFamily& family, std::int64_t count,
                                      bool has_experts, core::Diagnostics& diagnostics) {
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

// docs/limits.md names both.
constexpr std::int64_t most_blocks = 1024;
constexpr double most_parameters = 9007199254740992.0;

/// Puts the entries of `changes` in the place of those of `base` with the same keys.
void replace_entries(core::yaml::Node& base, const core::yaml::Node& changes) {
  for (std::size_t i = 0; i < changes.entries.size(); ++i) {
    const std::string& key = changes.entries[i].first;
    const core::yaml::Node& value = changes.entries[i].second;
    const auto same = std::find_if(base.entries.begin(), base.entries.end(),
                                   [&](const auto& entry) { return entry.first == key; });
    const auto index = static_cast<std::size_t>(same - base.entries.begin());
    if (same == base.entries.end()) {
      base.entries.emplace_back(key, value);
      base.key_marks.push_back(changes.key_marks[i]);
    } else {
      same->second = value;
      base.key_marks[index] = changes.key_marks[i];
    }
  }
}

std::string name_for(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string stem = file.stem().string();
  const std::string folder = std::filesystem::absolute(file).parent_path().filename().string();
  return stem == "config" && !folder.empty() ? folder : stem;
}

class DecoderReader {
 public:
  DecoderReader(const core::yaml::Node& node, core::Diagnostics& diagnostics)
      : node_(node), diagnostics_(diagnostics), map_(node, "a model's configuration", diagnostics) {}

  Decoder read() {
    read_type();
    if (family_ == nullptr) return decoder_;
    read_sizes();
    read_conventions();
    read_feed_forward();
    if (has_latent_attention())
      read_latent_attention();
    else
      read_attention();
    read_experts();
    if (blocks_ > most_blocks) {
      diagnostics_.error(node_.mark, fmt::format("{} has {} blocks, at most {} are possible", map_.what(),
                                                 blocks_, most_blocks));
    } else {
      decoder_.blocks = read_blocks(map_, *family_, blocks_, decoder_.experts.count > 0, diagnostics_);
    }
    decoder_.stored = read_stored_bits(map_, diagnostics_);
    map_.finish();
    check();
    return std::move(decoder_);
  }

 private:
  void read_type() {
    std::string type;
    const core::yaml::Node* node = map_.find({"model_type"});
    if (node != nullptr && !core::yaml::read(*node, "'model_type' of " + map_.what(), type, diagnostics_))
      return;
    family_ = find_decoder_family(type);
    decoder_.model_type = type;
    if (family_ != nullptr) return;
    diagnostics_.error(
        node->mark, fmt::format("unknown model type '{}'", type),
        core::suggestion(type, decoder_types()) +
            "; a decoder with the conventions of Llama can leave 'model_type' out and needs 'hidden_size', "
            "'num_hidden_layers', 'num_attention_heads', 'intermediate_size' and 'vocab_size'");
  }

  void read_sizes() {
    map_.required({"hidden_size", "n_embd", "d_model"}, decoder_.width);
    map_.required({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, blocks_);
    map_.required({"vocab_size"}, decoder_.vocabulary);
    map_.number({"max_position_embeddings", "n_positions"}, decoder_.most_positions);
    if (family_->learned_positions)
      map_.required({"n_positions", "max_position_embeddings"}, decoder_.learned_positions);
  }

  void read_conventions() {
    decoder_.tied = family_->tied;
    decoder_.head_bias = family_->head_bias;
    decoder_.norm_bias = family_->norm_bias;
    decoder_.parallel = family_->parallel;
    map_.truth({"tie_word_embeddings"}, decoder_.tied);
    map_.truth({"parallel_attn", "use_parallel_residual"}, decoder_.parallel);
    decoder_.block_norms = family_->block_norms;
    // Falcon has one normalisation where both parts read the same, in its first architecture.
    bool later = false;
    map_.truth({"new_decoder_architecture"}, later);
    if (family_->block_norms == 1 && (later || !decoder_.parallel)) decoder_.block_norms = 2;
    map_.number({"num_ln_in_parallel_attn"}, decoder_.block_norms);
  }

  void read_feed_forward() {
    FeedForward& part = decoder_.feed_forward;
    part.gated = family_->gated;
    part.fused = family_->fused && family_->gated;
    part.bias = family_->feed_forward_bias;
    map_.truth({"gated"}, part.gated);
    map_.truth({"mlp_bias", "bias", "use_bias"}, part.bias);
    const std::initializer_list<const char*> keys = {"intermediate_size", "n_inner", "ffn_hidden_size",
                                                     "ffn_dim"};
    if (!family_->four_times)
      map_.required(keys, part.width);
    else if (!map_.number(keys, part.width))
      part.width = 4 * decoder_.width;
  }

  void read_heads() {
    Attention& attention = decoder_.attention;
    map_.required({"num_attention_heads", "n_head", "n_heads", "num_heads"}, attention.heads);
    attention.input_bias = family_->input_bias;
    attention.output_bias = family_->output_bias;
    attention.head_norms = family_->head_norms;
    attention.sinks = family_->sinks;
    bool bias = false;
    if (map_.truth({"attention_bias", "bias", "use_bias"}, bias))
      attention.input_bias = attention.output_bias = bias;
  }

  void read_attention() {
    read_heads();
    Attention& attention = decoder_.attention;
    attention.fused = family_->fused;
    bool one = false;
    map_.truth({"multi_query"}, one);
    attention.cached_heads = one ? 1 : attention.heads;
    map_.number({"num_key_value_heads", "num_kv_heads", "n_head_kv"}, attention.cached_heads);
    // In Falcon's first architecture the number is there but only `multi_query` counts.
    bool later = true;
    map_.truth({"new_decoder_architecture"}, later);
    if (one && !later) attention.cached_heads = 1;
    if (attention.heads > 0 && attention.heads % attention.cached_heads != 0) {
      diagnostics_.error(node_.mark,
                         fmt::format("{} attention heads cannot share {} heads of keys and values evenly",
                                     attention.heads, attention.cached_heads));
    }
    if (!map_.number({"head_dim"}, attention.key_width)) read_head_width();
    attention.value_width = attention.key_width;
  }

  void read_head_width() {
    Attention& attention = decoder_.attention;
    attention.key_width = family_->head_width;
    if (attention.key_width > 0 || attention.heads == 0) return;
    attention.key_width = decoder_.width / attention.heads;
    if (decoder_.width % attention.heads == 0) return;
    diagnostics_.error(node_.mark,
                       fmt::format("a width of {} cannot be shared out evenly over {} heads",
                                   decoder_.width, attention.heads),
                       "give 'head_dim'");
  }

  bool has_latent_attention() { return family_->latent || map_.find({"kv_lora_rank"}) != nullptr; }

  void read_latent_attention() {
    read_heads();
    Attention& attention = decoder_.attention;
    LatentAttention latent;
    map_.number({"q_lora_rank"}, latent.query_rank);
    map_.required({"kv_lora_rank"}, latent.cached_rank);
    map_.required({"qk_nope_head_dim"}, latent.plain_width);
    map_.required({"qk_rope_head_dim"}, latent.rotary_width);
    map_.required({"v_head_dim"}, attention.value_width);
    attention.key_width = latent.plain_width + latent.rotary_width;
    attention.cached_heads = attention.heads;
    attention.latent = latent;
    // Files repeat the number of heads and a width that does not count here.
    map_.find({"num_key_value_heads", "head_dim"});
  }

  void read_experts() {
    Experts& experts = decoder_.experts;
    const std::initializer_list<const char*> chosen = {"num_experts_per_tok", "experts_per_token",
                                                       "num_experts_per_token"};
    if (!map_.number({"num_local_experts", "num_experts", "n_routed_experts"}, experts.count, 0) ||
        experts.count == 0) {
      map_.find(chosen);
      map_.find({"moe_intermediate_size", "n_shared_experts", "shared_expert_intermediate_size"});
      return;
    }
    map_.required(chosen, experts.chosen);
    if (!map_.number({"moe_intermediate_size"}, experts.width)) experts.width = decoder_.feed_forward.width;
    std::int64_t shared = 0;
    if (map_.number({"n_shared_experts"}, shared, 0)) experts.shared_width = shared * experts.width;
    map_.number({"shared_expert_intermediate_size"}, experts.shared_width, 0);
    experts.shared_gate = family_->shared_gate && experts.shared_width > 0;
    experts.choice_bias = family_->choice_bias;
    experts.bias = family_->expert_bias;
    if (experts.chosen > experts.count) {
      diagnostics_.error(node_.mark, fmt::format("each token takes {} experts, but there are {}",
                                                 experts.chosen, experts.count));
    }
  }

  void check() {
    if (diagnostics_.has_errors()) return;
    const double parameters = parameters_of(decoder_);
    if (parameters < most_parameters) return;
    diagnostics_.error(node_.mark, fmt::format("the model has {:.3g} parameters, which is more than can be "
                                               "counted exactly (9e15)",
                                               parameters));
  }

  const core::yaml::Node& node_;
  core::Diagnostics& diagnostics_;
  ConfigMap map_;
  const DecoderFamily* family_ = nullptr;
  Decoder decoder_;
  std::int64_t blocks_ = 0;
};

}  // namespace

Decoder read_decoder(const std::string& path, const std::string& changes, core::Diagnostics& diagnostics,
                     const core::Files& files) {
  core::Diagnostics found;
  core::yaml::Node node;
  node.kind = core::yaml::Node::Kind::map;
  if (!path.empty()) node = core::yaml::load_file(path, found, files);
  // Models of several kinds of input describe their decoder apart.
  const core::yaml::Node* text = node.find("text_config");
  if (text != nullptr && text->is_map()) node = core::yaml::Node(*text);
  if (!changes.empty()) {
    const core::yaml::Node given = core::yaml::load_text(changes, "config", found);
    if (core::yaml::expect_map(given, "'config'", found) &&
        core::yaml::expect_map(node, "a model's configuration", found))
      replace_entries(node, given);
    if (path.empty()) node.mark = given.mark;
  }
  Decoder decoder;
  if (!found.has_errors()) decoder = DecoderReader(node, found).read();
  core::yaml::hand_over(found, diagnostics);
  decoder.name = path.empty() ? "decoder" : name_for(path);
  return decoder;
}

}  // namespace zz::plugins
