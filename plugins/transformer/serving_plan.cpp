#include "plugins/transformer/serving_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "plugins/transformer/decoder_workload.hpp"
#include "plugins/transformer/distinct_layers.hpp"
#include "plugins/transformer/shard.hpp"

namespace zz::plugins {
namespace {

/// The rows that a layer's work belongs to, by its name without the block.
struct RoleRows {
  const char* role;
  const char* row;
  const char* kernel;  ///< "": that simulator does not ask for it
};

constexpr const char* attention_row = "attention";
constexpr const char* experts_row = "moe";
constexpr const char* logits_row = "lm_head";

constexpr RoleRows rows_of_roles[] = {
    {"position/add", "embedding", "emb"},
    {"attention/norm", "layernorm", "input_layernorm"},
    {"attention/norm_after", "layernorm", "input_layernorm"},
    {"attention/add", "layernorm", "add"},
    {"attention/query", "qkv_proj", "attn_pre_proj"},
    {"attention/key", "qkv_proj", "attn_pre_proj"},
    {"attention/value", "qkv_proj", "attn_pre_proj"},
    {"attention/query_key_value", "qkv_proj", "attn_pre_proj"},
    {"attention/query_down", "qkv_proj", "attn_pre_proj"},
    {"attention/cached", "qkv_proj", "attn_pre_proj"},
    {"attention/query_norm", "qk_norm", "attn_rope"},
    {"attention/key_norm", "qk_norm", "attn_rope"},
    {"attention/cached_norm", "qk_norm", "attn_rope"},
    {"attention/query_rotary", "rotary_emb", "attn_rope"},
    {"attention/key_rotary", "rotary_emb", "attn_rope"},
    {"attention/key_value", attention_row, ""},
    {"attention/query_absorbed", attention_row, ""},
    {"attention/scores", attention_row, ""},
    {"attention/softmax", attention_row, ""},
    {"attention/context", attention_row, ""},
    {"attention/output", "o_proj", "attn_post_proj"},
    {"mlp/norm", "layernorm", "post_attention_layernorm"},
    {"mlp/norm_after", "layernorm", "post_attention_layernorm"},
    {"mlp/gate", "gate_up_proj", "mlp_up_proj"},
    {"mlp/up", "gate_up_proj", "mlp_up_proj"},
    {"mlp/gate_up", "gate_up_proj", "mlp_up_proj"},
    {"mlp/activation", "act_fn", "mlp_act"},
    {"mlp/activation/product", "act_fn", "mlp_act"},
    {"mlp/down", "down_proj", "mlp_down_proj"},
    {"mlp/add", "layernorm", "add"},
    {"norm", "final_layernorm", ""},
    {"head", logits_row, ""},
};

/// Rows of work without layers: embeddings are looked up, and tokens drawn.
constexpr const char* looked_up = "embedding";
constexpr const char* looked_up_kernel = "emb";
constexpr const char* drawn = "sampler";

RoleRows rows_of(const std::string& role, bool latent) {
  if (role.starts_with("moe/")) return {"", experts_row, ""};
  // Absorbed latent attention makes values of the context, for all tokens of the cache at once.
  if (latent && role == "attention/value") return {"", attention_row, ""};
  for (const RoleRows& rows : rows_of_roles)
    if (role == rows.role) return rows;
  throw std::logic_error("no row of a bundle has the work of '" + role + "'");
}

ServingTable table_of(std::string_view row) {
  if (row == attention_row) return ServingTable::attention;
  if (row == experts_row) return ServingTable::experts;
  return row == logits_row || row == drawn ? ServingTable::per_sequence : ServingTable::dense;
}

DecoderStep decoding(std::int64_t sequences, std::int64_t context, bool vector_layers) {
  DecoderStep step;
  step.batch = sequences;
  step.context = context;
  step.absorbed = true;
  step.vector_layers = vector_layers;
  return step;
}

DecoderStep prefilling(std::int64_t chunk, std::int64_t earlier, bool vector_layers) {
  DecoderStep step;
  step.tokens = chunk;
  step.context = chunk + earlier;
  step.vector_layers = vector_layers;
  return step;
}

/// The nodes of a network with these ids, as if everything else came from off the chip.
core::Workload excerpt(const core::Workload& network, const std::set<std::int64_t>& ids) {
  core::Workload part;
  const auto within = [&](std::int64_t id) { return ids.contains(id); };
  for (const auto& layer : network.layers) {
    if (!within(layer->id)) continue;
    auto copy = std::make_shared<core::Layer>(*layer);
    for (core::LayerOperand& operand : copy->operands)
      std::erase_if(operand.sources, [&](std::int64_t id) { return !within(id); });
    if (part.name.empty()) part.name = copy->name;
    part.layers.push_back(std::move(copy));
  }
  for (core::PassThroughNode node : network.pass_through) {
    if (!within(node.id)) continue;
    std::erase_if(node.sources, [&](std::int64_t id) { return !within(id); });
    part.pass_through.push_back(std::move(node));
  }
  for (const auto& edge : network.edges)
    if (within(edge.first) && within(edge.second)) part.edges.push_back(edge);
  for (const std::int64_t id : network.node_order)
    if (within(id)) part.node_order.push_back(id);
  return part;
}

class Planner {
 public:
  Planner(const DecoderBits& bits, bool vector_layers, const core::MappingFile& mapping,
          const core::Rules& rules, core::Diagnostics& diagnostics)
      : bits_(bits),
        vector_layers_(vector_layers),
        mapping_(mapping),
        rules_(rules),
        diagnostics_(diagnostics),
        distinct_(plan_.layers) {}

  void add_degree(const Decoder& shard, std::int64_t degree, const ServingPoints& grid);
  void add_experts(const Decoder& decoder, std::int64_t degree, const std::vector<std::int64_t>& tokens);
  ServingPlan take() { return std::move(plan_); }

 private:
  StepNetwork outline(const Decoder& decoder, const DecoderStep& step) {
    core::Diagnostics told_once;
    core::Diagnostics& diagnostics = std::exchange(first_, false) ? diagnostics_ : told_once;
    return outline_step(decoder, step, bits_, mapping_, rules_, diagnostics);
  }

  /// The names of rows that a decoder has in a table, in the order of its layers: also those of work
  /// that costs nothing without a vector unit.
  const std::vector<std::string>& rows_in(const Decoder& shard, ServingTable table);
  void add_rows(const Decoder& shard, std::int64_t degree, ServingTable table, std::int64_t axis);
  /// Attention of a step, one use for each kind of block.
  std::vector<ServingRow::Use> attention(const Decoder& shard, const DecoderStep& step);
  void add_attention(const Decoder& shard, std::int64_t degree, const ServingPoints& grid);

  std::uint32_t piece_of(const std::shared_ptr<core::Layer>& layer) {
    return piece_of({index_of(layer)}, nullptr);
  }
  std::uint32_t index_of(const std::shared_ptr<core::Layer>& layer) {
    return distinct_.index_of(std::make_shared<core::Layer>(*layer)).first;
  }
  std::uint32_t piece_of(std::vector<std::uint32_t> layers,
                         std::shared_ptr<const core::Workload> together) {
    const auto [known, added] = pieces_.emplace(layers, static_cast<std::uint32_t>(plan_.pieces.size()));
    if (added) plan_.pieces.push_back({std::move(layers), std::move(together)});
    return known->second;
  }

  const DecoderBits& bits_;
  const bool vector_layers_;
  const core::MappingFile& mapping_;
  const core::Rules& rules_;
  core::Diagnostics& diagnostics_;
  ServingPlan plan_;
  DistinctLayers distinct_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> pieces_;
  std::map<ServingTable, std::vector<std::string>> names_;  ///< alike for all degrees
  bool first_ = true;
};

const std::vector<std::string>& Planner::rows_in(const Decoder& shard, ServingTable table) {
  std::vector<std::string>& names = names_[table];
  if (!names.empty()) return names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  const bool kernels = table == ServingTable::kernels;
  if (kernels) add(looked_up_kernel);
  if (table == ServingTable::dense) add(looked_up);
  for (const StepPart& part : outline(shard, decoding(1, 1, true)).parts) {
    const RoleRows rows = rows_of(part.role, shard.attention.latent.has_value());
    if (kernels)
      add(rows.kernel);
    else if (table_of(rows.row) == table)
      add(rows.row);
  }
  if (table == ServingTable::per_sequence) add(drawn);
  return names;
}

/// So often simulators take a row for one pass: once for each block that has it, normalisations twice.
double in_step(std::string_view row, const Decoder& decoder) {
  if (row == looked_up || row == looked_up_kernel || row == "final_layernorm" || row == logits_row ||
      row == drawn)
    return 1;
  const auto blocks = [&](bool experts) {
    return static_cast<double>(
        std::count_if(decoder.blocks.begin(), decoder.blocks.end(),
                      [&](const DecoderBlock& block) { return block.experts == experts; }));
  };
  if (row == experts_row) return blocks(true);
  if (row == "gate_up_proj" || row == "act_fn" || row == "down_proj" || row.starts_with("mlp_"))
    return blocks(false);
  return (blocks(true) + blocks(false)) * (row == "layernorm" ? 2 : 1);
}

void Planner::add_rows(const Decoder& shard, std::int64_t degree, ServingTable table, std::int64_t axis) {
  const StepNetwork step = outline(shard, decoding(axis, 1, vector_layers_));
  const bool kernels = table == ServingTable::kernels;
  const auto name_of = [&](const StepPart& part) {
    const RoleRows rows = rows_of(part.role, shard.attention.latent.has_value());
    return kernels ? rows.kernel : table_of(rows.row) == table ? rows.row : "";
  };
  for (const std::string& name : rows_in(shard, table)) {
    ServingRow row{degree, table, name, {axis}, {}, in_step(name, shard)};
    for (const StepPart& part : step.parts) {
      if (name != name_of(part)) continue;
      const std::uint32_t piece = piece_of(part.layer);
      const double times = static_cast<double>(part.times) / row.in_step;
      const auto known = std::find_if(row.uses.begin(), row.uses.end(),
                                      [&](const ServingRow::Use& use) { return use.piece == piece; });
      if (known == row.uses.end())
        row.uses.push_back({piece, times});
      else
        known->times += times;
    }
    plan_.rows.push_back(std::move(row));
  }
}

std::vector<ServingRow::Use> Planner::attention(const Decoder& shard, const DecoderStep& step) {
  const StepNetwork outlined = outline(shard, step);
  const auto is_attention = [&](const std::string& role) {
    return std::string_view(rows_of(role, shard.attention.latent.has_value()).row) == attention_row;
  };
  std::map<std::int64_t, std::vector<const StepPart*>> of_blocks;
  for (const StepPart& part : outlined.parts)
    if (part.block >= 0 && is_attention(part.role)) of_blocks[part.block].push_back(&part);
  std::vector<ServingRow::Use> uses;
  for (const auto& [block, parts] : of_blocks) {
    std::set<std::int64_t> ids;
    std::vector<std::uint32_t> layers;
    for (const StepPart* part : parts) ids.insert(part->layer->id);
    // Softmax without a vector unit.
    const std::string softmax = "block" + std::to_string(block) + "/attention/softmax";
    for (const core::PassThroughNode& node : outlined.network.pass_through)
      if (node.name == softmax) ids.insert(node.id);
    auto together = std::make_shared<const core::Workload>(excerpt(outlined.network, ids));
    for (const StepPart* part : parts) layers.push_back(index_of(part->layer));
    const double share =
        static_cast<double>(parts.front()->times) / static_cast<double>(shard.blocks.size());
    uses.push_back({piece_of(std::move(layers), std::move(together)), share});
  }
  return uses;
}

void Planner::add_attention(const Decoder& shard, std::int64_t degree, const ServingPoints& grid) {
  using Point = std::pair<std::int64_t, std::int64_t>;
  using Uses = std::vector<ServingRow::Use>;
  std::vector<std::pair<Point, Uses>> prefills = {{{0, 0}, {}}}, decodes = {{{0, 0}, {}}};
  for (const std::int64_t chunk : grid.chunks)
    for (std::int64_t earlier : grid.contexts)
      prefills.push_back({{chunk, earlier}, attention(shard, prefilling(chunk, earlier, vector_layers_))});
  for (const std::int64_t sequences : grid.decoding)
    for (const std::int64_t context : grid.contexts)
      if (context > 0)
        decodes.push_back(
            {{sequences, context}, attention(shard, decoding(sequences, context, vector_layers_))});
  for (const auto& [prefill, of_prefill] : prefills)
    for (const auto& [decode, of_decode] : decodes) {
      if (prefill.first == 0 && decode.first == 0) continue;
      ServingRow row{degree,     ServingTable::attention,      attention_row, {},
                     of_prefill, in_step(attention_row, shard)};
      row.axes = {prefill.first, prefill.second, decode.first, decode.second};
      row.uses.insert(row.uses.end(), of_decode.begin(), of_decode.end());
      plan_.rows.push_back(std::move(row));
    }
}

void Planner::add_degree(const Decoder& shard, std::int64_t degree, const ServingPoints& grid) {
  for (const ServingTable table : {ServingTable::dense, ServingTable::kernels})
    for (const std::int64_t tokens : grid.tokens) add_rows(shard, degree, table, tokens);
  for (const std::int64_t sequences : grid.sequences)
    add_rows(shard, degree, ServingTable::per_sequence, sequences);
  add_attention(shard, degree, grid);
}

void Planner::add_experts(const Decoder& decoder, std::int64_t degree,
                          const std::vector<std::int64_t>& tokens) {
  const Experts& experts = decoder.experts;
  for (const std::int64_t count : tokens)
    for (const std::int64_t needed : geometric_axis(experts.chosen, experts.count, 2)) {
      if (needed > count * experts.chosen) break;
      DecoderStep step = decoding(count, 1, vector_layers_);
      step.experts = needed;
      ServingRow row{degree, ServingTable::experts,        experts_row, {count, needed},
                     {},     in_step(experts_row, decoder)};
      for (const StepPart& part : outline(decoder, step).parts)
        if (part.role.starts_with("moe/"))
          row.uses.push_back({piece_of(part.layer), static_cast<double>(part.times) / row.in_step});
      plan_.rows.push_back(std::move(row));
    }
}

}  // namespace

std::vector<std::int64_t> geometric_axis(std::int64_t first, std::int64_t last, std::int64_t factor) {
  std::vector<std::int64_t> axis;
  for (std::int64_t at = first; at < last; at *= factor) axis.push_back(at);
  axis.push_back(last);
  return axis;
}

ServingPlan plan_serving_rows(const Decoder& decoder, const std::vector<std::int64_t>& degrees,
                              const ServingPoints& grid, const DecoderBits& bits, bool vector_layers,
                              const core::MappingFile& mapping, const core::Rules& rules,
                              core::Diagnostics& diagnostics) {
  std::vector<Decoder> shards;
  for (const std::int64_t degree : degrees) shards.push_back(shard_of(decoder, degree));
  Planner planner(bits, vector_layers, mapping, rules, diagnostics);
  for (std::size_t i = 0; i < degrees.size(); ++i) planner.add_degree(shards[i], degrees[i], grid);
  if (decoder.experts.count > 0)
    planner.add_experts(decoder, *std::min_element(degrees.begin(), degrees.end()), grid.tokens);
  return planner.take();
}

}  // namespace zz::plugins
