#include "plugins/transformer/bundle_files.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"

namespace zz::plugins {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

struct TableWords {
  ServingTable table;
  const char* name;  ///< in costs.json; the file of LLMServingSim is <name>.csv
  std::vector<const char*> axes;
  bool named;  ///< rows have a column `layer`
};

const std::array<TableWords, 4>& tables_of_bundle() {
  static const std::array<TableWords, 4> tables = {
      {{ServingTable::dense, "dense", {"tokens"}, true},
       {ServingTable::per_sequence, "per_sequence", {"sequences"}, true},
       {ServingTable::attention,
        "attention",
        {"prefill_chunk", "kv_prefill", "n_decode", "kv_decode"},
        false},
       {ServingTable::experts, "moe", {"tokens", "activated_experts"}, false}}};
  return tables;
}

double microseconds(double cycles, const Bundle& facts) { return cycles * facts.clock_period / 1000; }

/// Rows of one table and degree, sorted by their layers and axes.
std::vector<std::size_t> rows_in(const ServingPlan& plan, const std::vector<ServingCost>& costs,
                                 ServingTable table, std::int64_t degree) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < plan.rows.size(); ++i)
    if (plan.rows[i].table == table && plan.rows[i].degree == degree && costs[i].without.empty())
      rows.push_back(i);
  return rows;
}

std::string csv_of(const Bundle& facts, const ServingPlan& plan, const std::vector<ServingCost>& costs,
                   const TableWords& words, const std::vector<std::size_t>& rows) {
  std::string text = words.named ? "layer," : "";
  for (const char* axis : words.axes) text += fmt::format("{},", axis);
  text += "time_us,compute_us,memory_us,limited_by\n";
  for (const std::size_t i : rows) {
    if (words.named) text += plan.rows[i].layer + ",";
    for (const std::int64_t at : plan.rows[i].axes) text += fmt::format("{},", at);
    const ServingCost& cost = costs[i];
    text +=
        fmt::format("{},{},{},{}\n", microseconds(cost.cycles, facts), microseconds(cost.compute, facts),
                    microseconds(cost.memory, facts), cost.limited_by());
  }
  return text;
}

std::string numbers(const std::vector<std::int64_t>& axis) {
  std::string text;
  for (const std::int64_t at : axis) text += fmt::format("{}{}", text.empty() ? "" : ", ", at);
  return "[" + text + "]";
}

std::string meta_of(const Bundle& facts) {
  const auto quoted = [](const std::string& text) { return core::json_string(text); };
  std::string text = "# Computed, not measured: latencies of the best mappings that zz finds.\n";
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{}: {}\n", key, value);
  };
  add("profiler_version", quoted("zz " + facts.version));
  add("vllm_version", quoted("n/a"));
  add("gpu", quoted("n/a"));
  add("hardware", quoted(facts.hardware));
  add("architecture", quoted(facts.decoder.model_type.empty() ? "llama" : facts.decoder.model_type));
  add("model", quoted(facts.model));
  add("variant", quoted(facts.variant));
  add("tp_degrees", numbers(facts.degrees));
  add("engine_effective", fmt::format("{{max_num_batched_tokens: {}, max_num_seqs: {}}}",
                                      facts.grid.tokens.back(), facts.grid.sequences.back()));
  add("attention_grid", fmt::format("{{chunks: {}, n_decode: {}, kv: {}}}", numbers(facts.grid.chunks),
                                    numbers(facts.grid.decoding), numbers(facts.grid.contexts)));
  // Sequences of a batch are computed one after the other: unequal lengths cost what their mean does.
  add("skew_fit", "{enabled: false}");
  return text;
}

constexpr std::array<const char*, 5> statistics = {"min", "max", "mean", "median", "std"};

std::string columns_of(const std::vector<std::string>& kernels) {
  std::string text;
  for (const std::string& kernel : kernels)
    for (const char* statistic : statistics) text += fmt::format("time_stats.{}.{},", kernel, statistic);
  return text;
}

/// The statistics of a time that is always the same, in ms; nothing: the kernel does not run.
std::string statistics_of(const double* cycles, const Bundle& facts) {
  if (cycles == nullptr) return std::string(statistics.size(), ',');
  const double time = microseconds(*cycles, facts) / 1000;
  return fmt::format("{},{},{},{},0,", time, time, time, time);
}

std::string vidur_mlp(const Bundle& facts, const ServingPlan& plan, const std::vector<ServingCost>& costs) {
  const std::vector<std::string> kernels = {
      "emb",         "input_layernorm",          "attn_pre_proj", "attn_rope",     "attn_post_proj",
      "mlp_up_proj", "post_attention_layernorm", "mlp_act",       "mlp_down_proj", "add"};
  const Decoder& model = facts.decoder;
  std::string text = columns_of(kernels) +
                     "n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,num_tokens,"
                     "num_tensor_parallel_workers\n";
  for (const std::int64_t degree : facts.degrees) {
    std::map<std::int64_t, std::map<std::string, double>> times;
    for (const std::size_t i : rows_in(plan, costs, ServingTable::kernels, degree))
      times[plan.rows[i].axes.front()][plan.rows[i].layer] = costs[i].cycles;
    for (const auto& [tokens, of_kernels] : times) {
      for (const std::string& kernel : kernels) {
        const auto found = of_kernels.find(kernel);
        const double cycles = found == of_kernels.end() ? 0 : found->second;
        text += statistics_of(&cycles, facts);
      }
      text += fmt::format("{},{},{},{},{},{},{},{}\n", model.attention.heads, model.attention.cached_heads,
                          model.width, model.feed_forward.width, model.vocabulary,
                          model.feed_forward.gated ? "True" : "False", tokens, degree);
    }
  }
  return text;
}

std::string vidur_attention(const Bundle& facts, const ServingPlan& plan,
                            const std::vector<ServingCost>& costs) {
  constexpr int block = 16;  // of pages of keys and values: the simulator's default
  const Decoder& model = facts.decoder;
  const double none = 0;
  std::string text = columns_of({"attn_prefill", "attn_decode", "attn_kv_cache_save", "attn_input_reshape",
                                 "attn_output_reshape"}) +
                     "n_embd,n_q_head,n_kv_head,block_size,num_tensor_parallel_workers,max_model_len,"
                     "batch_size,prefill_chunk_size,kv_cache_size,is_prefill,attention_backend\n";
  const std::int64_t longest = facts.grid.contexts.back() + facts.grid.chunks.back();
  for (const std::int64_t degree : facts.degrees)
    for (const std::size_t i : rows_in(plan, costs, ServingTable::attention, degree)) {
      const std::vector<std::int64_t>& axes = plan.rows[i].axes;
      const bool prefill = axes[0] > 0;
      if (prefill && axes[2] > 0) continue;
      const double* const cycles = &costs[i].cycles;
      text += statistics_of(prefill ? cycles : nullptr, facts) +
              statistics_of(prefill ? nullptr : cycles, facts);
      for (int kernel = 0; kernel < 3; ++kernel) text += statistics_of(&none, facts);
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},zz\n", model.width, model.attention.heads,
                          model.attention.cached_heads, block, degree, longest, prefill ? 1 : axes[2],
                          axes[0], prefill ? axes[1] : axes[3], prefill ? "True" : "False");
    }
  return text;
}

std::string json_of(const Bundle& facts, const ServingPlan& plan, const std::vector<ServingCost>& layers,
                    const std::vector<ServingCost>& costs) {
  nlohmann::ordered_json tree;
  tree["hardware"] = facts.hardware;
  tree["model"] = facts.model;
  tree["variant"] = facts.variant;
  tree["clock_period_ns"] = facts.clock_period;
  tree["bits"] = {{"weight", facts.bits.weight.bits},
                  {"activation", facts.bits.activation.bits},
                  {"cached", facts.bits.cache.bits},
                  {"partial_sum", facts.bits.partial_sum.bits}};
  const auto figures = [&](nlohmann::ordered_json& into, const ServingCost& cost) {
    into["cycles"] = cost.cycles;
    into["time_us"] = microseconds(cost.cycles, facts);
    into["energy_pJ"] = cost.energy;
    into["compute_cycles"] = cost.compute;
    into["memory_cycles"] = cost.memory;
    into["limited_by"] = cost.limited_by();
  };
  nlohmann::ordered_json& all = tree["layers"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    nlohmann::ordered_json layer{{"name", plan.layers[i]->name}};
    for (const core::LoopDimension& loop : plan.layers[i]->loops) layer["loops"][loop.name] = loop.size;
    if (layers[i].without.empty())
      figures(layer, layers[i]);
    else
      layer["without"] = layers[i].without;
    all.push_back(std::move(layer));
  }
  nlohmann::ordered_json& rows = tree["rows"] = nlohmann::ordered_json::array();
  for (const std::int64_t degree : facts.degrees)
    for (const TableWords& words : tables_of_bundle())
      for (const std::size_t i : rows_in(plan, costs, words.table, degree)) {
        nlohmann::ordered_json row{{"tensor_parallel", degree}, {"table", words.name}};
        row["layer"] = plan.rows[i].layer;
        for (std::size_t axis = 0; axis < words.axes.size(); ++axis)
          row[words.axes[axis]] = plan.rows[i].axes[axis];
        figures(row, costs[i]);
        row["in_step"] = plan.rows[i].in_step;
        if (costs[i].together) row["fused"] = true;
        if (!costs[i].as.empty()) row["as"] = costs[i].as;
        nlohmann::ordered_json& made = row["layers"] = nlohmann::ordered_json::array();
        for (const ServingRow::Use& use : costs[i].uses)
          for (const std::uint32_t layer : plan.pieces[use.piece].layers)
            made.push_back({{"layer", layer}, {"times", use.times}});
        rows.push_back(std::move(row));
      }
  return core::json_text(tree) + "\n";
}

}  // namespace

std::string variant_of(const StoredBits& stored, const DecoderBits& bits) {
  const auto word = [&](std::int64_t width) -> std::string {
    const std::string& type = stored.type_name;
    if (width == 16) return type == "float16" || type == "half" ? "fp16" : "bf16";
    if (width == 8) return type == "int8" ? "int8" : "fp8";
    return fmt::format("{}{}", width >= 32 ? "fp" : "int", width);
  };
  const std::string weights = word(bits.weight.bits);
  return bits.cache.bits == bits.weight.bits ? weights : weights + "-kv" + word(bits.cache.bits);
}

bool is_for_vidur(const Decoder& decoder) {
  return decoder.experts.count == 0 && !decoder.attention.latent.has_value();
}

Files bundle_files(const Bundle& facts, const ServingPlan& plan, const std::vector<ServingCost>& layers,
                   const std::vector<ServingCost>& rows) {
  Files files;
  const std::string root = fmt::format("{}/{}/{}/", facts.hardware, facts.model, facts.variant);
  files.emplace_back(root + "meta.yaml", meta_of(facts));
  for (const std::int64_t degree : facts.degrees)
    for (const TableWords& words : tables_of_bundle()) {
      const std::vector<std::size_t> of_table = rows_in(plan, rows, words.table, degree);
      if (!of_table.empty())
        files.emplace_back(fmt::format("{}tp{}/{}.csv", root, degree, words.name),
                           csv_of(facts, plan, rows, words, of_table));
    }
  if (is_for_vidur(facts.decoder)) {
    const std::string folder = fmt::format("vidur/compute/{}/{}/", facts.hardware, facts.model);
    files.emplace_back(folder + "mlp.csv", vidur_mlp(facts, plan, rows));
    files.emplace_back(folder + "attention.csv", vidur_attention(facts, plan, rows));
  }
  files.emplace_back("costs.json", json_of(facts, plan, layers, rows));
  return files;
}

}  // namespace zz::plugins
