#include "plugins/transformer/transformer_workload_stage.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/input/transformer/decoder_config.hpp"
#include "core/input/transformer/decoder_workload.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/warnings.hpp"

namespace zz::plugins {
namespace {

// As for products of ONNX files: nearly all hardware sums narrow numbers up in words of 32 bits.
constexpr std::int64_t narrowest_sum = 32;

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

core::Workload alone(const std::shared_ptr<const core::Layer>& layer) {
  core::Workload workload;
  workload.name = layer->name;
  workload.layers = {layer};
  workload.node_order = {layer->id};
  return workload;
}

}  // namespace

void TransformerWorkloadStage::prepare() {
  if (workload.empty() && !config)
    throw Error(ZZ_E_INVALID,
                "nothing says what the model is: give `workload`, its config.json, or `config`");
  if (config && config.look().kind() != ZZ_MAP) {
    throw Error(ZZ_E_INVALID, fmt::format("'config' must be a map of the keys of a config.json, such as "
                                          "{{hidden_size: 4096}}; found {}",
                                          config.look().json()));
  }
  const std::int64_t all = phase == "prefill" ? context : 1;
  if (tokens.value_or(all) > context) {
    throw Error(
        ZZ_E_INVALID,
        fmt::format("`tokens` is {}, but `context`, which counts them too, is only {}", *tokens, context));
  }
  if (steps > 1 && phase == "prefill")
    throw Error(ZZ_E_INVALID, "a prefill has one step; `steps` is for phase: decode");
}

core::DecoderStep TransformerWorkloadStage::first_step(const core::MappingFile& entries) const {
  core::DecoderStep step;
  step.batch = batch;
  step.context = context;
  step.tokens = tokens.value_or(phase == "prefill" ? context : 1);
  step.last_logits = logits == "last";
  // Making keys and values anew costs in proportion to the context; absorbing, to the new tokens.
  step.absorbed = latent_attention == "absorbed" || (latent_attention == "auto" && phase == "decode");
  step.vector_layers = !vector_unit.empty() || core::MappingSelection(entries).has_entry({"vector"});
  return step;
}

core::DecoderBits TransformerWorkloadStage::bits() const {
  return {weight_bits, activation_bits, kv_cache_bits.value_or(activation_bits),
          partial_sum_bits.value_or(std::max(narrowest_sum, activation_bits))};
}

DecoderRun TransformerWorkloadStage::read_run(const core::MappingFile& entries,
                                              core::Diagnostics& diagnostics) const {
  DecoderRun run;
  run.decoder =
      core::read_decoder(workload, config ? config.look().json() : "", diagnostics, files_of_run());
  run.prefill = phase == "prefill";
  run.first = first_step(entries);
  run.steps = steps;
  run.cache_bits = bits().cache;
  run.clock_period = clock_period;
  return run;
}

Results TransformerWorkloadStage::run(Value ctx) {
  return steps > 1 ? run_steps(std::move(ctx)) : run_one(std::move(ctx));
}

Results TransformerWorkloadStage::run_one(Value ctx) {
  core::Diagnostics diagnostics;
  const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
  DecoderRun run = read_run(entries, diagnostics);
  const auto network = std::make_shared<const core::Workload>(
      core::make_decoder_workload(run.decoder, run.first, bits(), entries, rules(), diagnostics));
  log_warnings(*this, diagnostics);
  run.operations = operations_of(network->layers);
  const Value below = with(ctx, {{"workload"_n, wrap(network)}});
  for (Result& result : substage(below)) {
    const auto evaluation = object_or_null<core::Evaluation>(result.evaluation);
    if (evaluation == nullptr || !is_of_all(*evaluation, *network)) {
      co_yield std::move(result);
      continue;
    }
    Value marked = with_decoder_figures(*this, *evaluation, run);
    co_yield Result(std::move(marked), result.extra);
  }
}

Results TransformerWorkloadStage::run_steps(Value ctx) {
  core::Diagnostics diagnostics;
  const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
  DecoderRun run = read_run(entries, diagnostics);
  const core::DecoderSteps work =
      core::make_decoder_steps(run.decoder, run.first, steps, bits(), entries, rules(), diagnostics);
  log_warnings(*this, diagnostics);
  const std::vector<core::Evaluation> costs = cost_of_each(ctx, work.layers);

  std::vector<std::int64_t> times(work.layers.size());
  std::vector<StepCost> of_steps;
  for (const auto& parts : work.steps) {
    StepCost& cost = of_steps.emplace_back();
    cost.context = run.first.context + static_cast<std::int64_t>(of_steps.size() - 1) * run.first.tokens;
    for (const auto& [layer, count] : parts) {
      times[layer] += count;
      cost.energy += static_cast<double>(count) * costs[layer].energy_total;
      cost.latency += static_cast<double>(count) * costs[layer].latency_total2;
    }
  }
  core::Evaluation total;
  std::vector<core::Evaluation> kinds(work.layers.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const core::Evaluation all = core::scale(costs[i], static_cast<double>(times[i]));
    if (!work.layers[i]->vector_work)
      run.operations += static_cast<double>(times[i]) * static_cast<double>(work.layers[i]->mac_count());
    total = core::add(total, all);
    kinds[work.first_like[i]] = core::add(kinds[work.first_like[i]], all);
  }
  std::vector<Value> pairs;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (work.first_like[i] != i) continue;
    const Value extra = make(nullptr, list({wrap(work.layers[i]), nullptr}));
    pairs.push_back(make(nullptr, list({wrap(std::move(kinds[i])), extra})));
  }
  const Value marked = with_decoder_figures(*this, total, run);
  report_steps(*this, of_steps, clock_of(total, run.clock_period));
  co_yield Result(marked, make_list(pairs));
}

std::vector<core::Evaluation> TransformerWorkloadStage::cost_of_each(
    const Value& ctx, const std::vector<std::shared_ptr<const core::Layer>>& layers) {
  Progress display = progress("different layers", layers.size());
  auto runs = ordered(
      static_cast<uint32_t>(layers.size()),
      [&](uint32_t i) {
        return with(ctx, {{"workload"_n, wrap(alone(layers[i]))}});
      },
      &display);
  std::vector<core::Evaluation> costs;
  const auto nothing = [&] {
    return Error(ZZ_E_NO_RESULT, fmt::format("no result for layer '{}'", layers[costs.size()]->name));
  };
  for (Result result; runs.next(result);) {
    if (runs.index() > costs.size()) throw nothing();
    if (runs.index() < costs.size()) {
      throw Error(ZZ_E_INVALID,
                  fmt::format("a second result of layer '{}' comes from below; write a reducer such as "
                              "MinimalLatencyStage, which keeps one mapping of each layer",
                              layers[runs.index()]->name));
    }
    const auto cost = object_or_null<core::Evaluation>(result.evaluation);
    if (cost == nullptr) throw Error(ZZ_E_TYPE, "what comes from below is no evaluation");
    costs.push_back(*cost);
  }
  if (costs.size() < layers.size()) throw nothing();
  count("different layers", layers.size());
  return costs;
}

}  // namespace zz::plugins
