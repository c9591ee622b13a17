#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/text.hpp"
#include "core/cost/evaluation.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/network_room.hpp"
#include "core/input/onnx/mapping_use.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/workload/layer.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/transformer/decoder_figures.hpp"
#include "plugins/transformer/decoder_settings.hpp"
#include "plugins/transformer/decoder_workload.hpp"
#include "plugins/transformer/layer_costs.hpp"

namespace zz::plugins {
namespace {

/// Makes the layers of prefill or decode of a decoder-only transformer and hands them down as "workload".
class TransformerWorkloadStage : public Stage,
                                 public ClockSetting,
                                 public CompatSetting,
                                 public DecoderSettings {
 public:
  static constexpr Description description{
      .id = "org.zz.TransformerWorkloadStage",
      .name = "TransformerWorkloadStage",
      .summary = "makes the layers of a large language model from its config.json",
      .doc =
          R"(Reads the parameters of a decoder-only transformer, the `config.json` that model hubs have beside the weights
(`workload`), makes the layers of prefill or decode, and hands them down as `workload`, each with its entry of the
mapping file. `config` has the same keys in the pipeline; they replace those of the file, or do without one.

| keys | |
|---|---|
| `model_type` | llama, mistral, mixtral, qwen2, qwen2_moe, qwen3, qwen3_moe, gemma, gemma2, gemma3_text, phi, phi3, gpt2, gpt_bigcode, gpt_neox, gpt_oss, falcon, starcoder2, deepseek_v2, deepseek_v3, kimi_k2; without it the conventions are Llama's |
| `hidden_size`, `num_hidden_layers`, `num_attention_heads`, `intermediate_size`, `vocab_size` | needed; GPT-2's `n_embd`, `n_layer`, `n_head`, `n_inner` mean the same |
| `num_key_value_heads`, `multi_query`, `head_dim`, `attention_bias`, `mlp_bias`, `tie_word_embeddings`, `gated` | may be left out |
| `sliding_window`, `layer_types`, `use_sliding_window`, `max_window_layers`, `sliding_window_pattern` | which blocks attend to the last tokens only |
| `num_local_experts` or `n_routed_experts`, `num_experts_per_tok`, `moe_intermediate_size`, `n_shared_experts`, `first_k_dense_replace`, `moe_layer_freq`, `decoder_sparse_step`, `mlp_only_layers` | experts |
| `kv_lora_rank`, `q_lora_rank`, `qk_nope_head_dim`, `qk_rope_head_dim`, `v_head_dim` | latent attention |

An unknown key that looks like a size, or like a slip of one of these, is an error; others are passed over.

`context` counts the tokens of a sequence, the new ones included: those of the prompt for `phase: prefill`, and the
position of the new token, from 1, for `phase: decode`. `tokens` may make fewer or more of them new, as in prefill by
pieces or speculative decoding. `steps: 2048` decodes as many tokens one after the other. Each different layer is then
mapped once: from step to step only the products over keys and values change. Stages that map layers together, as
OptimalFusedMappingStage, need whole networks: with `together` each step is one.

How layers are made:

* They are called `block3/attention/scores` and so on. A mapping entry may be called so, or for all blocks
  `attention/scores`, or `MatMul`.
* Loops are C (summed), D (rows), K (columns), B (sequences), H (heads of keys and values), E (experts). Queries that
  share a head of keys are rows of one product, so that keys and values are read once for all of them.
* Scores are those of all new tokens with all tokens, masked or not, as exported networks compute them.
* Within a `sliding_window` a product is banded, as a convolution is, and padding counts.
* Latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1) makes keys and values anew in prefill, where each is
  used by many tokens. In decode the matrices that would make them are applied to the queries and the result, so that
  the cached vectors are used as they are. `latent_attention` prescribes one of the two.
* Routing is taken to be uniform: of n experts, n * (1 - (1 - chosen / n)^tokens) are needed on average. This number,
  rounded, is read; the tokens are shared out over them evenly.
* Normalisations, rotary positions, softmax, activations and additions have no cost, unless there is a `vector_unit`:
  then they are layers, too, which WorkloadStage gives to that unit. On several cores they are layers where the mapping
  file has an entry `vector`, which says by which cores. Operations counted are products only.
* The layer that multiplies each token of a prompt by the vocabulary (`head`) is needed for the last token only:
  `logits: last`.
* Weights, activations, cached keys and values and partial sums have `weight_bits` and so on, which may also be types of
  numbers, as mxfp4 or {bits: 4, scale: {bits: 16, every: 128}}. Without these, `precision` counts, then the
  `quantization_config` of the file, then, where it has none, the units of the accelerator, then its `torch_dtype`, and
  8 bits. The table at the end tells them.
* A context beyond `max_position_embeddings` is a warning.

The sum of all layers, which a SumStage below makes, gets the figures of a token, and a table at the end shows them.
Times need a clock: that of the chip, which AcceleratorParserStage knows, or `clock_period` here. Put SimpleSaveStage
above this stage to have the figures in its file.

With several steps the results from below must be one for each layer. This stage then yields their sum over all steps,
with [evaluation, [layer, null]] for each kind of layer, and shows some steps in a table.

```yaml
parameters: {workload: Llama-3-8B/config.json, phase: decode, context: 2048, clock_period: 1}
stages: [SimpleSaveStage, TransformerWorkloadStage, AcceleratorParserStage, SumStage, WorkloadStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string phase;
  std::int64_t batch = 1;
  std::int64_t context = 0;
  std::optional<std::int64_t> tokens;
  std::int64_t steps = 1;
  bool together = false;
  std::string logits = "all";
  std::string latent_attention = "auto";

  using Self = TransformerWorkloadStage;
  static constexpr auto params = zz::params(
      workload_setting, config_setting, mapping_setting,
      param<&Self::phase>("phase", "which part of making a text").required().allowed("prefill|decode"),
      param<&Self::batch>("batch", "sequences at the same time").allowed("[1, 1048576]"),
      param<&Self::context>("context", "tokens of each sequence, the new ones included")
          .required()
          .allowed("[1, 16777216]"),
      param<&Self::tokens>("tokens", "how many of them are new; empty: all in prefill, one in decode")
          .allowed("[1, 16777216]"),
      param<&Self::steps>("steps", "decode steps, one after the other; `context` is that of the first")
          .allowed("[1, 1048576]"),
      param<&Self::together>("together",
                             "with several steps: each step is one network, for stages that map layers "
                             "together, as OptimalFusedMappingStage"),
      weight_bits_setting, activation_bits_setting, kv_cache_bits_setting, partial_sum_bits_setting,
      param<&Self::logits>("logits", "of which of the new tokens logits are computed").allowed("all|last"),
      param<&Self::latent_attention>("latent_attention",
                                     "how keys and values of latent attention are used; auto: absorbed in "
                                     "decode, expanded in prefill")
          .allowed("auto|absorbed|expanded"),
      clock_period_setting, clock_setting, vector_unit_setting, precision_setting, compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator",
                 "whose units say bits; one that is read below says them, too")
          .optional()};
  static constexpr Port provides[] = {zz::object(
      "workload", "workload", "the network: layers, pass-through operators and data-flow edges")};
  static constexpr Metric metrics[] = {
      zz::metric("time_to_first_token", "prefill of the whole prompt").unit("s").not_summed(),
      zz::metric("time_per_output_token", "one decode step for all sequences, on average over the steps")
          .unit("s")
          .not_summed(),
      zz::metric("tokens_per_second", "new tokens of all sequences").unit("1/s").not_summed(),
      zz::metric("energy_per_token", "for each new token of each sequence").unit("J").not_summed(),
      zz::metric("kv_cache_bytes", "keys and values of all sequences after the last step")
          .unit("byte")
          .not_summed(),
      zz::metric("model_parameters", "all trained numbers of the model").not_summed(),
      zz::metric("operations", "multiply-accumulates of all steps").not_summed(),
      zz::metric("memory_filled",
                 "share of the fullest outermost memory that weights, keys and values, and the inputs and "
                 "results of the largest layer take; above 1 with `ignore_capacity`")
          .not_summed()};

  void prepare();
  Results run(Value ctx);

 private:
  DecoderStep first_step(const core::MappingFile& entries) const;
  void warn_of_long_context(const Decoder& decoder, core::Diagnostics& diagnostics) const;
  DecoderRun read_run(const Value& ctx, const core::MappingFile& entries,
                      core::Diagnostics& diagnostics) const;
  core::Workload network_of_step(const DecoderRun& run, const DecoderStep& step,
                                 const core::MappingFile& entries, core::Diagnostics& diagnostics) const;
  Results run_one(Value ctx);
  Results run_steps(Value ctx);
  Results run_whole_steps(Value ctx);
};

double operations_of(const std::vector<std::shared_ptr<const core::Layer>>& layers) {
  double operations = 0;
  for (const auto& layer : layers)
    if (!layer->vector_work) operations += static_cast<double>(layer->mac_count());
  return operations;
}

/// True for the sum over all layers, and for a schedule of them.
bool is_of_all(const core::Evaluation& evaluation, const core::Workload& workload) {
  return evaluation.schedule != nullptr ||
         (evaluation.layer == nullptr && evaluation.layer_ids.size() == workload.layers.size());
}

using AcceleratorPointer = std::shared_ptr<const core::Accelerator>;

/// Where the network lies: the accelerator that was evaluated, or the memory off the chip of several cores,
/// else the one that was read above; null: nobody says.
AcceleratorPointer outermost_accelerator(const core::Evaluation& total, const Value& ctx) {
  if (total.accelerator != nullptr) return total.accelerator;
  if (total.schedule != nullptr && total.schedule->accelerator != nullptr) {
    const core::MultiCoreAccelerator& several = *total.schedule->accelerator;
    return several.offchip_core ? several.cores[static_cast<std::size_t>(*several.offchip_core)] : nullptr;
  }
  return accelerator_above(ctx);
}

bool has_memories_of(const core::Accelerator& accelerator, const core::Accelerator& other) {
  const auto size_of = [](const core::Memory& memory) { return std::pair(memory.name, memory.size); };
  return std::ranges::equal(accelerator.memories, other.memories, {}, size_of, size_of);
}

/// Fill of memory with the network, whose layers have the numbers of the array, or of several cores. A
/// memory that was only taken for larger (`ignore_capacity`) has the size that it has.
std::vector<core::OutermostUse> uses_of(const Stage& stage, const core::Workload& network,
                                        const core::Evaluation& total, const Value& ctx,
                                        const core::Rules& rules, const std::string& no_scales) {
  const auto uses_on = [&](const core::Accelerator& accelerator) {
    if (total.schedule == nullptr || total.schedule->accelerator == nullptr)
      return core::outermost_uses(network, layers_with_numbers_of(accelerator, network.layers, no_scales),
                                  accelerator, rules);
    const auto of_cores = with_scales_of_cores(stage, std::make_shared<const core::Workload>(network),
                                               *total.schedule->accelerator, no_scales, false);
    return core::outermost_uses(network, of_cores->layers, accelerator, rules);
  };
  const AcceleratorPointer accelerator = outermost_accelerator(total, ctx), above = accelerator_above(ctx);
  if (accelerator == nullptr) return {};
  if (above != nullptr) {
    std::vector<core::OutermostUse> uses = uses_on(*above);
    std::vector<std::string> told;
    const AcceleratorPointer larger = core::with_room_for_layers(above, uses, told);
    if (larger != above && has_memories_of(*larger, *accelerator)) return uses;
  }
  return uses_on(*accelerator);
}

void TransformerWorkloadStage::prepare() {
  check_decoder_settings();
  period();
  const std::int64_t all = phase == "prefill" ? context : 1;
  if (tokens.value_or(all) > context) {
    throw Error(
        ZZ_E_INVALID,
        fmt::format("`tokens` is {}, but `context`, which counts them too, is only {}", *tokens, context));
  }
  if (steps > 1 && phase == "prefill")
    throw Error(ZZ_E_INVALID, "a prefill has one step; `steps` is for phase: decode");
}

DecoderStep TransformerWorkloadStage::first_step(const core::MappingFile& entries) const {
  DecoderStep step;
  step.batch = batch;
  step.context = context;
  step.tokens = tokens.value_or(phase == "prefill" ? context : 1);
  step.last_logits = logits == "last";
  // Making keys and values anew costs in proportion to the context; absorbing, to the new tokens.
  step.absorbed = latent_attention == "absorbed" || (latent_attention == "auto" && phase == "decode");
  step.vector_layers = has_vector_layers(entries);
  return step;
}

void TransformerWorkloadStage::warn_of_long_context(const Decoder& decoder,
                                                    core::Diagnostics& diagnostics) const {
  const std::int64_t last = context + (steps - 1) * tokens.value_or(1);
  if (decoder.most_positions == 0 || last <= decoder.most_positions) return;
  diagnostics.warning(core::SourceMark{workload},
                      fmt::format("the context of {} tokens is longer than the model's, {} "
                                  "(max_position_embeddings)",
                                  last, decoder.most_positions));
}

DecoderRun TransformerWorkloadStage::read_run(const Value& ctx, const core::MappingFile& entries,
                                              core::Diagnostics& diagnostics) const {
  DecoderRun run;
  run.decoder = decoder(diagnostics);
  run.prefill = phase == "prefill";
  run.first = first_step(entries);
  run.steps = steps;
  run.bits = bits(run.decoder.stored, ctx);
  warn_of_long_context(run.decoder, diagnostics);
  run.clock_period = period().value_or(0);
  if (const std::string doubt = run.clock_period > 0 ? core::doubt_of_clock(run.clock_period) : "";
      !doubt.empty())
    diagnostics.warning({}, "clock_period is " + doubt);
  return run;
}

core::Workload TransformerWorkloadStage::network_of_step(const DecoderRun& run, const DecoderStep& step,
                                                         const core::MappingFile& entries,
                                                         core::Diagnostics& diagnostics) const {
  core::Workload network =
      make_decoder_workload(run.decoder, step, run.bits, entries, rules(), diagnostics);
  network.stored = stored_data(run);
  network.tokens = static_cast<double>(step.batch * step.tokens);
  return network;
}

Results TransformerWorkloadStage::run(Value ctx) {
  if (steps == 1) return run_one(std::move(ctx));
  return together ? run_whole_steps(std::move(ctx)) : run_steps(std::move(ctx));
}

Results TransformerWorkloadStage::run_one(Value ctx) {
  core::Diagnostics diagnostics;
  const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
  DecoderRun run = read_run(ctx, entries, diagnostics);
  const auto network =
      std::make_shared<const core::Workload>(network_of_step(run, run.first, entries, diagnostics));
  core::warn_of_unused_mapping(entries, {mapping}, *network, diagnostics);
  log_warnings(*this, diagnostics);
  run.operations = operations_of(network->layers);
  const Value below = with(ctx, {{"workload"_n, wrap(network)}});
  for (Result& result : substage(below)) {
    const auto evaluation = object_or_null<core::Evaluation>(result.evaluation);
    if (evaluation == nullptr || !is_of_all(*evaluation, *network)) {
      co_yield std::move(result);
      continue;
    }
    Value marked =
        with_decoder_figures(*this, *evaluation, run,
                             uses_of(*this, *network, *evaluation, ctx, rules(), no_scales_with(compat)));
    co_yield Result(std::move(marked), result.extra);
  }
}

Results TransformerWorkloadStage::run_steps(Value ctx) {
  core::Diagnostics diagnostics;
  const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
  DecoderRun run = read_run(ctx, entries, diagnostics);
  const DecoderSteps work =
      make_decoder_steps(run.decoder, run.first, steps, run.bits, entries, rules(), diagnostics);
  core::Workload of_all;
  of_all.name = workload;
  of_all.layers = work.layers;
  core::warn_of_unused_mapping(entries, {mapping}, of_all, diagnostics);
  log_warnings(*this, diagnostics);
  const std::vector<LayerCost> costs = cost_of_each(*this, ctx, work.layers, stored_data(run));

  std::vector<std::int64_t> times(work.layers.size());
  std::vector<StepCost> of_steps;
  for (const auto& parts : work.steps) {
    StepCost& cost = of_steps.emplace_back();
    cost.context = run.first.context + static_cast<std::int64_t>(of_steps.size() - 1) * run.first.tokens;
    for (const auto& [layer, count] : parts) {
      times[layer] += count;
      cost.energy += static_cast<double>(count) * costs[layer].all.energy_total;
      cost.latency += static_cast<double>(count) * costs[layer].all.latency_total2;
    }
  }
  core::Evaluation total;
  std::vector<core::Evaluation> kinds(work.layers.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const core::Evaluation all = core::scale(costs[i].all, static_cast<double>(times[i]));
    if (!work.layers[i]->vector_work)
      run.operations += static_cast<double>(times[i]) * static_cast<double>(work.layers[i]->mac_count());
    total = core::add(total, all);
    kinds[work.first_like[i]] = core::add(kinds[work.first_like[i]], all);
  }
  std::vector<std::vector<std::size_t>> of_kind(kinds.size());
  for (std::size_t i = 0; i < costs.size(); ++i) of_kind[work.first_like[i]].push_back(i);
  std::vector<Value> pairs;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (work.first_like[i] != i) continue;
    kinds[i].typical = costs[of_kind[i][of_kind[i].size() / 2]].own;
    const Value extra = make(nullptr, list({wrap(work.layers[i]), nullptr}));
    pairs.push_back(make(nullptr, list({wrap(std::move(kinds[i])), extra})));
  }
  core::Workload whole;
  whole.layers = work.layers;
  whole.stored = stored_data(run);
  const Value marked = with_decoder_figures(
      *this, total, run, uses_of(*this, whole, total, ctx, rules(), no_scales_with(compat)));
  report_steps(*this, of_steps, clock_of(total, run.clock_period));
  co_yield Result(marked, make_list(pairs));
}

Results TransformerWorkloadStage::run_whole_steps(Value ctx) {
  core::Diagnostics diagnostics;
  const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
  DecoderRun run = read_run(ctx, entries, diagnostics);
  log_warnings(*this, diagnostics);
  core::Evaluation total;
  std::vector<StepCost> of_steps;
  std::vector<core::OutermostUse> uses;
  DecoderStep step = run.first;
  Progress display = progress("steps", static_cast<std::size_t>(steps));
  for (std::int64_t i = 0; i < steps; ++i, step.context += step.tokens) {
    core::Diagnostics of_step;
    const auto network =
        std::make_shared<const core::Workload>(network_of_step(run, step, entries, of_step));
    if (i == 0) {
      core::warn_of_unused_mapping(entries, {mapping}, *network, of_step);
      log_warnings(*this, of_step);
    }
    run.operations += operations_of(network->layers);
    const std::size_t before = of_steps.size();
    for (Result& result : substage(with(ctx, {{"workload"_n, wrap(network)}}))) {
      const auto evaluation = object_or_null<core::Evaluation>(result.evaluation);
      if (evaluation == nullptr || !is_of_all(*evaluation, *network) || of_steps.size() > before)
        throw Error(ZZ_E_INVALID,
                    "`together` needs one result for each step from below, of all its layers; "
                    "write SumStage");
      of_steps.push_back({step.context, evaluation->energy_total, evaluation->latency_total2});
      total = i == 0 ? *evaluation : core::add(total, *evaluation);
      uses = uses_of(*this, *network, *evaluation, ctx, rules(), no_scales_with(compat));
    }
    if (of_steps.size() == before)
      throw Error(ZZ_E_NO_RESULT, fmt::format("no result for the step with context {}", step.context));
    display.advance(1);
  }
  const Value marked = with_decoder_figures(*this, total, run, uses);
  report_steps(*this, of_steps, clock_of(total, run.clock_period));
  co_yield Result(marked, make_list({}));
}

}  // namespace

ZZ_PLUGIN_STAGE(TransformerWorkloadStage)

}  // namespace zz::plugins
