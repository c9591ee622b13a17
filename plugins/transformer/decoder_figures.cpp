#include "plugins/transformer/decoder_figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "core/cost/rates.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

constexpr double picojoule = 1e-12;
constexpr double milli = 1e-3;

/// "prefill of llama: context 512, batch 1"
std::string title_of(const DecoderRun& run) {
  const DecoderStep& first = run.first;
  std::string context = std::to_string(first.context);
  if (run.steps > 1) context += fmt::format(" to {}", first.context + (run.steps - 1) * first.tokens);
  return fmt::format("{} of {}, context {}, batch {}", run.prefill ? "prefill" : "decode", run.decoder.name,
                     context, first.batch);
}

/// The rows of a table of quantities, values and units.
class Rows {
 public:
  void add(const std::string& quantity, std::optional<double> value, const char* unit) {
    const Value cell = value ? make(nullptr, Literal(*value)) : Value();
    rows_.push_back(make(nullptr, list({quantity, cell, unit})));
  }
  Value all() const { return make_list(rows_); }

 private:
  std::vector<Value> rows_;
};

/// On average over a whole block.
double bits_with_scale(const ElementBits& type) {
  const double of_scale =
      type.scale.any() ? static_cast<double>(type.scale.bits) / static_cast<double>(type.scale.every) : 0;
  return static_cast<double>(type.bits) + of_scale;
}

}  // namespace

double clock_of(const core::Evaluation& evaluation, double given) {
  return given > 0 ? given : evaluation.clock_period;
}

core::StoredData stored_data(const DecoderRun& run) {
  const DecoderStep& first = run.first;
  core::StoredData stored;
  stored.parameters = parameters_of(run.decoder);
  stored.cached = static_cast<double>(first.batch) *
                  cached_elements(run.decoder, first.context + (run.steps - 1) * first.tokens);
  if (!run.bits.cache.assumed) stored.cached_bits = bits_with_scale(run.bits.cache);
  return stored;
}

Value with_decoder_figures(const Stage& stage, const core::Evaluation& total, const DecoderRun& run,
                           const std::vector<core::OutermostUse>& uses) {
  const DecoderStep& first = run.first;
  const auto batch = static_cast<double>(first.batch);
  const double tokens = batch * static_cast<double>(first.tokens) * static_cast<double>(run.steps);
  // The cycles of a sequence: the sequences of a batch go side by side.
  const double cycles = run.prefill ? total.latency_total2 : total.latency_total2 * batch / tokens;
  const double cache = stored_data(run).cached * bits_with_scale(run.bits.cache) / 8;
  const double parameters = parameters_of(run.decoder);
  const double energy = total.energy_total * picojoule / tokens;
  const double clock = clock_of(total, run.clock_period);
  std::optional<double> time, rate;
  if (clock > 0) {
    time = core::seconds(cycles, clock);
    rate = core::per_second(tokens, total.latency_total2, clock);
  }

  core::Evaluation marked = total;
  marked.clock_period = clock;
  marked.tokens = tokens;
  const auto add = [&](const char* name, std::optional<double> value) {
    if (value) marked.metrics.emplace_back(name, *value);
  };
  add(run.prefill ? "time_to_first_token" : "time_per_output_token", time);
  add("tokens_per_second", rate);
  add("energy_per_token", energy);
  add("kv_cache_bytes", cache);
  add("model_parameters", parameters);
  add("operations", run.operations);
  std::optional<double> fullest;
  for (const core::OutermostUse& use : uses)
    fullest = std::max(fullest.value_or(0), use.total() / use.size);
  add("memory_filled", fullest);

  const auto in_milli = [](std::optional<double> value) {
    return value ? std::optional<double>(*value / milli) : value;
  };
  Rows rows;
  rows.add("parameters", parameters, "");
  rows.add("multiply-accumulates", run.operations, "");
  rows.add("weight", bits_with_scale(run.bits.weight), "bit");
  rows.add("activation", bits_with_scale(run.bits.activation), "bit");
  rows.add("cached key or value", bits_with_scale(run.bits.cache), "bit");
  rows.add("KV cache at the end", cache, "byte");
  for (const core::OutermostUse& use : uses) {
    rows.add(fmt::format("weights on {}", use.memory), use.weights / 8, "byte");
    rows.add(fmt::format("{} filled", use.memory), 100 * use.total() / use.size, "%");
  }
  rows.add(run.prefill ? "cycles to first token" : "cycles per output token", cycles, "cycles");
  rows.add(run.prefill ? "time to first token" : "time per output token", in_milli(time), "ms");
  rows.add("tokens per second", rate, "1/s");
  rows.add("energy per token", in_milli(energy), "mJ");
  const Value columns = make(nullptr, list({"quantity", "value", "unit"}));
  stage.report(title_of(run), columns.look(), rows.all().look());
  if (!time)
    stage.log(Level::warning,
              "no clock is known, so that times stand in cycles only: give `clock_period` in ns");
  return wrap(std::move(marked));
}

void report_steps(const Stage& stage, const std::vector<StepCost>& steps, double clock_period) {
  constexpr std::size_t most_shown = 9;
  std::vector<Value> rows;
  const auto add = [&](const Literal& context, double latency, double energy) {
    const Value time =
        clock_period > 0 ? make(nullptr, Literal(core::seconds(latency, clock_period) / milli)) : Value();
    rows.push_back(make(nullptr, list({context, latency, time, energy * picojoule / milli})));
  };
  const std::size_t shown = std::min(most_shown, steps.size());
  StepCost sum;
  for (const StepCost& step : steps) {
    sum.energy += step.energy;
    sum.latency += step.latency;
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const StepCost& step = steps[shown == 1 ? 0 : i * (steps.size() - 1) / (shown - 1)];
    add(std::to_string(step.context), step.latency, step.energy);
  }
  const auto count = static_cast<double>(steps.size());
  add("mean", sum.latency / count, sum.energy / count);
  const Value columns = make(nullptr, list({"context", "cycles", "time [ms]", "energy [mJ]"}));
  stage.report(fmt::format("{} steps", steps.size()), columns.look(), make_list(rows).look());
}

}  // namespace zz::plugins
