#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/evaluation.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/network_room.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/transformer/bundle_files.hpp"
#include "plugins/transformer/decoder_settings.hpp"
#include "plugins/transformer/decoder_workload.hpp"
#include "plugins/transformer/layer_costs.hpp"
#include "plugins/transformer/serving_costs.hpp"
#include "plugins/transformer/serving_plan.hpp"
#include "plugins/transformer/shard.hpp"

namespace zz::plugins {
namespace {

constexpr std::int64_t least_context = 16;
constexpr std::int64_t least_chunk = 16;

/// Writes what simulators of serving read of a language model on a chip.
class ServingTablesStage : public Stage, public ClockSetting, public CompatSetting, public DecoderSettings {
 public:
  static constexpr Description description{
      .id = "org.zz.ServingTablesStage",
      .name = "ServingTablesStage",
      .summary = "writes the latency tables of a language model that serving simulators read",
      .doc =
          R"(Makes the layers of one chip's share of a language model, for each degree of tensor parallelism and each point of
the tables, maps each different one by the chain below, and writes a bundle: the folder `output` with the tables that
LLMServingSim 2 and Vidur read, and with `costs.json`, which has the energy, too. docs/serving.md shows what is in it,
which layers make up which row, and how the simulators find it.

Layers are those of TransformerWorkloadStage, whose settings of model and bits it has. A row of n tokens has the layers
of n sequences that decode a token each; attention of a chunk those of one sequence in prefill; attention of decoding
sequences follows that of the chunk.

* `tensor_parallel` shares out heads, the feed-forward part and the vocabulary, which is made longer where it does not
  divide. Experts stay whole. A degree that does not divide is an error.
* The layers of attention are also mapped together, by the stages of `fused`, so that scores need not leave the chip;
  the faster way counts. Null: layer by layer only.
* Work on elements has costs where there is a `vector_unit`; else its rows are 0. So are looking up embeddings and
  drawing tokens, of which zz has no model.
* Where a larger row takes less time, as its sizes divide better, the work is done as that has it; costs.json tells
  which. So no time falls along an axis.
* A row with a layer that has no mapping, as where keys and values do not fit into the memory, is left out, and a
  warning tells which is the first.
* Times need a clock: that of the chip's file, or `clock`; else 1 GHz is assumed, and a warning says so.

The folder must not exist yet. Yields for each degree the evaluation of a step that decodes one token with the longest
context, layer by layer, with [evaluation, [layer, null]] for each layer. docs/serving.md has a pipeline.)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string output_folder;
  std::vector<std::int64_t> tensor_parallel = {1};
  std::string model_name, chip_name, variant;
  std::int64_t max_tokens = 2048;
  std::int64_t max_sequences = 256;
  std::int64_t max_context = 16384;
  std::int64_t attention_factor = 4;
  Chain fused{"[SumStage, OptimalFusedMappingStage: {objective: latency}, CostModelStage]"};

  using Self = ServingTablesStage;
  static constexpr auto params = zz::params(
      param<&Self::output_folder>("output", "the folder of the bundle, which must not exist yet")
          .required(),
      param<&Self::tensor_parallel>("tensor_parallel",
                                    "degrees of tensor parallelism: numbers of chips that share a layer"),
      workload_setting, config_setting, mapping_setting,
      param<&Self::model_name>(
          "model_name", "its name in the simulators, as meta-llama/Llama-3.1-8B; empty: that of the file"),
      param<&Self::chip_name>("chip_name",
                              "the chip's name in the simulators; empty: that of the accelerator"),
      param<&Self::variant>("variant",
                            "the name of the types of numbers, as bf16; empty: by type and bits"),
      param<&Self::max_tokens>("max_tokens", "most new tokens of a step").allowed("[1, 1048576]"),
      param<&Self::max_sequences>("max_sequences", "most sequences of a step").allowed("[1, 1048576]"),
      param<&Self::max_context>("max_context", "most earlier tokens of a sequence")
          .allowed("[1, 16777216]"),
      param<&Self::attention_factor>("attention_factor",
                                     "from one point of an axis of attention to the next; the other axes "
                                     "double")
          .allowed("[2, 1024]"),
      param<&Self::fused>("fused", "the pipeline that maps the layers of attention together; null: none"),
      weight_bits_setting, activation_bits_setting, kv_cache_bits_setting, partial_sum_bits_setting,
      clock_period_setting, clock_setting, vector_unit_setting, precision_setting, compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "the chip, whose name, clock and bits count")};
  static constexpr Port provides[] = {zz::object(
      "workload", "workload", "one layer as a network; below `fused` those of attention together")};

  void prepare();
  Value check(Value ctx) const;
  Results run(Value ctx);

 private:
  ServingPoints grid() const;
  /// Reads and checks the model and its degrees.
  ServingPlan plan(const Value& ctx, Bundle& facts, core::Diagnostics& diagnostics) const;
  Bundle facts_of(const Value& ctx, core::Diagnostics& diagnostics) const;
  void map_together(const Value& ctx, const ServingPlan& plan, std::vector<ServingCost>& pieces) const;
  static std::optional<Result> smallest_step(const ServingPlan& plan, const Bundle& facts,
                                             std::int64_t degree, const std::vector<LayerCost>& of_layers,
                                             const std::vector<ServingCost>& costs);
  /// Weights that a chip has no room for.
  void warn_of_weights(const Value& ctx, const Bundle& facts, const core::MappingFile& entries) const;
  void tell_of_rows(const ServingPlan& plan, const std::vector<ServingCost>& rows) const;
};

/// Throws for a name that is no path within a folder.
void check_name(const char* what, const std::string& name) {
  const std::filesystem::path path(name);
  bool wrong = name.empty() || path.is_absolute() || name.find('\n') != std::string::npos;
  for (const auto& part : path) wrong = wrong || part == ".." || part == "." || part.empty();
  if (wrong)
    throw Error(ZZ_E_INVALID, fmt::format("'{}' must be a name that can be a folder, as {}, but found '{}'",
                                          what, "meta-llama/Llama-3.1-8B", name));
}

void ServingTablesStage::prepare() {
  check_decoder_settings();
  period();
  std::error_code none;
  if (std::filesystem::exists(output_folder, none))
    throw Error(ZZ_E_INVALID,
                fmt::format("'{}' exists already; a bundle is a folder of its own, so name a new one, or "
                            "remove that one",
                            output_folder));
  if (tensor_parallel.empty())
    throw Error(ZZ_E_INVALID, "'tensor_parallel' is empty: give one degree at least, as [1]");
  for (const std::int64_t degree : tensor_parallel) {
    if (degree < 1)
      throw Error(
          ZZ_E_INVALID,
          fmt::format("'tensor_parallel' has {}, but degrees are numbers of chips, from 1 on", degree));
    if (std::count(tensor_parallel.begin(), tensor_parallel.end(), degree) > 1)
      throw Error(ZZ_E_INVALID, fmt::format("'tensor_parallel' has {} twice", degree));
  }
  if (!model_name.empty()) check_name("model_name", model_name);
  if (!chip_name.empty()) check_name("chip_name", chip_name);
  if (!variant.empty()) check_name("variant", variant);
}

ServingPoints ServingTablesStage::grid() const {
  ServingPoints grid;
  grid.tokens = geometric_axis(1, max_tokens, 2);
  grid.sequences = geometric_axis(1, max_sequences, 2);
  grid.decoding = geometric_axis(1, max_sequences, attention_factor);
  grid.chunks = geometric_axis(std::min(least_chunk, max_tokens), max_tokens, attention_factor);
  grid.contexts = geometric_axis(std::min(least_context, max_context), max_context, attention_factor);
  grid.contexts.insert(grid.contexts.begin(), 0);
  return grid;
}

Bundle ServingTablesStage::facts_of(const Value& ctx, core::Diagnostics& diagnostics) const {
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  Bundle facts;
  facts.decoder = decoder(diagnostics);
  facts.bits = bits(facts.decoder.stored, ctx);
  facts.degrees = tensor_parallel;
  std::sort(facts.degrees.begin(), facts.degrees.end());
  facts.grid = grid();
  facts.hardware = chip_name.empty() ? accelerator->name : chip_name;
  facts.model = model_name.empty() ? facts.decoder.name : model_name;
  facts.variant = variant.empty() ? variant_of(facts.decoder.stored, facts.bits) : variant;
  check_name("chip_name", facts.hardware);
  check_name("model_name", facts.model);
  facts.clock_period = chosen_clock(*this, accelerator->clock_period, accelerator->name);
  if (facts.clock_period <= 0) {
    facts.clock_period = 1;
    diagnostics.warning({},
                        fmt::format("the clock of '{}' is not known, and tables are in microseconds: they "
                                    "count 1 GHz; give `clock`, as 700 MHz (--clock 700MHz)",
                                    accelerator->name));
  }
  for (const std::int64_t degree : facts.degrees) {
    const Decoder shard = shard_of(facts.decoder, degree, workload);
    if (shard.vocabulary * degree != facts.decoder.vocabulary)
      diagnostics.warning({workload, 0, 0},
                          fmt::format("a vocabulary of {} is not a multiple of {}; it counts as {}",
                                      facts.decoder.vocabulary, degree, shard.vocabulary * degree));
  }
  return facts;
}

ServingPlan ServingTablesStage::plan(const Value& ctx, Bundle& facts,
                                     core::Diagnostics& diagnostics) const {
  facts = facts_of(ctx, diagnostics);
  const core::MappingFile entries = core::read_mapping(mapping, diagnostics, files_of_run());
  return plan_serving_rows(facts.decoder, facts.degrees, facts.grid, facts.bits, has_vector_layers(entries),
                           entries, rules(), diagnostics);
}

/// One token of one sequence with the longest context, layer by layer; nothing where a layer has no
/// mapping.
std::optional<Result> ServingTablesStage::smallest_step(const ServingPlan& plan, const Bundle& facts,
                                                        std::int64_t degree,
                                                        const std::vector<LayerCost>& of_layers,
                                                        const std::vector<ServingCost>& costs) {
  const std::vector<std::int64_t> attention = {0, 0, 1, facts.grid.contexts.back()};
  const std::vector<std::int64_t> experts = {1, facts.decoder.experts.chosen};
  std::map<std::uint32_t, double> times;
  for (const ServingRow& row : plan.rows) {
    const bool of_experts = row.table == ServingTable::experts;
    if (row.degree != (of_experts ? facts.degrees.front() : degree) || row.table == ServingTable::kernels)
      continue;
    const bool wanted = of_experts                             ? row.axes == experts
                        : row.table == ServingTable::attention ? row.axes == attention
                                                               : row.axes.front() == 1;
    if (!wanted) continue;
    for (const ServingRow::Use& use : row.uses)
      for (const std::uint32_t layer : plan.pieces[use.piece].layers)
        times[layer] += use.times * row.in_step;
  }
  core::Evaluation total;
  std::vector<Value> pairs;
  for (const auto& [layer, count] : times) {
    if (!costs[layer].without.empty()) return std::nullopt;
    core::Evaluation all = core::scale(of_layers[layer].all, count);
    all.typical = of_layers[layer].own;
    total = core::add(total, all);
    const Value extra = make(nullptr, list({wrap(plan.layers[layer]), nullptr}));
    pairs.push_back(make(nullptr, list({wrap(std::move(all)), extra})));
  }
  total.clock_period = facts.clock_period;
  total.tokens = 1;
  return Result(wrap(std::move(total)), make_list(pairs));
}

/// Everything but the search. Gives the first layer.
Value ServingTablesStage::check(Value ctx) const {
  core::Diagnostics diagnostics;
  Bundle facts;
  const ServingPlan planned = plan(ctx, facts, diagnostics);
  return with(ctx, {{"workload"_n, wrap(alone(planned.layers.front(), std::nullopt))}});
}

void ServingTablesStage::map_together(const Value& ctx, const ServingPlan& plan,
                                      std::vector<ServingCost>& pieces) const {
  if (!fused.given()) return;
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (plan.pieces[i].together != nullptr && pieces[i].without.empty()) groups.push_back(i);
  Progress display = progress("attention", groups.size());
  auto runs = fused.ordered(
      static_cast<uint32_t>(groups.size()),
      [&](uint32_t i) {
        return with(ctx, {{"workload"_n, wrap(plan.pieces[groups[i]].together)}});
      },
      &display, AfterFailure::go_on);
  std::size_t faster = 0;
  for (Result result;;) {
    try {
      if (!runs.next(result)) break;
    } catch (const Below& failure) {
      if (failure.code != ZZ_E_NO_RESULT) throw;
      continue;
    }
    ServingCost& best = pieces[groups[runs.index()]];
    const auto total = object_or_null<core::Evaluation>(result.evaluation);
    const auto parts = parts_of_sum(result.extra);
    if (total == nullptr || parts.empty())
      throw Error(ZZ_E_INVALID,
                  "'fused' must give the sum over its layers: write SumStage at its beginning");
    if (total->latency_total2 >= best.cycles) continue;
    best = cost_of_layers(parts);
    best.together = true;
    ++faster;
  }
  count("attention mapped together", groups.size());
  count("attention faster together", faster);
}

void ServingTablesStage::warn_of_weights(const Value& ctx, const Bundle& facts,
                                         const core::MappingFile& entries) const {
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  for (const std::int64_t degree : facts.degrees) {
    const Decoder shard = shard_of(facts.decoder, degree);
    core::Diagnostics told_before;
    core::Workload network =
        make_decoder_workload(shard, DecoderStep{}, facts.bits, entries, rules(), told_before);
    network.stored.emplace().parameters = parameters_of(shard);
    const auto layers = layers_with_numbers_of(*accelerator, network.layers, no_scales_with(compat));
    const std::string why =
        core::why_network_does_not_fit(core::outermost_uses(network, layers, *accelerator, rules()));
    if (!why.empty())
      log(Level::warning,
          fmt::format(
              "the share of a chip of degree {} does not fit into it: {}; its tables are as if it did",
              degree, why));
  }
}

void ServingTablesStage::tell_of_rows(const ServingPlan& plan, const std::vector<ServingCost>& rows) const {
  std::size_t missing = 0, first = 0;
  for (std::size_t i = rows.size(); i-- > 0;)
    if (!rows[i].without.empty()) {
      ++missing;
      first = i;
    }
  count("rows of tables", rows.size() - missing);
  if (const auto larger =
          std::count_if(rows.begin(), rows.end(), [](const ServingCost& row) { return !row.as.empty(); });
      larger > 0)
    count("rows that run as larger ones", static_cast<uint64_t>(larger));
  if (missing == 0) return;
  std::string axes;
  for (const std::int64_t at : plan.rows[first].axes)
    axes += fmt::format("{}{}", axes.empty() ? "" : ", ", at);
  log(Level::warning,
      fmt::format("{} of {} rows are left out, as a layer has no mapping; the first is {} ({}) "
                  "of degree {}: {}",
                  missing, rows.size(), plan.rows[first].layer, axes, plan.rows[first].degree,
                  rows[first].without));
}

Results ServingTablesStage::run(Value ctx) {
  core::Diagnostics diagnostics;
  Bundle facts;
  const ServingPlan planned = plan(ctx, facts, diagnostics);
  log_warnings(*this, diagnostics);
  core::Diagnostics told_before;
  const core::MappingFile entries = core::read_mapping(mapping, told_before, files_of_run());
  warn_of_weights(ctx, facts, entries);
  if (!has_vector_layers(entries))
    log(Level::info,
        "without a vector unit, normalisations, rotary positions, softmax and activations cost 0");

  std::vector<std::string> reasons;
  const std::vector<LayerCost> of_layers = cost_of_each(*this, ctx, planned.layers, std::nullopt, &reasons);
  std::vector<ServingCost> layers, pieces;
  for (std::size_t i = 0; i < of_layers.size(); ++i) {
    if (reasons[i].empty() && of_layers[i].own == nullptr)
      throw Error(ZZ_E_INVALID, fmt::format("the cost of layer '{}' is no layer's: write a SumStage above "
                                            "this stage only",
                                            planned.layers[i]->name));
    layers.push_back(reasons[i].empty() ? cost_of_layers({of_layers[i].own}) : ServingCost{});
    layers.back().without = reasons[i];
  }
  for (const ServingPiece& piece : planned.pieces) {
    pieces.emplace_back();
    for (const std::uint32_t layer : piece.layers) pieces.back().add(layers[layer], 1);
  }
  map_together(ctx, planned, pieces);
  const std::vector<ServingCost> rows = costs_of_rows(planned, pieces);
  tell_of_rows(planned, rows);
  facts.version = host().version;
  for (const auto& [path, text] : bundle_files(facts, planned, layers, rows))
    output(output_folder + "/" + path, text);
  if (!is_for_vidur(facts.decoder))
    log(Level::info, "no tables for Vidur: it knows neither experts nor latent attention");

  for (const std::int64_t degree : facts.degrees)
    if (std::optional<Result> step = smallest_step(planned, facts, degree, of_layers, layers))
      co_yield *std::move(step);
}

}  // namespace

ZZ_PLUGIN_STAGE(ServingTablesStage)

}  // namespace zz::plugins
