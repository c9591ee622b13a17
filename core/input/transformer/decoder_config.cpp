#include "core/input/transformer/decoder_config.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/input/transformer/detail/block_plan.hpp"
#include "core/input/transformer/detail/config_map.hpp"
#include "core/input/transformer/detail/decoder_families.hpp"
#include "core/input/yaml/document.hpp"

namespace zz::core {
namespace {

// docs/limits.md names both.
constexpr std::int64_t most_blocks = 1024;
constexpr double most_parameters = 9007199254740992.0;

/// Puts the entries of `changes` in the place of those of `base` with the same keys.
void replace_entries(yaml::Node& base, const yaml::Node& changes) {
  for (std::size_t i = 0; i < changes.entries.size(); ++i) {
    const std::string& key = changes.entries[i].first;
    const yaml::Node& value = changes.entries[i].second;
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
  DecoderReader(const yaml::Node& node, Diagnostics& diagnostics)
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
    map_.finish();
    check();
    return std::move(decoder_);
  }

 private:
  void read_type() {
    std::string type;
    const yaml::Node* node = map_.find({"model_type"});
    if (node != nullptr && !yaml::read(*node, "'model_type' of " + map_.what(), type, diagnostics_)) return;
    family_ = find_decoder_family(type);
    if (family_ != nullptr) return;
    diagnostics_.error(
        node->mark, fmt::format("unknown model type '{}'", type),
        suggestion(type, decoder_types()) +
            "; a decoder with the conventions of Llama can leave 'model_type' out and needs 'hidden_size', "
            "'num_hidden_layers', 'num_attention_heads', 'intermediate_size' and 'vocab_size'");
  }

  void read_sizes() {
    map_.required({"hidden_size", "n_embd", "d_model"}, decoder_.width);
    map_.required({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, blocks_);
    map_.required({"vocab_size"}, decoder_.vocabulary);
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

  const yaml::Node& node_;
  Diagnostics& diagnostics_;
  ConfigMap map_;
  const DecoderFamily* family_ = nullptr;
  Decoder decoder_;
  std::int64_t blocks_ = 0;
};

}  // namespace

Decoder read_decoder(const std::string& path, const std::string& changes, Diagnostics& diagnostics,
                     const Files& files) {
  Diagnostics found;
  yaml::Node node;
  node.kind = yaml::Node::Kind::map;
  if (!path.empty()) node = yaml::load_file(path, found, files);
  // Models of several kinds of input describe their decoder apart.
  const yaml::Node* text = node.find("text_config");
  if (text != nullptr && text->is_map()) node = yaml::Node(*text);
  if (!changes.empty()) {
    const yaml::Node given = yaml::load_text(changes, "config", found);
    if (yaml::expect_map(given, "'config'", found) &&
        yaml::expect_map(node, "a model's configuration", found))
      replace_entries(node, given);
    if (path.empty()) node.mark = given.mark;
  }
  Decoder decoder;
  if (!found.has_errors()) decoder = DecoderReader(node, found).read();
  yaml::hand_over(found, diagnostics);
  decoder.name = path.empty() ? "decoder" : name_for(path);
  return decoder;
}

}  // namespace zz::core
